# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""loss[r] = log(sum(exp(logits[r, :]))) - logits[r, labels[r]]."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096


@ct.kernel
def cross_entropy_kernel(logits, labels, loss, TILE: ct.Constant[int]):
    """One block per row, the whole row in one tile, which is read once but for the picked logit."""
    row = ct.bid(0)
    values = ct.load(logits, index=(row, 0), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
    values = ct.astype(values, wide(logits.dtype))
    highest = ct.max(values, axis=1, keepdims=True)
    total = ct.sum(ct.exp(values - highest), axis=1)
    label = ct.load(labels, index=(row,), shape=(1,))
    picked = ct.astype(ct.gather(logits, (row, label), padding_value=float("nan")), wide(logits.dtype))
    ct.store(loss, index=(row,), tile=ct.astype(ct.log(total) + (ct.reshape(highest, (1,)) - picked), loss.dtype))


@ct.kernel
def cross_entropy_online_kernel(logits, labels, loss, TILE: ct.Constant[int]):
    """One block per row of any length: the maximum and the sum are carried over chunks."""
    row = ct.bid(0)
    highest = ct.full((1, 1), -float("inf"), dtype=wide(logits.dtype))
    total = ct.zeros((1, 1), dtype=wide(logits.dtype))
    for c in range(ct.cdiv(logits.shape[1], TILE)):
        values = ct.load(logits, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        values = ct.astype(values, wide(logits.dtype))
        higher = ct.maximum(highest, ct.max(values, axis=1, keepdims=True))
        total = total * ct.exp(highest - higher) + ct.sum(ct.exp(values - higher), axis=1, keepdims=True)
        highest = higher
    label = ct.load(labels, index=(row,), shape=(1,))
    picked = ct.astype(ct.gather(logits, (row, label), padding_value=float("nan")), wide(logits.dtype))
    result = ct.log(total) + (highest - picked[:, None])
    ct.store(loss, index=(row,), tile=ct.astype(ct.reshape(result, (1,)), loss.dtype))


def cross_entropy(logits, labels, loss=None, *, stream=None):
    """The loss of every row of a matrix of logits for its integer label, computed in f32 and f32 unless `loss` has
    another dtype. The loss for a label that is no column is NaN."""
    rows, columns = logits.shape
    if loss is None:
        loss = np.empty(rows, np.float32)
    if columns <= LONGEST_ROW:
        tile = power_of_two(columns)
        ct.launch(stream, (rows,), cross_entropy_kernel, (logits, labels, loss, tile))
    else:
        ct.launch(stream, (rows,), cross_entropy_online_kernel, (logits, labels, loss, CHUNK))
    return loss
