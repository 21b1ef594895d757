# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose neighbouring blocks share a body on a CPU, in grids of every remainder."""

import numpy as np
import pytest
import tilewright as ct
from tilewright import PaddingMode

Int = ct.Constant[int]
GRIDS = (1, 7, 8, 15, 16, 17, 33, 48)


def numbers(*shape):
    return np.random.default_rng(3).integers(-8, 8, shape).astype(np.float32)


@ct.kernel
def normalize(x, w, out, COLUMNS: Int):
    row = ct.bid(0)
    values = ct.load(x, (row, 0), (1, COLUMNS), padding_mode=PaddingMode.ZERO)
    scale = 1.0 + ct.sum(values * values, axis=1, keepdims=True)
    weight = ct.load(w, (0,), (COLUMNS,), padding_mode=PaddingMode.ZERO)
    ct.store(out, (row, 0), values / scale * weight[None, :])


@pytest.mark.parametrize("columns", (8, 11, 64))
@pytest.mark.parametrize("rows", GRIDS)
def test_rows_and_what_they_share(rows, columns):
    x, w = numbers(rows, columns), numbers(columns)
    out = np.full_like(x, 99)
    ct.launch(None, (rows,), normalize, (x, w, out, 1 << (columns - 1).bit_length()))
    np.testing.assert_allclose(out, x / (1 + (x * x).sum(1, keepdims=True)) * w, rtol=1e-6)


def test_blocks_beyond_the_array():
    """The grid is larger than the array: the last rows are not there."""
    x, w, out = numbers(21, 12), numbers(12), np.full((40, 12), 99, np.float32)
    ct.launch(None, (37,), normalize, (x, w, out[:25], 16))
    expected = x / (1 + (x * x).sum(1, keepdims=True)) * w
    np.testing.assert_allclose(out[:21], expected, rtol=1e-6)
    assert (out[21:25] == 0).all() and (out[25:] == 99).all()


@ct.kernel
def by_index(x, out, highest, COLUMNS: Int):
    """A row without a dimension for the block, a scalar of all of it, and a scalar that is stored."""
    row = ct.bid(0)
    columns = ct.arange(COLUMNS, dtype=ct.int32)
    values = ct.gather(x, (row, columns), padding_value=0)
    total = ct.sum(values)
    ct.scatter(highest, row, ct.max(values))
    ct.scatter(out, (row, columns), values * total + (row * 100 + columns))


@pytest.mark.parametrize("rows", GRIDS)
def test_rows_by_index(rows):
    x = numbers(rows, 13)
    out, highest = np.zeros_like(x), np.full(rows, 99, np.float32)
    ct.launch(None, (rows,), by_index, (x, out, highest, 16))
    expected = x * x.sum(1, keepdims=True) + np.arange(rows)[:, None] * 100 + np.arange(13)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(highest, np.maximum(x.max(1), 0))


@ct.kernel
def scaled_by_element(x, scales, out):
    """A scalar of each block from memory, and the number of the block as a float."""
    row = ct.bid(0)
    scale = ct.load(scales, (row,), ()) * ct.astype(row, ct.float32)
    ct.store(out, (row, 0), ct.load(x, (row, 0), (1, 8)) * scale)


@pytest.mark.parametrize("rows", GRIDS)
def test_scalars_of_blocks(rows):
    x, scales = numbers(rows, 8), numbers(rows)
    out = np.zeros_like(x)
    ct.launch(None, (rows,), scaled_by_element, (x, scales, out))
    np.testing.assert_array_equal(out, x * (scales * np.arange(rows))[:, None])


@ct.kernel
def pieces(x, out, n: int, TILE: Int):
    block = ct.bid(0)
    places = block * TILE + ct.arange(TILE, dtype=ct.int32)
    values = ct.load(x, (block,), (TILE,), padding_mode=PaddingMode.ZERO)
    ct.store(out, (block,), ct.where(places % 3 == 0, values, ct.astype(n - places, ct.float32)))


@pytest.mark.parametrize("tile", (1, 4, 8))
@pytest.mark.parametrize("n", (5, 64, 131, 300))
def test_pieces_of_a_vector(n, tile):
    x = numbers(n)
    out = np.zeros_like(x)
    ct.launch(None, (-(-n // tile),), pieces, (x, out, n, tile))
    places = np.arange(n)
    np.testing.assert_array_equal(out, np.where(places % 3 == 0, x, n - places))


@ct.kernel
def rows_of_planes(x, out):
    """The grid has more dimensions: neighbours along x end with it."""
    row, column, plane = ct.bid(0), ct.bid(1), ct.bid(2)
    tile = ct.load(x, (plane, row, column), (1, 2, 4), padding_mode=PaddingMode.ZERO)
    ct.store(out, (plane, row, column), tile + ct.sum(tile, axis=2, keepdims=True) * (row + 10 * column + 100 * plane))


@pytest.mark.parametrize("shape", ((2, 34, 8), (3, 15, 4), (1, 66, 9)))
def test_grids_of_three_dimensions(shape):
    x = numbers(*shape)
    out = np.zeros_like(x)
    grid = (-(-shape[1] // 2), -(-shape[2] // 4), shape[0])
    ct.launch(None, grid, rows_of_planes, (x, out))
    expected = np.zeros_like(x)
    for column in range(grid[1]):
        part = np.s_[:, :, 4 * column : 4 * column + 4]
        factor = np.arange(shape[1])[:, None] // 2 + 10 * column + 100 * np.arange(shape[0])[:, None, None]
        expected[part] = x[part] + x[part].sum(2, keepdims=True) * factor
    np.testing.assert_array_equal(out, expected)


@ct.kernel
def in_place(x):
    """A part of the row is changed, and then copied to the other part."""
    row = ct.bid(0)
    before = ct.load(x, (row, 0), (1, 8))
    ct.store(x, (row, 0), before - ct.max(before, axis=1, keepdims=True))
    ct.store(x, (row, 1), ct.load(x, (row, 0), (1, 8)) * 2)


@pytest.mark.parametrize("rows", GRIDS)
def test_rows_in_place(rows):
    x = numbers(rows, 16)
    lowered = x[:, :8] - x[:, :8].max(1, keepdims=True)
    ct.launch(None, (rows,), in_place, (x,))
    np.testing.assert_array_equal(x, np.concatenate([lowered, lowered * 2], 1))


@ct.kernel
def three_rows(x, out, TILE: Int):
    row = ct.bid(0)
    above = ct.gather(x, (row - 1, ct.arange(TILE, dtype=ct.int32)), padding_value=5)
    here = ct.gather(x, (row, ct.arange(TILE, dtype=ct.int32)), padding_value=5)
    below = ct.gather(x, (row + 1, ct.arange(TILE, dtype=ct.int32)), padding_value=5)
    ct.scatter(out, (row, ct.arange(TILE, dtype=ct.int32)), above + below - 2 * here)


@pytest.mark.parametrize("rows", GRIDS)
def test_rows_of_a_stencil(rows):
    x = numbers(rows, 14)
    out = np.zeros_like(x)
    ct.launch(None, (rows,), three_rows, (x, out, 16))
    padded = np.pad(x, ((1, 1), (0, 0)), constant_values=5)
    np.testing.assert_array_equal(out, padded[:-2] + padded[2:] - 2 * x)
