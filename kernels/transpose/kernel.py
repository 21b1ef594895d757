# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x transposed."""

import numpy as np
import tilewright as ct

# Rows and columns of a tile by the bytes of an element: a row is read by whole cache lines and written by one or more.
TILES = {1: (64, 256), 2: (64, 256), 4: (64, 256), 8: (64, 64)}
# Of results that begin within a cache line, as NumPy's do, and whose rows are whole lines, most lines of high tiles are
# whole: as high as fits the rows, or REACHING beyond them. There are at least so many of either.
LOWEST, HIGHEST, REACHING, HIGH_COLUMNS = 256, 1024, 512, 64
MANY, MANY_REACHING = 16, 100
LINE = 64  # bytes


@ct.kernel
def transpose_kernel(x, out, TILE_M: ct.Constant[int], TILE_N: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(m, n), shape=(TILE_M, TILE_N), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(n, m), tile=ct.transpose(tile))


def tile_for(x, out):
    (rows, columns), size = x.shape, x.dtype.itemsize
    if isinstance(out, np.ndarray) and out.ctypes.data % LINE and rows * size % LINE == 0:
        fitting = min(HIGHEST, rows & -rows)  # a power of two that divides the rows
        height, least = (fitting, MANY) if fitting >= LOWEST else (REACHING, MANY_REACHING)
        if (rows // height) * (columns // HIGH_COLUMNS) >= least and (height == fitting or size > 1):
            return height, HIGH_COLUMNS
    return TILES[size]


def transpose(x, out=None, *, stream=None):
    """The matrix with rows and columns exchanged, copied."""
    rows, columns = x.shape
    if out is None:
        out = np.empty((columns, rows), x.dtype)
    tile_m, tile_n = tile_for(x, out)
    grid = (ct.cdiv(rows, tile_m), ct.cdiv(columns, tile_n))
    ct.launch(stream, grid, transpose_kernel, (x, out, tile_m, tile_n))
    return out
