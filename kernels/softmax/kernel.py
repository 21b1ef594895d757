# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r, :] = exp(x[r, :] - max(x[r, :])) / sum(exp(x[r, :] - max(x[r, :])))."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096


@ct.kernel
def softmax_kernel(x, out, TILE: ct.Constant[int]):
    """One block per row, the whole row in one tile: every element is read once."""
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
    values = ct.astype(values, wide(x.dtype))
    powers = ct.exp(values - ct.max(values, axis=1, keepdims=True))
    inverse = 1.0 / ct.sum(powers, axis=1, keepdims=True)
    ct.store(out, index=(row, 0), tile=ct.astype(powers * inverse, out.dtype))


@ct.kernel
def softmax_online_kernel(x, out, TILE: ct.Constant[int]):
    """One block per row of any length: the maximum and the sum are carried over chunks, then a second walk writes."""
    row = ct.bid(0)
    chunks = ct.cdiv(x.shape[1], TILE)
    highest = ct.full((1, 1), -float("inf"), dtype=wide(x.dtype))
    total = ct.zeros((1, 1), dtype=wide(x.dtype))
    for c in range(chunks):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        values = ct.astype(values, wide(x.dtype))
        higher = ct.maximum(highest, ct.max(values, axis=1, keepdims=True))
        total = total * ct.exp(highest - higher) + ct.sum(ct.exp(values - higher), axis=1, keepdims=True)
        highest = higher
    inverse = 1.0 / total
    for c in range(chunks):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        powers = ct.exp(ct.astype(values, wide(x.dtype)) - highest)
        ct.store(out, index=(row, c), tile=ct.astype(powers * inverse, out.dtype))


def softmax(x, out=None, *, stream=None):
    """The softmax of every row of a matrix, computed in f32."""
    rows, columns = x.shape
    if out is None:
        out = np.empty_like(x)
    if columns <= LONGEST_ROW:
        tile = power_of_two(columns)
        ct.launch(stream, (rows,), softmax_kernel, (x, out, tile))
    else:
        ct.launch(stream, (rows,), softmax_online_kernel, (x, out, CHUNK))
    return out
