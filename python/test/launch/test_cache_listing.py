# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright cache`: listing and removing the kernels in the cache."""

import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest
import tilewright as ct
from language import run_block
from tilewright.__main__ import main
from tilewright._runtime.cache_listing import Entry, clear, describe, entries, find


@ct.kernel
def first(x, n: ct.Constant[int]):
    ct.store(x, 0, ct.full(8, n, ct.float32))


@ct.kernel
def second(x, n: ct.Constant[int]):
    ct.store(x, 0, ct.full(8, n + 1, ct.float32))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache with two kernels, `second` the one used last, and a file of another program."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    for kernel in (first, second):  # with a number of which this process has loaded no code
        run_block(kernel, np.zeros(8, np.float32), time.time_ns() % (1 << 31))
    for entry in entries(tmp_path):
        used = time.time() - 3600 * (1 if entry.kernel == "second" else 5)
        os.utime(entry.path, (used, used))
    (tmp_path / "notes.json").write_text("{}")
    return tmp_path


def output_of(capfd, *arguments):
    assert main(["cache", *arguments]) == 0
    return capfd.readouterr().out


def test_entries_know_their_kernels(folder):
    listed = {entry.kernel: entry for entry in entries(folder)}
    assert set(listed) == {"first", "second"}
    entry = listed["second"]
    assert entry.size == entry.path.stat().st_size and entry.target.startswith("cpu:")
    assert 0 < entry.seconds < 60 and abs(entry.compiled - time.time()) < 600
    assert entry.compiler.startswith("tilewright ")
    assert find(folder, entry.key[:10]) == entry
    with pytest.raises(ValueError, match="0 entries have a key that begins with 'zz', expected one"):
        find(folder, "zz")
    with pytest.raises(ValueError, match="2 entries have a key that begins with ''"):
        find(folder, "")


def test_log_has_a_paragraph_for_each(folder, capfd):
    text = output_of(capfd, "log")
    assert text.count("\n\n") == 1 and text.index("second") < text.index("first")
    newest = entries(folder)[0]
    assert text.startswith(describe(newest) + "\n")
    assert re.match(
        rf"commit {newest.key}\nKernel:     second\nTarget:     cpu:\S+\nCompiler:   tilewright \S+\n"
        r"Date:       \w{3} \w{3} \d\d [\d:]{8} \d{4} [+-]\d{4}\nLast used:  .*\n"
        r"Duration:   [\d.]+ m?s\nSize:       [\d,]+ bytes( \([\d.]+ KiB\))?\n",
        text,
    )


def test_other_views(folder, capfd):
    newest = entries(folder)[0]
    lines = output_of(capfd, "ls").splitlines()
    assert lines[0].startswith(newest.key[:12]) and lines[0].endswith(f"second {newest.target}")
    assert lines[-1].startswith(f"{len(lines) - 1} kernels, ") and str(folder) in lines[-1]
    assert f"File:       {newest.path}" in output_of(capfd, "show", newest.key[:8])
    assert output_of(capfd, "path") == f"{folder}\n"


def test_what_is_removed(folder, capfd):
    count = len(entries(folder))
    assert output_of(capfd, "gc").startswith(f"removed 0 kernels, {count} are left")
    assert output_of(capfd, "gc", "--max-bytes", "1").startswith(f"removed {count} kernels, 0 are left: 0 bytes")
    assert [path.name for path in folder.iterdir()] == ["notes.json"]
    (folder / "a.image").write_bytes(b"?")
    (folder / "a.note").write_text("no json")
    assert entries(folder)[0].kernel is None and "Kernel:     unknown" in describe(entries(folder)[0])
    assert output_of(capfd, "clear") == f"removed 1 kernels from {folder}\n"
    assert [path.name for path in folder.iterdir()] == ["notes.json"] and clear(folder / "nowhere") == 0


def test_notes_that_say_nothing(tmp_path):
    (tmp_path / "b.image").write_bytes(b"1234")
    for note in ("[1]", '{"kernel": 3, "seconds": "long", "target": "cpu"}', '{"kernel'):
        (tmp_path / "b.note").write_text(note)
        (entry,) = entries(tmp_path)
        assert entry == Entry(tmp_path / "b.image", 4, entry.used, target="cpu" if "cpu" in note else None)


def test_mistakes(monkeypatch):
    def said(*arguments):
        ran = subprocess.run([sys.executable, "-m", "tilewright", "cache", *arguments], capture_output=True, text=True)
        assert ran.returncode != 0
        return ran.stderr

    assert "found '0', expected a number from 1" in said("gc", "--max-bytes=0")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "off")
    assert said("ls") == "tilewright: the cache is switched off; TILEWRIGHT_CACHE_DIR names a folder\n"
