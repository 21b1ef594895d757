# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r, :] = x[r, :] * weight / sqrt(mean(x[r, :]**2) + epsilon), of x or of a residual to which x is added first."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096


@ct.kernel
def rms_norm_kernel(x, weight, out, epsilon: float, TILE: ct.Constant[int]):
    """One block per row, the whole row in one tile: every element is read once."""
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
    values = ct.astype(values, wide(x.dtype))
    mean = ct.sum(values * values, axis=1, keepdims=True) / x.shape[1]
    scale = ct.rsqrt(mean + epsilon)
    w = ct.load(weight, index=(0,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    result = values * scale * ct.astype(w, scale.dtype)[None, :]
    ct.store(out, index=(row, 0), tile=ct.astype(result, out.dtype))


@ct.kernel
def rms_norm_chunked_kernel(x, weight, out, epsilon: float, TILE: ct.Constant[int]):
    """One block per row of any length: one walk sums the squares, a second one writes."""
    row = ct.bid(0)
    chunks = ct.cdiv(x.shape[1], TILE)
    squares = ct.zeros((1, TILE), dtype=wide(x.dtype))
    for c in range(chunks):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        values = ct.astype(values, wide(x.dtype))
        squares = squares + values * values
    scale = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / x.shape[1] + epsilon)
    for c in range(chunks):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        w = ct.load(weight, index=(c,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
        result = ct.astype(values, scale.dtype) * scale * ct.astype(w, scale.dtype)[None, :]
        ct.store(out, index=(row, c), tile=ct.astype(result, out.dtype))


def rms_norm(x, weight, out=None, *, epsilon=1e-6, stream=None):
    """Every row of a matrix divided by its root mean square and multiplied by the weight, computed in f32."""
    rows, columns = x.shape
    if out is None:
        out = np.empty_like(x)
    if columns <= LONGEST_ROW:
        tile = power_of_two(columns)
        ct.launch(stream, (rows,), rms_norm_kernel, (x, weight, out, epsilon, tile))
    else:
        ct.launch(stream, (rows,), rms_norm_chunked_kernel, (x, weight, out, epsilon, CHUNK))
    return out


@ct.kernel
def add_rms_norm_kernel(x, residual, weight, out, epsilon: float, TILE: ct.Constant[int]):
    """One block per row, the whole row in one tile. The sum is normalized as it is stored: rounded."""
    row = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    added = ct.astype(ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=zero), ct.float32)
    before = ct.astype(ct.load(residual, index=(row, 0), shape=(1, TILE), padding_mode=zero), ct.float32)
    total = ct.astype(before + added, residual.dtype)
    ct.store(residual, index=(row, 0), tile=total)
    values = ct.astype(total, ct.float32)
    mean = ct.sum(values * values, axis=1, keepdims=True) / x.shape[1]
    scale = ct.rsqrt(mean + epsilon)
    w = ct.load(weight, index=(0,), shape=(TILE,), padding_mode=zero)
    result = values * scale * ct.astype(w, scale.dtype)[None, :]
    ct.store(out, index=(row, 0), tile=ct.astype(result, out.dtype))


@ct.kernel
def add_chunks_kernel(x, residual, TILE: ct.Constant[int]):
    """residual += x, for rows that no tile holds."""
    row, c = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    added = ct.astype(ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=zero), ct.float32)
    before = ct.astype(ct.load(residual, index=(row, c), shape=(1, TILE), padding_mode=zero), ct.float32)
    ct.store(residual, index=(row, c), tile=ct.astype(before + added, residual.dtype))


def add_rms_norm(x, residual, weight, out=None, *, epsilon=1e-6, stream=None):
    """Adds x [T, H] to the residual [T, H] in place, and returns the norm of the sum; out may be x."""
    rows, columns = x.shape
    if out is None:
        out = np.empty_like(x)
    if columns <= LONGEST_ROW:
        tile = power_of_two(columns)
        ct.launch(stream, (rows,), add_rms_norm_kernel, (x, residual, weight, out, epsilon, tile))
        return out
    ct.launch(stream, (rows, ct.cdiv(columns, CHUNK)), add_chunks_kernel, (x, residual, CHUNK))
    return rms_norm(residual, weight, out, epsilon=epsilon, stream=stream)
