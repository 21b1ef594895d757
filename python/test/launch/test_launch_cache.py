# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The caches of compiled kernels."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright._runtime import cache, dispatch

SCRIPT = """
import numpy as np
import tilewright as ct
from tilewright._runtime import dispatch

@ct.kernel
def triple(a, out):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (16,)) * 3)

a, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
triple[2](a, out)
assert np.array_equal(out, a * 3)
code, _ = dispatch.compile_kernel(triple, triple._launcher.specs((a, out)))
"""

MODULE = """
llvm.func @nothing(%args: !llvm.ptr, %x: i64, %y: i64, %z: i64, %first: i64, %last: i64, %scratch: !llvm.ptr,
                   %context: !llvm.ptr) attributes {{cpu.scratch_bytes = {bytes} : i64}} {{
  llvm.return
}}
"""


def module(number):
    """Text of a module that no other test compiles."""
    return MODULE.format(bytes=64 * number)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(SCRIPT)

    def run(cache_dir, wait=True):
        process = subprocess.Popen(
            [sys.executable, str(path)],
            env=os.environ | {"TILEWRIGHT_CACHE_DIR": str(cache_dir)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return process if not wait else (*process.communicate(), process.returncode)

    return run


def images(folder):
    return sorted(p for p in folder.iterdir() if p.suffix == ".image")


def test_another_process_finds_the_code(script, tmp_path):
    folder = tmp_path / "cache"
    assert script(folder)[2] == 0
    (image,) = images(folder)
    written = image.read_bytes()
    out, err, status = script(folder)
    assert (out, err, status) == ("", "", 0)
    assert images(folder) == [image] and image.read_bytes() == written


def test_processes_that_start_together(script, tmp_path):
    folder = tmp_path / "cache"
    results = [(*p.communicate(), p.returncode) for p in [script(folder, wait=False) for _ in range(4)]]
    assert results == [("", "", 0)] * 4
    assert len(images(folder)) == 1 and len(list(folder.iterdir())) == 2  # and the note of the kernel


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-7], lambda b: b"", lambda b: b"x" + b[1:], lambda b: b[:400] + b"\0\1\2" + b[403:]]
)
def test_a_broken_file_is_ignored_with_one_warning(script, tmp_path, damage):
    folder = tmp_path / "cache"
    script(folder)
    (image,) = images(folder)
    good = image.read_bytes()
    image.write_bytes(damage(good))
    _out, err, status = script(folder)
    assert status == 0 and err.count("RuntimeWarning") == 1 and "is ignored" in err
    assert image.read_bytes() == good  # written again
    assert script(folder)[1] == ""


def test_an_unwritable_folder_is_ignored_with_one_warning(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    disk = _native.Cache(str(blocked / "cache"), 1 << 20)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for number in (1, 2, 3):
            assert _native.compile(module(number), entry="nothing", cache=disk).origin == "compiled"
    assert len(seen) == 1 and "is ignored" in str(seen[0].message)


def test_origins(tmp_path):
    folder = str(tmp_path / "cache")
    code = _native.compile(module(10), entry="nothing", cache=_native.Cache(folder, 1 << 20))
    assert code.origin == "compiled" and code.scratch_bytes == 640
    assert _native.compile(module(10), entry="nothing").origin == "memory"
    del code
    again = _native.compile(module(10), entry="nothing", cache=_native.Cache(folder, 1 << 20))
    assert again.origin == "disk" and again.scratch_bytes == 640
    # Another machine, another level: other code.
    del again
    for options in ({"target": "cpu:x86-64-v2"}, {"opt_level": 0}):
        assert (
            _native.compile(module(10), entry="nothing", cache=_native.Cache(folder, 1 << 20), **options).origin
            == "compiled"
        )


def test_the_environment_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("TILEWRIGHT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == str(tmp_path / "tilewright")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "/somewhere")
    assert cache.folder() == "/somewhere"
    for off in ("0", "off", "none", ""):
        monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", off)
        assert cache.folder() is None and cache.current() is None
    monkeypatch.setenv("TILEWRIGHT_CACHE_SIZE", "12345")
    assert cache.max_bytes() == 12345


def test_a_comment_above_a_kernel_changes_nothing(tmp_path):
    def identity(lines):
        source = (
            "import tilewright as ct\n"
            + "# note\n" * lines
            + "@ct.kernel\ndef k(a):\n    ct.store(a, (ct.bid(0),), ct.zeros((16,), ct.float32))\n"
        )
        path = tmp_path / f"k{lines}.py"
        path.write_text(source)
        scope = {"__name__": f"k{lines}"}
        exec(compile(source, str(path), "exec"), scope)
        array = np.zeros(16, np.float32)
        return scope["k"], dispatch.make_launcher(scope["k"]).specs((array,))

    first, again = (dispatch.compile_kernel(*identity(lines))[0] for lines in (0, 3))
    assert again.origin == "memory"
    assert first.name == again.name


def test_a_compiler_error_is_an_exception():
    with pytest.raises(ct.TileCompilerExecutionError, match="error"):
        _native.compile("llvm.func @broken(", entry="broken")
    with pytest.raises(ValueError, match="unknown target 'gpu', expected cpu"):
        _native.compile(module(11), target="gpu", entry="nothing")
    with pytest.raises(ValueError, match="no entry 'other'"):
        _native.compile(module(11), entry="other")
