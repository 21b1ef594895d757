# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of softmax: out (grad - sum(grad out)), with the sum of each row."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.softmax.kernel import CHUNK, LONGEST_ROW
from kernels.wide import wide


@ct.kernel
def softmax_backward_kernel(grad, out, grad_x, TILE: ct.Constant[int], WHOLE: ct.Constant[bool]):
    """One block per row, which is one tile if WHOLE, else a walk for the sum and one that writes."""
    row, zero = ct.bid(0), ct.PaddingMode.ZERO
    chunks = 1 if WHOLE else ct.cdiv(out.shape[1], TILE)
    total = ct.zeros((1, 1), dtype=wide(out.dtype))
    for c in range(chunks):
        g = ct.astype(ct.load(grad, index=(row, c), shape=(1, TILE), padding_mode=zero), total.dtype)
        share = ct.astype(ct.load(out, index=(row, c), shape=(1, TILE), padding_mode=zero), total.dtype)
        total = total + ct.sum(g * share, axis=1, keepdims=True)
    for c in range(chunks):
        g = ct.astype(ct.load(grad, index=(row, c), shape=(1, TILE), padding_mode=zero), total.dtype)
        share = ct.astype(ct.load(out, index=(row, c), shape=(1, TILE), padding_mode=zero), total.dtype)
        ct.store(grad_x, index=(row, c), tile=ct.astype(share * (g - total), grad_x.dtype))


def softmax_backward(grad, out, grad_x=None, *, stream=None):
    """The gradient of x [T, H] for that of out = softmax(x); computed in f32, of f64 in f64."""
    rows, columns = out.shape
    grad_x = np.empty_like(out) if grad_x is None else grad_x
    whole = columns <= LONGEST_ROW
    tile = power_of_two(columns) if whole else CHUNK
    ct.launch(stream, (rows,), softmax_backward_kernel, (grad, out, grad_x, tile, whole))
    return grad_x
