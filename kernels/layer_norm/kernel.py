# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r, :] = (x[r, :] - mean) / sqrt(variance + epsilon) * weight + bias, mean and variance those of the row."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096


@ct.kernel
def layer_norm_kernel(x, weight, bias, out, epsilon: float, TILE: ct.Constant[int], FULL: ct.Constant[bool]):
    """One block per row, the whole row in one tile: every element is read once.

    The variance is that of the distances to the mean; the difference of two sums of squares would cancel. Distances of
    columns past the row's end, which a row that is FULL does not have, do not count.
    """
    row, zero = ct.bid(0), ct.PaddingMode.ZERO
    columns = x.shape[1]
    values = ct.astype(ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=zero), wide(x.dtype))
    mean = ct.sum(values, axis=1, keepdims=True) / columns
    distances = values - mean
    if not FULL:
        distances = ct.where(ct.arange(TILE, dtype=ct.int32)[None, :] < columns, distances, 0.0)
    variance = ct.sum(distances * distances, axis=1, keepdims=True) / columns
    w = ct.astype(ct.load(weight, index=(0,), shape=(TILE,), padding_mode=zero), wide(x.dtype))
    b = ct.astype(ct.load(bias, index=(0,), shape=(TILE,), padding_mode=zero), wide(x.dtype))
    result = distances * ct.rsqrt(variance + epsilon) * w[None, :] + b[None, :]
    ct.store(out, index=(row, 0), tile=ct.astype(result, out.dtype))


@ct.kernel
def layer_norm_chunked_kernel(x, weight, bias, out, epsilon: float, TILE: ct.Constant[int]):
    """One block per row of any length: a walk for the mean, one for the variance, and one that writes."""
    row, zero = ct.bid(0), ct.PaddingMode.ZERO
    columns = x.shape[1]
    chunks = ct.cdiv(columns, TILE)
    total = ct.zeros((1, 1), dtype=wide(x.dtype))
    for c in range(chunks):
        values = ct.astype(ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=zero), wide(x.dtype))
        total = total + ct.sum(values, axis=1, keepdims=True)
    mean = total / columns
    squares = ct.zeros((1, 1), dtype=wide(x.dtype))
    for c in range(chunks):
        values = ct.astype(ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=zero), wide(x.dtype))
        inside = (c * TILE + ct.arange(TILE, dtype=ct.int32))[None, :] < columns
        distances = ct.where(inside, values - mean, 0.0)
        squares = squares + ct.sum(distances * distances, axis=1, keepdims=True)
    scale = ct.rsqrt(squares / columns + epsilon)
    for c in range(chunks):
        values = ct.astype(ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=zero), wide(x.dtype))
        w = ct.astype(ct.load(weight, index=(c,), shape=(TILE,), padding_mode=zero), wide(x.dtype))
        b = ct.astype(ct.load(bias, index=(c,), shape=(TILE,), padding_mode=zero), wide(x.dtype))
        result = (values - mean) * scale * w[None, :] + b[None, :]
        ct.store(out, index=(row, c), tile=ct.astype(result, out.dtype))


def layer_norm(x, weight, bias, out=None, *, epsilon=1e-5, stream=None):
    """Every row of a matrix with mean 0 and variance 1, times the weight, plus the bias, computed in f32."""
    rows, columns = x.shape
    if out is None:
        out = np.empty_like(x)
    if columns <= LONGEST_ROW:
        tile = power_of_two(columns)
        ct.launch(stream, (rows,), layer_norm_kernel, (x, weight, bias, out, epsilon, tile, columns == tile))
    else:
        ct.launch(stream, (rows,), layer_norm_chunked_kernel, (x, weight, bias, out, epsilon, CHUNK))
    return out
