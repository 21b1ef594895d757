# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x transposed."""

import numpy as np
import tilewright as ct

# Rows and columns of a tile by the bytes of an element: a row is read by many cache lines and written by one or two.
TILES = {1: (64, 256), 2: (32, 512), 4: (32, 512), 8: (64, 64)}
# For results that begin within a cache line, as NumPy's do: most lines of such tiles are whole. At least MANY of them.
LARGE_TILES = {2: (2048, 512), 4: (1024, 256)}
MANY = 16
LINE = 64  # bytes


@ct.kernel
def transpose_kernel(x, out, TILE_M: ct.Constant[int], TILE_N: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(m, n), shape=(TILE_M, TILE_N), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(n, m), tile=ct.transpose(tile))


def transpose(x, out=None, *, stream=None):
    """The matrix with rows and columns exchanged, copied."""
    rows, columns = x.shape
    if out is None:
        out = np.empty((columns, rows), x.dtype)
    tile_m, tile_n = TILES[x.dtype.itemsize]
    large_m, large_n = LARGE_TILES.get(x.dtype.itemsize, (rows, columns))
    if isinstance(out, np.ndarray) and out.ctypes.data % LINE and (rows // large_m) * (columns // large_n) >= MANY:
        tile_m, tile_n = large_m, large_n
    grid = (ct.cdiv(rows, tile_m), ct.cdiv(columns, tile_n))
    ct.launch(stream, grid, transpose_kernel, (x, out, tile_m, tile_n))
    return out
