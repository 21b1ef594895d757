# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x transposed."""

import numpy as np
import tilewright as ct

TILE_M, TILE_N = 64, 64


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
    grid = (ct.cdiv(rows, TILE_M), ct.cdiv(columns, TILE_N))
    ct.launch(stream, grid, transpose_kernel, (x, out, TILE_M, TILE_N))
    return out
