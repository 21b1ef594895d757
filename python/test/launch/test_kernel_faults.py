# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that accesses memory which is not there raises, and the process goes on."""

import subprocess
import sys

import numpy as np
import pytest
import tilewright as ct

WILD = """
cuda_tile.module @kernels {
  entry @wild(%out: tile<ptr<i32>>, %bad: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %is_bad = cmpi equal %x, %bad, signed : tile<i32> -> tile<i1>
    %far = constant <i64: 0x7fff00000000000> : tile<i64>
    %near = constant <i64: 0> : tile<i64>
    %chosen = select %is_bad, %far, %near : tile<i1>, tile<i64>
    %pointer = offset %out, %chosen : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %pointer, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


def test_a_wild_access_is_an_error_and_the_next_launch_runs():
    wild = ct.load_module(WILD.encode()).wild
    out = np.zeros(1, np.int32)
    for blocks, bad in ((1, 0), (1000, 700), (1000, 0)):
        with pytest.raises(ct.TileFaultError, match=r"wild accessed memory at 0x\w+, which it may not, in .*block"):
            wild[blocks](out, bad)
        wild[blocks](out, -1)


def test_the_interpreter_names_the_line(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_INTERPRET", "1")
    wild = ct.load_module(WILD.encode()).wild
    out = np.zeros(1, np.int32)
    for blocks, bad in ((1, 0), (100, 70)):
        place = rf"10:10: error: access to address 0x\w+, .* in block \({bad}, 0, 0\)"
        with pytest.raises(ct.TileInterpreterError, match=place):
            wild[blocks](out, bad)
        wild[blocks](out, -1)


def test_a_crash_of_the_program_is_not_ours(tmp_path):
    """The handler that was there before gets it, and the process ends by its signal."""
    script = """
import ctypes, faulthandler, sys
import numpy as np
import tilewright as ct
@ct.kernel
def nothing(a):
    ct.store(a, (0,), ct.load(a, (0,), (4,)))
if sys.argv[1] == "before":
    faulthandler.enable()
nothing[1](np.zeros(4, np.float32))
if sys.argv[1] == "after":
    faulthandler.enable()
ctypes.string_at(8)
"""
    path = tmp_path / "crashing.py"
    path.write_text(script)
    for when in "before", "after", "never":
        done = subprocess.run([sys.executable, str(path), when], capture_output=True, text=True)
        assert done.returncode == -11, done.stderr
        assert ("Fatal Python error: Segmentation fault" in done.stderr) == (when != "never")
