# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = silu(gate) * up: the step between the products of a gated layer."""

import numpy as np
import tilewright as ct

from kernels.wide import wide

TILE = 1024

ConstInt = ct.Constant[int]


def quotient(x, y):
    """May be off by two units in the last place in f32: a rounded one is a subroutine on GPUs."""
    return ct.truediv(x, y, rounding_mode=ct.RoundingMode.FULL) if y.dtype == ct.float32 else x / y


@ct.kernel
def silu_and_mul_kernel(gate_up, out, TILE: ConstInt):
    """out = silu(gate) * up, where `gate_up` [rows, 2, columns] views the two halves of each row."""
    row, c = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    gate = ct.load(gate_up, index=(row, 0, c), shape=(1, 1, TILE), padding_mode=zero).reshape((1, TILE))
    up = ct.load(gate_up, index=(row, 1, c), shape=(1, 1, TILE), padding_mode=zero).reshape((1, TILE))
    gate = ct.astype(gate, wide(gate.dtype))
    silu = quotient(gate, 1.0 + ct.exp(-gate))
    result = silu * ct.astype(up, gate.dtype)
    ct.store(out, index=(row, c), tile=ct.astype(result, out.dtype))


def silu_and_mul(gate_up, out=None, *, stream=None):
    """out [T, I] = silu(gate) * up for gate_up [T, 2 I], the gate first."""
    rows, columns = gate_up.shape[0], gate_up.shape[1] // 2
    if gate_up.shape[1] % 2:
        raise ValueError(f"gate_up has {gate_up.shape[1]} columns, expected two halves")
    if out is None:
        out = np.empty((rows, columns), gate_up.dtype)
    halves = gate_up.reshape(rows, 2, columns)
    ct.launch(stream, (rows, ct.cdiv(columns, TILE)), silu_and_mul_kernel, (halves, out, TILE))
    return out
