# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The limits that Linux sets for a group of processes, as containers have them: versions 1 and 2 of cgroups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NO_LIMIT = 1 << 60  # bytes; version 1 has no word for it


@dataclass(frozen=True)
class Limits:
    cores: float | None = None  # of processor time
    memory_bytes: int | None = None


def read(membership: Path = Path("/proc/self/cgroup"), mount: Path = Path("/sys/fs/cgroup")) -> Limits:
    """The narrowest of this process's groups and of those around them."""
    cores: list[float] = []
    memory: list[int] = []
    for folder in _folders(membership, mount):
        quota = _words(folder / "cpu.max") or _words(folder / "cpu.cfs_quota_us") + _words(folder / "cpu.cfs_period_us")
        if len(quota) == 2 and _is_number(quota[0]) and int(quota[1]) > 0:
            cores.append(int(quota[0]) / int(quota[1]))
        for name in ("memory.max", "memory.limit_in_bytes"):
            memory += [int(word) for word in _words(folder / name) if _is_number(word) and int(word) < _NO_LIMIT]
    return Limits(min(cores, default=None), min(memory, default=None))


def _is_number(word: str) -> bool:
    """Neither "max" nor -1, which both mean that there is no limit."""
    return word.isascii() and word.isdigit()


def _folders(membership: Path, mount: Path) -> Iterator[Path]:
    """Each group and those around it. In a container the path may be that of the host, and only the top exists."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            top = mount / controller.removeprefix("name=") if controllers else mount
            inside = top / path.lstrip("/")
            yield from (folder for folder in (inside, *inside.parents) if folder == top or top in folder.parents)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
