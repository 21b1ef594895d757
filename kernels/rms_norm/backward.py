# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of rms_norm: of x by rows, of the weight as sums over some rows that are then added up."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.rms_norm.kernel import LONGEST_ROW
from kernels.row_reduce.kernel import column_sum
from kernels.wide import wide

ROWS, BLOCKS = 16, 256  # rows of a block, until there are so many blocks


@ct.kernel
def rms_norm_backward_kernel(grad, x, weight, grad_x, sums, epsilon: float, TILE: ct.Constant[int]):
    """Every so manieth row. Their part of the weight's gradient is a row of `sums`."""
    zero = ct.PaddingMode.ZERO
    w = ct.astype(ct.load(weight, index=(0,), shape=(TILE,), padding_mode=zero), wide(x.dtype))
    total = ct.zeros((1, TILE), dtype=w.dtype)
    for row in range(ct.bid(0), x.shape[0], ct.num_blocks(0)):
        values = ct.astype(ct.load(x, index=(row, 0), shape=(1, TILE), padding_mode=zero), w.dtype)
        g = ct.astype(ct.load(grad, index=(row, 0), shape=(1, TILE), padding_mode=zero), w.dtype)
        scale = ct.rsqrt(ct.sum(values * values, axis=1, keepdims=True) / x.shape[1] + epsilon)
        normal = values * scale
        total = total + g * normal
        g = g * w[None, :]
        along = ct.sum(g * normal, axis=1, keepdims=True) / x.shape[1]
        ct.store(grad_x, index=(row, 0), tile=ct.astype((g - normal * along) * scale, grad_x.dtype))
    ct.store(sums, index=(ct.bid(0), 0), tile=total)


def num_blocks(rows):
    """Of a kernel in which every block has several rows."""
    return min(BLOCKS, ct.cdiv(rows, ROWS))


def rms_norm_backward(grad, x, weight, grad_x=None, grad_weight=None, sums=None, *, epsilon=1e-6, stream=None):
    """(grad_x [T, H], grad_weight [H]) for the gradient of rms_norm(x, weight), of which `sums` f32 [num_blocks(T), H]
    is scratch memory (f64 for f64). Computed in f32, of f64 in f64; a row has at most 16384 columns."""
    rows, columns = x.shape
    if columns > LONGEST_ROW:
        raise ValueError(f"x has {columns} columns, expected at most {LONGEST_ROW}")
    grad_x = np.empty_like(x) if grad_x is None else grad_x
    grad_weight = np.empty_like(weight) if grad_weight is None else grad_weight
    blocks = num_blocks(rows)
    sums = np.empty((blocks, columns), np.promote_types(x.dtype, np.float32)) if sums is None else sums
    arguments = (grad, x, weight, grad_x, sums, epsilon, power_of_two(columns))
    ct.launch(stream, (blocks,), rms_norm_backward_kernel, arguments)
    return grad_x, column_sum(sums, grad_weight, stream=stream)
