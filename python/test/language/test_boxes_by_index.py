# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses by index whose elements are boxes, which compile to accesses of views, against NumPy: bounds at both ends,
several bounds of one index, narrow and negative indices, arrays that are written where they were read."""

import numpy as np
import pytest
import tilewright as ct

ConstInt = ct.Constant[int]
X = np.arange(1, 24 * 50 + 1, dtype=np.float32).reshape(24, 50)


def padded(rows, columns, padding=0.0):
    """The elements of X at those indices, the padding outside."""
    rows, columns = np.broadcast_arrays(rows, columns)
    inside = (rows >= 0) & (rows < X.shape[0]) & (columns >= 0) & (columns < X.shape[1])
    return np.where(inside, X[rows.clip(0, X.shape[0] - 1), columns.clip(0, X.shape[1] - 1)], np.float32(padding))


@ct.kernel
def read_row(x, out, row: int, start: int, TILE: ConstInt):
    at = ct.arange(TILE, dtype=ct.int32) + start
    ct.store(out, (0,), ct.gather(x, (row, at), padding_value=-float("inf")))


@pytest.mark.parametrize("start", [0, -5, 20, 49, 50, -64, 2**31 - 8, -(2**31)])
@pytest.mark.parametrize("row", [0, 23, 24, -1, 2**31 - 1])
def test_part_of_a_row(row, start):
    out = np.zeros(64, np.float32)
    ct.launch(None, (1,), read_row, (X, out, row, start, 64))
    columns = (np.arange(64) + start + 2**31) % 2**32 - 2**31
    np.testing.assert_array_equal(out, padded(row, columns, -np.inf))


@ct.kernel
def read_narrow(x, out, TILE: ConstInt):
    at = ct.arange(TILE, dtype=ct.int8) + ct.full((TILE,), 100, dtype=ct.int8)
    ct.store(out, (0,), ct.gather(x, (1, at)))


def test_index_that_wraps_around():
    out = np.zeros(64, np.float32)
    ct.launch(None, (1,), read_narrow, (X, out, 64))
    np.testing.assert_array_equal(out, padded(1, (np.arange(64) + 100).astype(np.int8)))


@ct.kernel
def read_box(x, out, first: int, rows: int, HALF: ConstInt):
    row = ct.arange(8, dtype=ct.int32)[:, None]
    at = ct.arange(32, dtype=ct.int32)[None, :]
    ct.store(out, (0, 0), ct.gather(x, (row + first, at + HALF), mask=(row < rows) & (at < HALF)))


@pytest.mark.parametrize(
    "first, rows, half", [(0, 8, 20), (20, 8, 20), (3, 5, 40), (-2, 8, 25), (3, 0, 25), (3, -1, 9)]
)
def test_box_with_two_bounds_of_an_index(first, rows, half):
    out = np.zeros((8, 32), np.float32)
    ct.launch(None, (1,), read_box, (X, out, first, rows, half))
    row, column = np.arange(8)[:, None], np.arange(32)[None, :]
    expected = np.where((row < rows) & (column < half), padded(row + first, column + half), 0)
    np.testing.assert_array_equal(out, expected)


@ct.kernel
def write_rows(x, out, TILE: ConstInt, MOST: ConstInt):
    row, at = ct.bid(0), ct.bid(1) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(out, (row, at), ct.gather(x, (row, at)) * 2, mask=at < MOST)


@pytest.mark.parametrize("most", [0, 7, 45, 50, 80])
def test_written_rows(most):
    out = np.zeros((26, 60), np.float32)
    ct.launch(None, (30, 4), write_rows, (X, out[1:25, 4:54], 16, most))
    expected = np.zeros_like(out)
    expected[1:25, 4 : 4 + min(most, 50)] = 2 * X[:, :most]
    np.testing.assert_array_equal(out, expected)


@ct.kernel
def exchange_halves(x, HALF: ConstInt):
    row, at = ct.bid(0), ct.arange(HALF, dtype=ct.int32)
    first, second = ct.gather(x, (row, at)), ct.gather(x, (row, at + HALF))
    ct.scatter(x, (row, at), second)
    ct.scatter(x, (row, at + HALF), first)


def test_written_where_it_was_read():
    x = X[:, :32].copy()
    ct.launch(None, (24,), exchange_halves, (x, 16))
    np.testing.assert_array_equal(x, np.roll(X[:, :32], 16, axis=1))


@ct.kernel
def read_padded(x, out, TILE: ConstInt, PADDING: ct.Constant[float]):
    ct.store(out, (0,), ct.gather(x, (2, ct.arange(TILE, dtype=ct.int32)), padding_value=PADDING))


@pytest.mark.parametrize("padding", [0.0, 1.5, float("inf"), float("nan"), -0.0])
def test_padding(padding):
    out = np.zeros(64, np.float32)
    ct.launch(None, (1,), read_padded, (X, out, 64, padding))
    np.testing.assert_array_equal(out, padded(2, np.arange(64), padding))
    assert np.signbit(out[63]) == np.signbit(padding)


@ct.kernel
def sum_in_a_loop(x, out, TILE: ConstInt):
    at = ct.arange(TILE, dtype=ct.int32)
    total = ct.zeros((TILE,), ct.float32)
    for row in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
        total += ct.gather(x, (row, at), mask=at < x.shape[1] - 10)
    ct.scatter(out, (ct.bid(0), at), total)


def test_rows_of_a_grid_that_stays():
    out = np.zeros((5, 50), np.float32)
    ct.launch(None, (5,), sum_in_a_loop, (X, out, 64))
    expected = np.stack([X[block::5].sum(axis=0) for block in range(5)])
    expected[:, 40:] = 0
    np.testing.assert_allclose(out, expected)
