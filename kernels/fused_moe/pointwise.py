# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The element-wise steps of a mixture of experts: SiLU-and-mul between the products, the sum over choices after."""

import tilewright as ct

TILE = 1024

ConstInt = ct.Constant[int]


@ct.kernel
def silu_and_mul_kernel(gate_up, out, TILE: ConstInt):
    """out = silu(gate) * up, where `gate_up` [2, rows, columns] views the two halves of one row.

    The quotient may be off by two units in the last place: a rounded one is a subroutine on GPUs.
    """
    row, c = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    gate = ct.load(gate_up, index=(0, row, c), shape=(1, 1, TILE), padding_mode=zero).reshape((1, TILE))
    up = ct.load(gate_up, index=(1, row, c), shape=(1, 1, TILE), padding_mode=zero).reshape((1, TILE))
    gate = ct.astype(gate, ct.float32)
    silu = ct.truediv(gate, 1.0 + ct.exp(-gate), rounding_mode=ct.RoundingMode.FULL)
    result = silu * ct.astype(up, ct.float32)
    ct.store(out, index=(row, c), tile=ct.astype(result, out.dtype))


def silu_and_mul(gate_up, out, *, stream=None):
    """out [R, I] = silu(gate) * up for gate_up [R, 2 I], the gate first."""
    rows, columns = out.shape
    halves = gate_up.reshape(rows, 2, columns).swapaxes(0, 1)
    ct.launch(stream, (rows, ct.cdiv(columns, TILE)), silu_and_mul_kernel, (halves, out, TILE))
    return out


@ct.kernel
def sum_choices_kernel(x, out, CHOICES: ConstInt, TILE: ConstInt):
    token, c = ct.bid(0), ct.bid(1)
    choices = ct.load(x, index=(token, 0, c), shape=(1, CHOICES, TILE), padding_mode=ct.PaddingMode.ZERO)
    total = ct.sum(ct.astype(choices, ct.float32), axis=1)
    ct.store(out, index=(token, c), tile=ct.astype(total, out.dtype))


def sum_choices(x, out, *, stream=None):
    """out [T, H] = the sum over the middle axis of x [T, top_k, H]."""
    tokens, choices, columns = x.shape
    choices = 1 << (choices - 1).bit_length()
    ct.launch(stream, (tokens, ct.cdiv(columns, TILE)), sum_choices_kernel, (x, out, choices, TILE))
    return out
