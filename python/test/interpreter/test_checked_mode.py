# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checked mode from Python and from the command line; what it finds is tested in src/interpreter/check."""

import inspect

import numpy as np
import pytest
import tilewright as ct
from tilewright import TileCheckError
from tilewright.__main__ import main


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "1")


def line_of(kernel, text):
    """The number of a line of a kernel's source."""
    lines, first = inspect.getsourcelines(kernel.function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def report_of(kernel, grid, *args):
    with pytest.raises(TileCheckError) as error:
        kernel[grid](*args)
    return str(error.value)


@ct.kernel
def clean(x, y, n: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0),), shape=(n,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(ct.bid(0),), tile=tile * 2)


def test_what_is_right_runs():
    x, y = np.arange(100, dtype=np.float32), np.empty(100, np.float32)
    clean[7](x, y, 16)
    np.testing.assert_array_equal(y, 2 * x)


@ct.kernel
def in_place(x):
    tile = ct.load(x, index=(ct.bid(0),), shape=(16,))
    total = ct.sum(tile)
    ct.store(x, index=(0,), tile=ct.full((16,), total, ct.float32))


def test_races_name_both_lines():
    report = report_of(in_place, 2, np.ones(32, np.float32))
    load, store = line_of(in_place, "ct.load"), line_of(in_place, "ct.store")
    file = inspect.getsourcefile(in_place.function)
    assert (
        f"{file}:{store}:5: error: data race: this store touches x[0] in block (0, 0, 0) and in block (1, 0, 0)"
        in report
    )
    assert "    ct.store(x, index=(0,), tile=ct.full((16,), total, ct.float32))\n    ^\n" in report
    assert report.endswith("checked mode: 1 finding\n"), (load, report)


@ct.kernel
def hangs_over(x, y):
    tile = ct.load(x, index=(ct.bid(0),), shape=(16,))
    ct.store(y, index=(ct.bid(0),), tile=tile + 1)


def test_undefined_padding_matters_where_it_is_stored():
    x = np.ones(20, np.float32)
    hangs_over[2](x, np.empty(20, np.float32))  # clipped at the same place
    report = report_of(hangs_over, 2, x, np.empty(32, np.float32))
    assert "element [4] of the stored value is undefined, in block (1, 0, 0)" in report
    assert f":{line_of(hangs_over, 'ct.load')}:12: note: undefined since here: a load beyond the tensor" in report


@ct.kernel
def unchecked_gather(x, indices, y):
    where = ct.load(indices, index=(0,), shape=(4,))
    ct.store(y, index=(0,), tile=ct.gather(x, where, check_bounds=False))


def test_accesses_outside_name_the_array():
    x, y = np.arange(8, dtype=np.float32), np.empty(4, np.float32)
    unchecked_gather[1](x, np.array([0, 7, 3, 3], np.int32), y)
    np.testing.assert_array_equal(y, [0, 7, 3, 3])
    report = report_of(unchecked_gather, 1, x, np.array([0, 8, 3, -1], np.int32), y)
    assert "this load reads x[8], but x has 8 elements, in block (0, 0, 0)" in report
    assert "found 2 times; this is the first" in report


# Columns of a larger matrix: memory between the rows does not belong to the kernel.
def test_parts_of_arrays():
    base = np.arange(64, dtype=np.float32).reshape(8, 8)
    part = base[:, :4]
    y = np.empty(4, np.float32)

    @ct.kernel
    def first_row(x, y):
        ct.store(y, index=(0,), tile=ct.reshape(ct.load(x, index=(0, 0), shape=(1, 4)), (4,)))

    first_row[1](part, y)
    np.testing.assert_array_equal(y, [0, 1, 2, 3])


RACE = """cuda_tile.module @m { entry @k(%a: tile<ptr<i32>>) {
  %one = constant <i32: 1> : tile<i32>
  %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
  %v, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
  return
} }
"""


def test_command_line(tmp_path, capfd, monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_CHECK")
    path = tmp_path / "k.mlir"
    path.write_text(RACE)
    assert main(["run", str(path), "--arg", "zeros:4", "--interpret"]) == 0
    capfd.readouterr()
    assert main(["run", str(path), "--arg", "zeros:4", "--check"]) == 3
    captured = capfd.readouterr()
    assert captured.out == ""
    assert (
        captured.err
        == f"""\
{path}:4:12: error: data race: this load in block (0, 0, 0) and a store touch %arg0[0]; no token orders one after the \
other
  %v, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
           ^
{path}:3:8: note: the store, in block (0, 0, 0)
  %t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
       ^
checked mode: 1 finding
"""
    )


def test_failed_asserts_are_said_too():
    @ct.kernel
    def both(x):
        ct.store(x, index=(0,), tile=ct.full((4,), 1.0, ct.float32))
        ct.assert_(ct.bid(0) < 1, "too many blocks")

    report = report_of(both, 2, np.empty(4, np.float32))
    assert "data race: this store touches x[0] in block (0, 0, 0) and in block (1, 0, 0)" in report
    assert report.endswith("the launch ended at an assert that failed: too many blocks\n")
