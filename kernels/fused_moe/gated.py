# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first product of gated experts, silu(x @ gate.T) * (x @ up.T), in one kernel."""

import tilewright as ct

from kernels.fused_moe.kernel import GROUP_M, block_of_slots

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
    sorted_slots,
    block_experts,
    SLOTS_PER_ROW: ConstInt,
    AS_ROWS: ConstBool,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """As fused_moe_kernel, or with AS_ROWS fused_moe_rows_kernel; gate_up is [experts, 2, I, H]. An expert of -1 is the
    block of no slots."""
    n, slots, expert = block_of_slots(hidden, sorted_slots, block_experts, TILE_M, TILE_N, GROUP_M)
    zero = ct.PaddingMode.ZERO
    shape = (TILE_M, TILE_N) if AS_ROWS else (TILE_N, TILE_M)
    gate, up = ct.zeros(shape, dtype=ct.float32), ct.zeros(shape, dtype=ct.float32)
    steps = ct.where(expert >= 0, ct.cdiv(gate_up.shape[3], TILE_K), 0).item()
    for k in range(steps):
        at = k * TILE_K + ct.arange(TILE_K, dtype=ct.int32)
        rows = ct.gather(tokens, ((slots // SLOTS_PER_ROW)[:, None], at[None, :]))
        if AS_ROWS:
            order = (0, 1, 3, 2)
            tile = ct.load(gate_up, (expert, 0, k, n), (1, 1, TILE_K, TILE_N), order=order, padding_mode=zero)
            gate = ct.mma(rows, tile.reshape((TILE_K, TILE_N)), gate)
            tile = ct.load(gate_up, (expert, 1, k, n), (1, 1, TILE_K, TILE_N), order=order, padding_mode=zero)
            up = ct.mma(rows, tile.reshape((TILE_K, TILE_N)), up)
        else:
            tile = ct.load(gate_up, (expert, 0, n, k), (1, 1, TILE_N, TILE_K), padding_mode=zero)
            gate = ct.mma(tile.reshape((TILE_N, TILE_K)), ct.transpose(rows), gate)
            tile = ct.load(gate_up, (expert, 1, n, k), (1, 1, TILE_N, TILE_K), padding_mode=zero)
            up = ct.mma(tile.reshape((TILE_N, TILE_K)), ct.transpose(rows), up)
    result = silu_times(gate, up)
    if not AS_ROWS:
        result = ct.transpose(result)
    column = n * TILE_N + ct.arange(TILE_N, dtype=ct.int32)
    ct.scatter(hidden, (slots[:, None], column[None, :]), ct.astype(result, hidden.dtype))


def gated(tokens, gate_up, hidden, alignment, *, slots_per_row, as_rows, tile_n, tile_k, stream=None):
    """Row s of hidden [S, I] from row s // slots_per_row of `tokens` and its expert's [2 I, H] of gate_up."""
    experts, both, depth = gate_up.shape
    blocks = alignment.block_experts.shape[0] * ct.cdiv(both // 2, tile_n)
    arrays = (tokens, gate_up.reshape(experts, 2, both // 2, depth), hidden)
    aligned = (alignment.sorted_slots, alignment.block_experts)
    constants = (slots_per_row, as_rows, alignment.tile_m, tile_n, tile_k, GROUP_M)
    ct.launch(stream, (blocks,), gated_kernel, (*arrays, *aligned, *constants))
