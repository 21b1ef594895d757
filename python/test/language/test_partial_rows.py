# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that do not fill their tile: results are those of the whole tile with its padding, NaN and infinities too."""

import numpy as np
import pytest
import tilewright as ct

P = ct.PaddingMode
TILE = 1024
COLUMNS = [1, 15, 16, 200, 999, 1000, 1008, 1023, 1024]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3.0]


def rows_of(columns):
    """Random, one row of each special value, and one with each among others."""
    random = np.random.default_rng(columns)
    x = random.standard_normal((1 + 2 * len(SPECIAL), columns)).astype(np.float32)
    for i, value in enumerate(SPECIAL):
        x[1 + i] = value
        x[1 + len(SPECIAL) + i, random.integers(columns)] = value
    return x


def padded(x, value):
    return np.pad(x, ((0, 0), (0, TILE - x.shape[1])), constant_values=value)


@ct.kernel
def powers(x, out, sums, lowest):
    row = ct.bid(0)
    values = ct.load(x, (row, 0), (1, TILE), padding_mode=P.NEG_INF)
    e = ct.exp(values - ct.max(values, axis=1, keepdims=True))
    total = ct.sum(e, axis=1, keepdims=True)
    ct.store(sums, (row, 0), total)
    ct.store(lowest, (row, 0), ct.min(ct.load(x, (row, 0), (1, TILE), padding_mode=P.ZERO), axis=1, keepdims=True))
    ct.store(out, (row, 0), e / total)


@pytest.mark.parametrize("columns", COLUMNS)
def test_powers(columns):
    x = rows_of(columns)
    out, sums, lowest = np.empty_like(x), np.empty((len(x), 1), np.float32), np.empty((len(x), 1), np.float32)
    ct.launch(None, (len(x),), powers, (x, out, sums, lowest))
    with np.errstate(all="ignore"):
        whole = padded(x, -np.inf)
        e = np.exp(whole - np.fmax.reduce(whole, axis=1, keepdims=True))
        total = e.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(sums, total, rtol=1e-5)
        np.testing.assert_allclose(out, (e / total)[:, :columns], rtol=1e-5)
    np.testing.assert_array_equal(lowest, np.fmin.reduce(padded(x, 0), axis=1, keepdims=True))


@ct.kernel
def distances(x, weight, out, squares, count: int):
    row = ct.bid(0)
    values = ct.load(x, (row, 0), (2, TILE), padding_mode=P.ZERO)
    inside = ct.arange(TILE, dtype=ct.int32)[None, :] < count
    d = ct.where(inside, values - 0.5, 0.0)
    w = ct.load(weight, (0,), (TILE,), padding_mode=P.ZERO)
    ct.store(squares, (row, 0), ct.sum(d * d, axis=1, keepdims=True))
    ct.store(out, (row, 0), (values - 0.5) * w[None, :])


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("more", [-3, 0, 5, 2000])
def test_distances(columns, more):
    """More columns are inside of the bound than of the array, or fewer; the last tile has one row."""
    x, count = rows_of(columns), columns + more
    weight = np.random.default_rng(1).standard_normal(columns // 2 + 1).astype(np.float32)
    out, squares = np.zeros((len(x), columns + 7), np.float32), np.empty((len(x), 1), np.float32)
    ct.launch(None, (ct.cdiv(len(x), 2),), distances, (x, weight, out, squares, count))
    with np.errstate(all="ignore"):
        d = np.where(np.arange(TILE) < count, padded(x, 0) - np.float32(0.5), 0)
        np.testing.assert_allclose(squares, (d * d).sum(axis=1, keepdims=True), rtol=1e-5)
        expected = (padded(x, 0) - np.float32(0.5)) * np.pad(weight, (0, TILE - len(weight)))
        np.testing.assert_allclose(out, np.pad(expected, ((0, 0), (0, 7)))[:, : columns + 7])


@ct.kernel
def sum_rows(x, out, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    tile = ct.load(x, index=(ct.bid(0), 0, ct.bid(1)), shape=(1, ROWS, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(ct.bid(0), ct.bid(1)), tile=ct.sum(tile, axis=1))


@pytest.mark.parametrize("rows", [1, 3, 4])
@pytest.mark.parametrize("columns", [1000, 1024, 1500])
def test_rows_that_are_reduced_and_stick_out(rows, columns):
    """The lanes run along the columns, and the rows are reduced inside of their loop."""
    x = np.random.default_rng(0).integers(-9, 9, (3, rows, columns)).astype(np.float32)
    out = np.zeros((3, columns), np.float32)
    ct.launch(None, (3, -(-columns // 1024)), sum_rows, (x, out, 4, 1024))
    assert (out == x.sum(1)).all()
