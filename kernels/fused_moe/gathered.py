# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The product of a mixture of experts as NVIDIA's samples of cuda.tile have it, which docs/moe.md follows through every
level: a block gathers the slots that it works on, and how many of them a token has is known at run time."""

import tilewright as ct

from kernels.fused_moe.kernel import scatter_slots
from kernels.grouped_order import grouped_block

GROUP_M = 8

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


@ct.kernel
def gathered_moe_kernel(
    tokens,
    experts,
    out,
    slot_weights,
    sorted_slots,
    block_experts,
    slots_per_row: int,
    WEIGHTED: ConstBool,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
):
    """Row s of `out` is row s // slots_per_row of `tokens` times the weights [N, K] of the expert of its block.

    `experts.shape[1]` has to be a multiple of TILE_N and `experts.shape[2]` of TILE_K: the load of the weights has no
    padding. A slot that is no row of `out` gathers zeros and scatters nothing.
    """
    m, n = grouped_block(ct.bid(0), sorted_slots.shape[0], experts.shape[1], TILE_M, TILE_N, GROUP_M)
    slots = ct.gather(sorted_slots, m * TILE_M + ct.arange(TILE_M, dtype=ct.int32))
    rows = slots // slots_per_row
    expert = ct.load(block_experts, index=m, shape=())
    acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
    for k in range(ct.cdiv(experts.shape[2], TILE_K)):
        at = k * TILE_K + ct.arange(TILE_K, dtype=ct.int32)
        tile_a = ct.gather(tokens, (rows[:, None], at[None, :]))
        tile_b = ct.load(experts, (expert, k, n), (1, TILE_K, TILE_N), order=(0, 2, 1)).reshape((TILE_K, TILE_N))
        acc = ct.mma(tile_a, tile_b, acc)
    scatter_slots(acc, out, slots, slot_weights, n, WEIGHTED, TILE_N)


def gathered_moe(
    tokens, experts, out, slot_weights, alignment, *, slots_per_row, weighted, tile_n, tile_k, stream=None
):
    """Multiplies the rows of `tokens` with the weights [E, N, K] that `alignment` (align.py) assigns to their slots."""
    blocks = alignment.block_experts.shape[0] * ct.cdiv(experts.shape[1], tile_n)
    arrays = (tokens, experts, out, slot_weights, alignment.sorted_slots, alignment.block_experts)
    constants = (weighted, alignment.tile_m, tile_n, tile_k)
    ct.launch(stream, (blocks,), gathered_moe_kernel, (*arrays, slots_per_row, *constants))
    return out
