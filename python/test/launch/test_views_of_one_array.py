# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are views of one array: those with equal extents and strides share them in the code."""

from typing import Annotated

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from tilewright._runtime.dispatch import make_launcher


@ct.kernel
def add(x, y, out, TILE: ct.Constant):
    at = (ct.bid(1), ct.bid(0))
    ct.store(out, at, ct.load(x, at, TILE) + ct.load(y, at, TILE))


@ct.kernel
def add_wide(x, y: Annotated[ct.Array, ct.ArrayAnnotation(index_dtype=ct.int64)], out, TILE: ct.Constant):
    at = (ct.bid(1), ct.bid(0))
    ct.store(out, at, ct.load(x, at, TILE) + ct.load(y, at, TILE))


def numbers(rows, columns):
    return np.random.default_rng(1).integers(-99, 99, (rows, columns)).astype(np.float32)


@pytest.mark.parametrize("kernel", [add, add_wide])
@pytest.mark.parametrize("mode", ["", "TILEWRIGHT_INTERPRET", "TILEWRIGHT_CHECK"])
def test_views_are_added(kernel, mode, monkeypatch):
    if mode:
        monkeypatch.setenv(mode, "1")
    x = numbers(21, 90)
    pairs = {
        "alike": (x[:-1, :-3], x[1:, 3:]),
        "neighbours": (x[:, :-3], x[:, 3:]),
        "neighbours the other way": (x[2:, 1:], x[2:, :-1]),
        "columns": (x.T[:-1], x.T[1:]),
        "as far apart as their rows are long": (x[:, 80:85], x[:, 85:]),
        "of other extents": (x[:-1, :-3], x[1:]),
        "of other strides": (x[:10, :40], x[::2, :40]),
        "apart": (x[:10], x[11:]),
    }
    for a, b in pairs.values():
        rows, columns = np.minimum(a.shape, b.shape)
        out = np.zeros((rows, columns), np.float32)
        ct.launch(None, (-(-columns // 32), -(-rows // 4)), kernel.replace_hints(), (a, b, out, (4, 32)))
        np.testing.assert_array_equal(out, a[:rows, :columns] + b[:rows, :columns])


def test_views_that_share_no_memory_are_not_alike():
    launcher = make_launcher(add)
    x, out = numbers(8, 64), np.zeros((8, 64), np.float32)
    for a, b in ((x, x.copy()), (x[:4], x[4:]), (x[:4, :32], x[:4])):
        launcher((2, 2), (a, b, out[: len(a), : min(a.shape[1], b.shape[1])], (4, 32)))
    assert launcher.num_specializations == 1
    launcher((2, 2), (x[:-1], x[1:], out[:-1], (4, 32)))
    assert launcher.num_specializations == 2
    np.testing.assert_array_equal(out[:-1], x[:-1] + x[1:])


def test_neighbours_have_a_known_distance():
    launcher = make_launcher(add)
    x, out = numbers(8, 90), np.zeros((8, 90), np.float32)
    far, three, two, back = (x[:, :-17], x[:, 17:]), (x[:, :-3], x[:, 3:]), (x[:, :-2], x[:, 2:]), (x[:, 3:], x[:, :-3])
    for pair, count in ((far, 1), (three, 2), (two, 3), (back, 4), (three, 4), (two, 4)):
        launcher((3, 2), (*pair, out[:, : pair[0].shape[1]], (4, 32)))
        np.testing.assert_array_equal(out[:, : pair[0].shape[1]], pair[0] + pair[1])
        assert launcher.num_specializations == count


def test_the_neighbour_of_a_result_is_refused():
    x = numbers(8, 90)
    with pytest.raises(ValueError, match="'y' shares memory with argument 'out', but the kernel writes it"):
        ct.launch(None, (3, 2), add, (x[:, :-1].copy(), x[:, :-1], x[:, 1:], (4, 32)))


@ct.kernel
def add_neighbours(x, out, WIDTH: ct.Constant, TILE: ct.Constant):
    """out[r, c] = x[r, c] + x[r, c + 1] + ..., zero behind the end of a row."""
    rows = ct.bid(1) * TILE[0] + ct.arange(TILE[0], dtype=ct.int32)[:, None]
    columns = ct.bid(0) * TILE[1] + ct.arange(TILE[1], dtype=ct.int32)[None, :]
    total = ct.gather(x, (rows, columns))
    for i in ct.static_iter(range(1, WIDTH)):
        total = total + ct.gather(x, (rows, columns + i))
    ct.scatter(out, (rows, columns), total)


@pytest.mark.parametrize("dtype", ["int8", "int16", "bfloat16", "float16", "float32", "int32", "float64", "int64"])
@pytest.mark.parametrize("width", [3, 19])
def test_neighbours_are_added(dtype, width):
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    for shape in ((7, 300), (4, 256)):
        x, out = np.random.default_rng(width).integers(-3, 4, shape).astype(dtype), np.full(shape, 100, dtype)
        ct.launch(None, (-(-shape[1] // 64), -(-shape[0] // 4)), add_neighbours, (x, out, width, (4, 64)))
        padded = np.pad(x.astype(np.int64), ((0, 0), (0, width)))
        np.testing.assert_array_equal(out.astype(np.int64), sum(padded[:, i : i + shape[1]] for i in range(width)))
