# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first product of gated experts, silu(x @ gate.T) * (x @ up.T), in one kernel."""

import math

import tilewright as ct

from kernels.fused_moe.kernel import GROUP_M, block_of_slots, steps_of
from kernels.fused_moe.step import add_step, operand, rows_of

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def silu_times(gate, up):
    """The quotient may be off by two units in the last place: a rounded one is a subroutine on GPUs."""
    return ct.truediv(gate, 1.0 + ct.exp(-gate), rounding_mode=ct.RoundingMode.FULL) * up


@ct.kernel
def gated_kernel(
    tokens,
    gate_up,
    hidden,
    blocks,
    SLOTS_PER_ROW: ConstInt,
    AS_ROWS: ConstBool,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """As fused_moe_kernel; gate_up is [experts, 2, I, H]. An expert of -1 is the block of no slots."""
    n, copied, slots, expert = block_of_slots(blocks, hidden.shape[0], hidden.shape[1], TILE_M, TILE_N, GROUP_M)
    rows, scaled_rows, inner = copied // SLOTS_PER_ROW, slots // SLOTS_PER_ROW, gate_up[0].shape[2]
    shape = (TILE_M, TILE_N) if AS_ROWS else (TILE_N, TILE_M)
    gate, up = ct.zeros(shape, dtype=ct.float32), ct.zeros(shape, dtype=ct.float32)
    for k in range(steps_of(gate_up[0].shape[3], expert, TILE_K)):
        tile = rows_of(tokens, rows, scaled_rows, k, AS_ROWS, TILE_K)
        gate = add_step(gate, tile, gate_up, (expert, 0), 0, n, k, AS_ROWS, TILE_N, TILE_K)
        up = add_step(up, tile, gate_up, (expert, 1), inner, n, k, AS_ROWS, TILE_N, TILE_K)
    result = silu_times(gate, up)
    if not AS_ROWS:
        result = ct.transpose(result)
    column = n * TILE_N + ct.arange(TILE_N, dtype=ct.int32)
    ct.scatter(hidden, (slots[:, None], column[None, :]), ct.astype(result, hidden.dtype))


def gated(
    tokens,
    gate_up,
    hidden,
    alignment,
    *,
    slots_per_row,
    as_rows,
    tile_n,
    tile_k,
    stream=None,
):
    """Row s of hidden [S, I] from row s // slots_per_row of `tokens` and its expert's [2 I, H] of gate_up, of which a
    block of one scale may have rows of both halves."""
    matrices, *scales = operand(gate_up)
    experts, both, depth = matrices.shape
    inner = both // 2
    tile_n = math.gcd(tile_n, inner) if scales else tile_n
    halves = (matrices.reshape(experts, 2, inner, depth), *scales)
    grid = (alignment.block_experts.shape[0] * ct.cdiv(inner, tile_n),)
    constants = (slots_per_row, as_rows, alignment.tile_m, tile_n, tile_k, GROUP_M)
    ct.launch(stream, grid, gated_kernel, (operand(tokens), halves, hidden, alignment.blocks, *constants))
