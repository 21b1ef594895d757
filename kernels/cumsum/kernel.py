# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r, c] = x[r, 0] + ... + x[r, c]."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096


@ct.kernel
def cumsum_kernel(x, out, TILE: ct.Constant[int]):
    """One block per row, the whole row in one tile, summed in f32."""
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
    sums = ct.cumsum(ct.astype(values, wide(x.dtype)), axis=1)
    ct.store(out, index=(row, 0), tile=ct.astype(sums, out.dtype))


@ct.kernel
def cumsum_chunked_kernel(x, out, TILE: ct.Constant[int]):
    """One block per row of any length: the last sum of a chunk is added to the sums of the next."""
    row = ct.bid(0)
    before = ct.zeros((1, 1), dtype=wide(x.dtype))
    for c in range(ct.cdiv(x.shape[1], TILE)):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        sums = before + ct.cumsum(ct.astype(values, wide(x.dtype)), axis=1)
        ct.store(out, index=(row, c), tile=ct.astype(sums, out.dtype))
        before = ct.extract(sums, index=(0, TILE - 1), shape=(1, 1))


def cumsum(x, out=None, *, stream=None):
    """The running sums of every row of a matrix of floats, formed in f32; of x's dtype unless `out` has another."""
    rows, columns = x.shape
    if out is None:
        out = np.empty_like(x)
    if columns <= LONGEST_ROW:
        tile = power_of_two(columns)
        ct.launch(stream, (rows,), cumsum_kernel, (x, out, tile))
    else:
        ct.launch(stream, (rows,), cumsum_chunked_kernel, (x, out, CHUNK))
    return out
