# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The product of a mixture of experts: every row of `out` is a token's row times the weights of one of its experts."""

import tilewright as ct

from kernels.fused_moe.step import add_step, operand, rows_of
from kernels.grouped_order import grouped_block

TILE_M, TILE_N, TILE_K = 64, 128, 64
GROUP_M = 2

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def block_of_slots(blocks, slots, columns, TILE_M, TILE_N, GROUP_M):
    """Which columns, slots and expert are the block's, for the tuple of an alignment and the number of all slots.

    Slots come twice, by different loads: those that address rows, and those for all else. Each has a layout of its own
    then, and threads of sm_90 that only copy can compute the addresses.
    """
    m, n = grouped_block(ct.bid(0), blocks[0].shape[0] * TILE_M, columns, TILE_M, TILE_N, GROUP_M)
    if len(blocks) == 1:
        mine = ct.where(ct.arange(TILE_M, dtype=ct.int32) == 0, m, slots)
        again = mine
    else:
        mine = ct.load(blocks[1], index=(m,), shape=(TILE_M,))
        again = ct.gather(blocks[1], m * TILE_M + ct.arange(TILE_M, dtype=ct.int32))
    return n, mine, again, ct.load(blocks[0], index=(m,), shape=())


def steps_of(depth, expert, TILE_K):
    """None for the expert -1, that of a block of no slots."""
    return ct.where(expert >= 0, ct.cdiv(depth, TILE_K), 0).item()


def scatter_slots(acc, out, slots, slot_weights, n, WEIGHTED, TILE_N):
    """Stores rows of slots, times their weights with WEIGHTED."""
    if WEIGHTED:
        acc = acc * ct.astype(ct.gather(slot_weights, slots), ct.float32)[:, None]
    column = n * TILE_N + ct.arange(TILE_N, dtype=ct.int32)
    ct.scatter(out, (slots[:, None], column[None, :]), ct.astype(acc, out.dtype))


@ct.kernel
def fused_moe_kernel(
    tokens,
    experts,
    out,
    slot_weights,
    blocks,
    SLOTS_PER_ROW: ConstInt,
    WEIGHTED: ConstBool,
    AS_ROWS: ConstBool,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """One block multiplies TILE_M slots that share an expert with TILE_N columns of its weights.

    A slot is one choice of a token: slot s belongs to row s // SLOTS_PER_ROW of `tokens` and is row s of `out`. Slots
    come sorted by expert and padded per expert to whole blocks; a padding slot lies past the end of `out`, so
    that it gathers zeros and scatters nothing. With many slots of an expert they are the rows of the product. With few,
    and many columns, the weights are the left operand, read as they lie, and the slots the narrow right one.
    """
    n, copied, slots, expert = block_of_slots(blocks, out.shape[0], out.shape[1], TILE_M, TILE_N, GROUP_M)
    rows, scaled_rows = copied // SLOTS_PER_ROW, slots // SLOTS_PER_ROW
    acc = ct.zeros((TILE_M, TILE_N) if AS_ROWS else (TILE_N, TILE_M), dtype=ct.float32)
    for k in range(steps_of(experts[0].shape[2], expert, TILE_K)):
        tile = rows_of(tokens, rows, scaled_rows, k, AS_ROWS, TILE_K)
        acc = add_step(acc, tile, experts, (expert,), 0, n, k, AS_ROWS, TILE_N, TILE_K)
    acc = acc if AS_ROWS else ct.transpose(acc)
    scatter_slots(acc, out, slots, slot_weights, n, WEIGHTED, TILE_N)


def fused_moe(
    tokens,
    experts,
    out,
    slot_weights,
    alignment,
    *,
    slots_per_row,
    weighted,
    as_rows=False,
    tile_n=TILE_N,
    tile_k=TILE_K,
    stream=None,
):
    """Multiplies the rows of `tokens` with the weights [E, N, K] that `alignment` (align.py) assigns to their slots,
    each an array or the operand of step.py.

    `as_rows` is for many slots of an expert, which is the faster way on GPUs.
    """
    grid = (alignment.block_experts.shape[0] * ct.cdiv(out.shape[1], tile_n),)
    arrays = (operand(tokens), operand(experts), out, slot_weights, alignment.blocks)
    constants = (slots_per_row, weighted, as_rows, alignment.tile_m, tile_n, tile_k, GROUP_M)
    ct.launch(stream, grid, fused_moe_kernel, (*arrays, *constants))
    return out
