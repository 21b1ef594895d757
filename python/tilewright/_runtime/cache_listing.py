# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contents of the cache of compiled kernels, for people: `tilewright cache`."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_UNKNOWN = "unknown"


@dataclass(frozen=True)
class Entry:
    """A compiled kernel. Fields that its note lacks are None."""

    path: Path
    size: int
    used: float  # seconds since 1970, as `compiled`
    kernel: str | None = None
    target: str | None = None
    compiler: str | None = None
    compiled: float | None = None
    seconds: float | None = None  # that compiling took

    @property
    def key(self) -> str:
        return self.path.stem


def entries(folder: str | os.PathLike) -> list[Entry]:
    """Every kernel of the cache in this folder, the one used last first."""
    found = []
    for path in Path(folder).glob("*.image"):
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile
            status = path.stat()
            found.append(Entry(path, status.st_size, status.st_mtime, **_note(path.with_suffix(".note"))))
    return sorted(found, key=lambda entry: (-entry.used, entry.key))


def _note(path: Path) -> dict[str, str | float]:
    """The fields of a note that are what they should be."""
    kinds = {"kernel": str, "target": str, "compiler": str, "compiled": (int, float), "seconds": (int, float)}
    try:
        note = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(note, dict):
        return {}
    return {name: note[name] for name, kind in kinds.items() if isinstance(note.get(name), kind)}


def find(folder: str | os.PathLike, key: str) -> Entry:
    """The kernel whose key begins like this. ValueError if there is none, or more than one."""
    matching = [entry for entry in entries(folder) if entry.key.startswith(key)]
    if len(matching) != 1:
        raise ValueError(f"{len(matching)} entries have a key that begins with {key!r}, expected one")
    return matching[0]


def clear(folder: str | os.PathLike) -> int:
    """Remove all kernels; how many there were. Other files stay."""
    images = list(Path(folder).glob("*.image"))
    for pattern in ("*.image", "*.note", "*.tmp"):
        for path in Path(folder).glob(pattern):
            path.unlink(missing_ok=True)
    return len(images)


def size_text(size: int) -> str:
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{size:,} bytes" + (f" ({value:.1f} {unit})" if unit != "bytes" else "")


def duration_text(seconds: float | None) -> str:
    if seconds is None:
        return _UNKNOWN
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.3f} s"


def date_text(time: float | None) -> str:
    if time is None:
        return _UNKNOWN
    return datetime.datetime.fromtimestamp(time).astimezone().strftime("%a %b %d %H:%M:%S %Y %z")


def describe(entry: Entry) -> str:
    """A paragraph, like one of a version control's log."""
    fields = {
        "Kernel": entry.kernel or _UNKNOWN,
        "Target": entry.target or _UNKNOWN,
        "Compiler": " ".join((entry.compiler or _UNKNOWN).split()[:2]),
        "Date": date_text(entry.compiled),
        "Last used": date_text(entry.used),
        "Duration": duration_text(entry.seconds),
        "Size": size_text(entry.size),
    }
    return "\n".join([f"commit {entry.key}", *(f"{name + ':':<12}{text}" for name, text in fields.items())])


def _log(folder: str) -> Iterator[str]:
    for i, entry in enumerate(entries(folder)):
        yield ("\n" if i else "") + describe(entry) + "\n"


def _table(folder: str) -> Iterator[str]:
    listed = entries(folder)
    for entry in listed:
        day = datetime.datetime.fromtimestamp(entry.used).strftime("%Y-%m-%d %H:%M")
        name = f"{entry.kernel or _UNKNOWN} {entry.target or ''}".rstrip()
        yield f"{entry.key[:12]}  {day}  {duration_text(entry.seconds):>10}  {entry.size:>10,}  {name}\n"
    yield f"{len(listed)} kernels, {size_text(sum(entry.size for entry in listed))}, in {folder}\n"


def _show(parts: Iterator[str]) -> None:
    """Through a pager if this is a terminal."""
    pager = os.environ.get("PAGER") or shutil.which("less")
    if not (sys.stdout.isatty() and pager):
        sys.stdout.writelines(parts)
        return
    environment = {"LESS": "FRX"} | os.environ
    with subprocess.Popen(pager, shell=True, stdin=subprocess.PIPE, text=True, env=environment) as process:
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.writelines(parts)


def add_parser(
    commands: argparse._SubParsersAction, add_options: Callable[[argparse.ArgumentParser, str], None]
) -> None:
    parser = commands.add_parser("cache", help="list, show and remove the compiled kernels that are kept")
    parser.set_defaults(run=run, output="-")
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("log", help="a paragraph for each kernel, the one used last first")
    actions.add_parser("ls", help="a line for each kernel")
    show = actions.add_parser("show", help="one kernel, and its file")
    show.add_argument("key", help="its key, or the beginning")
    actions.add_parser("path", help="where the cache is")
    actions.add_parser("clear", help="remove all kernels")
    gc = actions.add_parser("gc", help="remove what was used least recently beyond the limit")
    add_options(gc, "cache gc")


def run(options: argparse.Namespace) -> bytes:
    from tilewright import _native
    from tilewright._runtime import cache

    folder = cache.folder()
    if folder is None:
        raise ValueError("the cache is switched off; TILEWRIGHT_CACHE_DIR names a folder")
    if options.action == "path":
        return os.fsencode(folder) + b"\n"
    if options.action == "clear":
        return f"removed {clear(folder)} kernels from {folder}\n".encode()
    if options.action == "gc":
        before = len(entries(folder))
        _native.Cache(folder, options.max_bytes or cache.max_bytes()).evict()
        left = entries(folder)
        removed, size = before - len(left), sum(entry.size for entry in left)
        return f"removed {removed} kernels, {len(left)} are left: {size_text(size)}\n".encode()
    if options.action == "show":
        entry = find(folder, options.key)
        return f"{describe(entry)}\n{'File:':<12}{entry.path}\n".encode()
    _show(_log(folder) if options.action == "log" else _table(folder))
    return b""
