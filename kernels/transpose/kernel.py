# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x transposed."""

import numpy as np
import tilewright as ct

# Rows and columns of a tile by the bytes of an element: a row is read by whole cache lines and written by one or more.
TILES = {1: (64, 256), 2: (64, 256), 4: (64, 256), 8: (64, 64)}
# Of results that begin within a cache line, as NumPy's do, most lines of high tiles are whole. They have to fill the
# matrix: 4160x4160 of f32 takes ten times as long in tiles of 1024x64. At least MANY of them.
LOWEST, HIGHEST, HIGH_COLUMNS = 256, 1024, 64
MANY = 16
LINE = 64  # bytes


@ct.kernel
def transpose_kernel(x, out, TILE_M: ct.Constant[int], TILE_N: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(m, n), shape=(TILE_M, TILE_N), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(n, m), tile=ct.transpose(tile))


def tile_for(x, out):
    rows, columns = x.shape
    height = min(HIGHEST, rows & -rows)  # a power of two that divides the rows
    if isinstance(out, np.ndarray) and out.ctypes.data % LINE and height >= LOWEST and columns % HIGH_COLUMNS == 0:
        if (rows // height) * (columns // HIGH_COLUMNS) >= MANY:
            return height, HIGH_COLUMNS
    return TILES[x.dtype.itemsize]


def transpose(x, out=None, *, stream=None):
    """The matrix with rows and columns exchanged, copied."""
    rows, columns = x.shape
    if out is None:
        out = np.empty((columns, rows), x.dtype)
    tile_m, tile_n = tile_for(x, out)
    grid = (ct.cdiv(rows, tile_m), ct.cdiv(columns, tile_n))
    ct.launch(stream, grid, transpose_kernel, (x, out, tile_m, tile_n))
    return out
