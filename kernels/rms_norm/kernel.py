# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r, :] = x[r, :] * weight / sqrt(mean(x[r, :]**2) + epsilon)."""

import numpy as np
import tilewright as ct

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096


@ct.kernel
def rms_norm_kernel(x, weight, out, epsilon: float, TILE: ct.Constant[int]):
    """One block per row, the whole row in one tile: every element is read once."""
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
    values = ct.astype(values, ct.float32)
    mean = ct.sum(values * values, axis=1, keepdims=True) / x.shape[1]
    scale = ct.rsqrt(mean + epsilon)
    w = ct.load(weight, index=(0,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    result = values * scale * ct.astype(w, ct.float32)[None, :]
    ct.store(out, index=(row, 0), tile=ct.astype(result, out.dtype))


@ct.kernel
def rms_norm_chunked_kernel(x, weight, out, epsilon: float, TILE: ct.Constant[int]):
    """One block per row of any length: one walk sums the squares, a second one writes."""
    row = ct.bid(0)
    chunks = ct.cdiv(x.shape[1], TILE)
    squares = ct.zeros((1, TILE), dtype=ct.float32)
    for c in range(chunks):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        values = ct.astype(values, ct.float32)
        squares = squares + values * values
    scale = ct.rsqrt(ct.sum(squares, axis=1, keepdims=True) / x.shape[1] + epsilon)
    for c in range(chunks):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        w = ct.load(weight, index=(c,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
        result = ct.astype(values, ct.float32) * scale * ct.astype(w, ct.float32)[None, :]
        ct.store(out, index=(row, c), tile=ct.astype(result, out.dtype))


def rms_norm(x, weight, out=None, *, epsilon=1e-6, stream=None):
    """Every row of a matrix divided by its root mean square and multiplied by the weight, computed in f32."""
    rows, columns = x.shape
    if out is None:
        out = np.empty_like(x)
    if columns <= LONGEST_ROW:
        tile = 1 << (columns - 1).bit_length()
        ct.launch(stream, (rows,), rms_norm_kernel, (x, weight, out, epsilon, tile))
    else:
        ct.launch(stream, (rows,), rms_norm_chunked_kernel, (x, weight, out, epsilon, CHUNK))
    return out
