# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The product of a mixture of experts: every row of `out` is a token's row times the weights of one of its experts."""

import tilewright as ct

from kernels.grouped_order import grouped_block

TILE_M, TILE_N, TILE_K = 64, 128, 64
GROUP_M = 2

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def block_of_slots(experts, sorted_slots, block_experts, TILE_M, TILE_N, GROUP_M):
    """Which columns, slots and expert are the block's."""
    m, n = grouped_block(ct.bid(0), sorted_slots.shape[0], experts.shape[1], TILE_M, TILE_N, GROUP_M)
    slots = ct.load(sorted_slots, index=(m,), shape=(TILE_M,))
    return n, slots, ct.load(block_experts, index=(m,), shape=())


def depth_of(experts, expert):
    """Columns of the weights, none for the expert -1, that of a block of no slots."""
    return ct.where(expert >= 0, experts.shape[2], 0).item()


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
    sorted_slots,
    block_experts,
    SLOTS_PER_ROW: ConstInt,
    WEIGHTED: ConstBool,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """One block multiplies TILE_M slots that share an expert with TILE_N columns of its weights.

    A slot is one choice of a token: slot s belongs to row s // SLOTS_PER_ROW of `tokens` and is row s of `out`. Slots
    come sorted by expert and padded per expert to whole blocks; a padding slot lies past the end of `out`, so
    that it gathers zeros and scatters nothing.
    """
    n, slots, expert = block_of_slots(experts, sorted_slots, block_experts, TILE_M, TILE_N, GROUP_M)
    rows, depth = slots // SLOTS_PER_ROW, depth_of(experts, expert)
    # Few slots, many columns: the weights are the left operand, read as they lie, the slots the narrow right one.
    acc = ct.zeros((TILE_N, TILE_M), dtype=ct.float32)
    for k in range(ct.cdiv(depth, TILE_K)):
        at = k * TILE_K + ct.arange(TILE_K, dtype=ct.int32)
        tile_a = ct.gather(tokens, (rows[:, None], at[None, :]))
        tile_b = ct.load(experts, index=(expert, n, k), shape=(1, TILE_N, TILE_K), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(tile_b.reshape((TILE_N, TILE_K)), ct.transpose(tile_a), acc)
    acc = ct.transpose(acc)
    scatter_slots(acc, out, slots, slot_weights, n, WEIGHTED, TILE_N)


@ct.kernel
def fused_moe_rows_kernel(
    tokens,
    experts,
    out,
    slot_weights,
    sorted_slots,
    block_experts,
    SLOTS_PER_ROW: ConstInt,
    WEIGHTED: ConstBool,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """The same for many slots of an expert: they are the rows of the product."""
    n, slots, expert = block_of_slots(experts, sorted_slots, block_experts, TILE_M, TILE_N, GROUP_M)
    rows, depth = slots // SLOTS_PER_ROW, depth_of(experts, expert)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
    for k in range(ct.cdiv(depth, TILE_K)):
        at = k * TILE_K + ct.arange(TILE_K, dtype=ct.int32)
        tile_a = ct.gather(tokens, (rows[:, None], at[None, :]))
        tile_b = ct.load(experts, (expert, k, n), (1, TILE_K, TILE_N), order=(0, 2, 1), padding_mode=zero)
        acc = ct.mma(tile_a, tile_b.reshape((TILE_K, TILE_N)), acc)
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
    """Multiplies the rows of `tokens` with the weights [E, N, K] that `alignment` (align.py) assigns to their slots.

    `as_rows` takes the kernel for many slots of an expert, which is the faster one on GPUs.
    """
    blocks = alignment.block_experts.shape[0] * ct.cdiv(experts.shape[1], tile_n)
    arrays = (tokens, experts, out, slot_weights, alignment.sorted_slots, alignment.block_experts)
    kernel = fused_moe_rows_kernel if as_rows else fused_moe_kernel
    ct.launch(stream, (blocks,), kernel, (*arrays, slots_per_row, weighted, alignment.tile_m, tile_n, tile_k, GROUP_M))
    return out
