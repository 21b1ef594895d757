# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of silu_and_mul."""

import numpy as np
import tilewright as ct

from kernels.silu_and_mul.kernel import TILE, quotient
from kernels.wide import wide


@ct.kernel
def silu_and_mul_backward_kernel(grad, gate_up, grad_gate_up, TILE: ct.Constant[int]):
    """Gates and values are the halves of each row, [rows, 2, columns], and so are their gradients."""
    row, c = ct.bid(0), ct.bid(1)
    zero, dtype = ct.PaddingMode.ZERO, wide(gate_up.dtype)
    gate = ct.astype(ct.load(gate_up, index=(row, 0, c), shape=(1, 1, TILE), padding_mode=zero), dtype)
    up = ct.astype(ct.load(gate_up, index=(row, 1, c), shape=(1, 1, TILE), padding_mode=zero), dtype)
    g = ct.astype(ct.load(grad, index=(row, c), shape=(1, TILE), padding_mode=zero), dtype)[None, :, :]
    sigmoid = quotient(1.0, 1.0 + ct.exp(-gate))
    of_gate = g * up * sigmoid * (1.0 + gate * (1.0 - sigmoid))
    ct.store(grad_gate_up, index=(row, 0, c), tile=ct.astype(of_gate, grad_gate_up.dtype))
    ct.store(grad_gate_up, index=(row, 1, c), tile=ct.astype(g * gate * sigmoid, grad_gate_up.dtype))


def silu_and_mul_backward(grad, gate_up, grad_gate_up=None, *, stream=None):
    """The gradient of gate_up [T, 2 I] for that of silu_and_mul(gate_up) [T, I]; computed in f32, of f64 in f64."""
    rows, columns = grad.shape
    if grad_gate_up is None:
        grad_gate_up = np.empty_like(gate_up)
    halves, grads = (array.reshape(rows, 2, columns) for array in (gate_up, grad_gate_up))
    ct.launch(stream, (rows, ct.cdiv(columns, TILE)), silu_and_mul_backward_kernel, (grad, halves, grads, TILE))
    return grad_gate_up
