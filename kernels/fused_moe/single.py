# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experts of very few tokens: each slot multiplies the rows of its expert's weights as they are read from memory."""

import tilewright as ct

from kernels.fused_moe.gated import silu_times
from kernels.linear.kernel import LARGEST, parts

TILE_N = 2  # rows of a weight in a block

ConstInt = ct.Constant[int]


def dot(weight, at, values, row, COLUMNS, LARGEST, TILE_N):
    """[TILE_N] products of rows of a matrix of experts with one row; `at` are the indices before the last."""
    total = ct.zeros((TILE_N,), dtype=ct.float32)
    for size, part in ct.static_iter(parts(COLUMNS, LARGEST)):
        shape = (1,) * (len(at) - 1) + (TILE_N, size)
        w = ct.load(weight, (*at, part), shape, padding_mode=ct.PaddingMode.ZERO).reshape((TILE_N, size))
        x = ct.load(values, (row, part), (1, size), padding_mode=ct.PaddingMode.ZERO)
        total = total + ct.sum(ct.astype(w, ct.float32) * ct.astype(x, ct.float32), axis=1)
    return total


@ct.kernel
def gated_slots_kernel(x, gate_up, ids, hidden, COLUMNS: ConstInt, LARGEST: ConstInt, TILE_N: ConstInt):
    """One block per TILE_N elements of a slot's hidden row; gate_up is [experts, 2, I, H]."""
    n, choice, token = ct.bid(0), ct.bid(1), ct.bid(2)
    expert = ct.load(ids, (token, choice), ()).item()
    gate = dot(gate_up, (expert, 0, n), x, token, COLUMNS, LARGEST, TILE_N)
    up = dot(gate_up, (expert, 1, n), x, token, COLUMNS, LARGEST, TILE_N)
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
        part = dot(down, (expert, n), hidden, token * CHOICES + choice, COLUMNS, LARGEST, TILE_N)
        total = total + part * ct.load(weights, (token, choice), ()).item()
    ct.store(out, (token, n), ct.astype(total, out.dtype).reshape((1, TILE_N)))


def single_experts(x, gate_up, down, weights, ids, hidden, out, *, stream=None):
    """hidden [T k, I] is memory that the kernels use."""
    tokens, choices = ids.shape
    experts, both, depth = gate_up.shape
    inner, columns = both // 2, down.shape[1]
    arrays = (x, gate_up.reshape(experts, 2, inner, depth), ids, hidden)
    grid = (ct.cdiv(inner, TILE_N), choices, tokens)
    ct.launch(stream, grid, gated_slots_kernel, (*arrays, depth, LARGEST, TILE_N))
    arrays = (hidden, down, ids, weights, out)
    grid = (ct.cdiv(columns, TILE_N), tokens)
    ct.launch(stream, grid, down_slots_kernel, (*arrays, choices, inner, LARGEST, TILE_N))
