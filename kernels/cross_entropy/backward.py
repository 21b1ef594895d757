# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of cross_entropy: softmax(logits), less 1 at the label, times the gradient of the row's loss."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.cross_entropy.kernel import CHUNK, LONGEST_ROW
from kernels.wide import wide


@ct.kernel
def cross_entropy_backward_kernel(grad, logits, labels, grad_logits, TILE: ct.Constant[int]):
    """One block per row: a walk for the maximum and the sum, and one that writes. A row that is one tile is read
    once."""
    row = ct.bid(0)
    dtype = wide(logits.dtype)
    highest = ct.full((1, 1), -float("inf"), dtype=dtype)
    total = ct.zeros((1, 1), dtype=dtype)
    chunks = ct.cdiv(logits.shape[1], TILE)
    for c in range(chunks):
        values = ct.load(logits, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        values = ct.astype(values, dtype)
        higher = ct.maximum(highest, ct.max(values, axis=1, keepdims=True))
        total = total * ct.exp(highest - higher) + ct.sum(ct.exp(values - higher), axis=1, keepdims=True)
        highest = higher
    label = ct.load(labels, index=(row,), shape=(1,))[:, None]
    g = ct.astype(ct.load(grad, index=(row,), shape=(1,)), dtype)[:, None]
    for c in range(chunks):
        values = ct.load(logits, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        share = ct.exp(ct.astype(values, dtype) - highest) / total
        column = c * TILE + ct.arange(TILE, dtype=ct.int32)[None, :]
        result = g * ct.where(column == label, share - 1.0, share)
        ct.store(grad_logits, index=(row, c), tile=ct.astype(result, grad_logits.dtype))


def cross_entropy_backward(grad, logits, labels, grad_logits=None, *, stream=None):
    """The gradient of logits [T, V] for that of the losses [T]; computed in f32, of f64 in f64."""
    rows, columns = logits.shape
    if grad_logits is None:
        grad_logits = np.empty_like(logits)
    tile = power_of_two(columns) if columns <= LONGEST_ROW else CHUNK
    ct.launch(stream, (rows,), cross_entropy_backward_kernel, (grad, logits, labels, grad_logits, tile))
    return grad_logits
