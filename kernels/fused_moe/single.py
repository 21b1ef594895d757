# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experts of very few tokens: each slot multiplies the rows of its expert's weights as they are read from memory."""

import math

import tilewright as ct

from kernels.block_scaled_linear.kernel import BLOCK, ROWS_OF_WEIGHT, widened
from kernels.fused_moe.gated import silu_times
from kernels.linear.kernel import LARGEST, SMALLEST, parts

TILE_N = 2  # rows of a weight in a block

ConstInt = ct.Constant[int]


def dot(values, row, weight, at, first, COLUMNS, LARGEST, TILE_N):
    """[TILE_N] products of rows of a matrix of experts with one row; `at` are the indices before the last.

    The weight is an operand as of step.py; where it has scales, `values` are in f32.
    """
    total, zero = ct.zeros((TILE_N,), dtype=ct.float32), ct.PaddingMode.ZERO
    for size, part in ct.static_iter(parts(COLUMNS, LARGEST, BLOCK if len(weight) == 2 else SMALLEST)):
        shape = (1, TILE_N, size) if len(at) == 2 else (1, 1, TILE_N, size)
        w = ct.load(weight[0], (*at, part), shape, padding_mode=zero).reshape((TILE_N, size))
        x = ct.load(values, (row, part), (1, size), padding_mode=zero)
        if len(weight) == 2:
            place = (at[0], (first + at[-1] * TILE_N) // BLOCK, part)
            scale = ct.load(weight[1], place, (1, 1, size // BLOCK), padding_mode=zero) * 256.0
            x = (x.reshape((size // BLOCK, BLOCK)) * scale.reshape((size // BLOCK, 1))).reshape((1, size))
            w = widened(w)
        total = total + ct.sum(ct.astype(w, ct.float32) * ct.astype(x, ct.float32), axis=1)
    return total


@ct.kernel
def gated_slots_kernel(x, gate_up, ids, hidden, COLUMNS: ConstInt, LARGEST: ConstInt, TILE_N: ConstInt):
    """One block per TILE_N elements of a slot's hidden row; gate_up is [experts, 2, I, H]."""
    n, choice, token = ct.bid(0), ct.bid(1), ct.bid(2)
    expert = ct.load(ids, (token, choice), ()).item()
    gate = dot(x, token, gate_up, (expert, 0, n), 0, COLUMNS, LARGEST, TILE_N)
    up = dot(x, token, gate_up, (expert, 1, n), gate_up[0].shape[2], COLUMNS, LARGEST, TILE_N)
    result = ct.astype(silu_times(gate, up), hidden.dtype).reshape((1, TILE_N))
    ct.store(hidden, (token * ids.shape[1] + choice, n), result)


@ct.kernel
def down_slots_kernel(
    hidden, down, ids, weights, out, CHOICES: ConstInt, COLUMNS: ConstInt, LARGEST: ConstInt, TILE_N: ConstInt
):
    """One block per TILE_N elements of a token's result, the weighted sum over its slots."""
    n, token = ct.bid(0), ct.bid(1)
    total = ct.zeros((TILE_N,), dtype=ct.float32)
    for choice in range(CHOICES):
        expert = ct.load(ids, (token, choice), ()).item()
        part = dot(hidden, token * CHOICES + choice, down, (expert, n), 0, COLUMNS, LARGEST, TILE_N)
        total = total + part * ct.load(weights, (token, choice), ()).item()
    ct.store(out, (token, n), ct.astype(total, out.dtype).reshape((1, TILE_N)))


def gated_slots(x, gate_up, ids, hidden, *, stream=None):
    """hidden [T k, I] = silu(gate) * up of each slot, for x [T, H] and the operand gate_up [E, 2 I, H]."""
    (tokens, choices), (matrices, *scales) = ids.shape, gate_up
    experts, both, depth = matrices.shape
    inner = both // 2
    tile_n = math.gcd(ROWS_OF_WEIGHT, inner) if scales else TILE_N
    arrays = (x, (matrices.reshape(experts, 2, inner, depth), *scales), ids, hidden)
    grid = (ct.cdiv(inner, tile_n), choices, tokens)
    ct.launch(stream, grid, gated_slots_kernel, (*arrays, depth, LARGEST, tile_n))


def down_slots(hidden, down, ids, weights, out, *, stream=None):
    """out [T, H] = the weighted sum over the slots hidden [T k, I], for the operand down [E, H, I]."""
    tokens, choices = ids.shape
    tile_n = ROWS_OF_WEIGHT if len(down) == 2 else TILE_N
    arrays, grid = (hidden, down, ids, weights, out), (ct.cdiv(out.shape[1], tile_n), tokens)
    ct.launch(stream, grid, down_slots_kernel, (*arrays, choices, hidden.shape[1], LARGEST, tile_n))
    return out
