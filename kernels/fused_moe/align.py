# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting the slots of a mixture of experts by expert, each expert padded to whole blocks, on the device, so that no
choice has to reach the host. The sorting is stable, hence deterministic."""

from dataclasses import dataclass
from typing import Any

import tilewright as ct

from kernels.arrays import on_cpu, power_of_two

HITS = 8192  # slots times experts of a block
COUNTS = 64, 32  # blocks and experts of a block that adds counts

ConstInt = ct.Constant[int]


@dataclass(frozen=True)
class Alignment:
    sorted_slots: Any  # i32, tile_m per block; a padding slot has the number of slots as its value. None: one a block
    block_experts: Any  # i32, one per block
    tile_m: int

    @property
    def blocks(self):
        """As an argument of kernels."""
        return (self.block_experts,) if self.sorted_slots is None else (self.block_experts, self.sorted_slots)


def hits_of(ids, block, SLOTS, EXPERTS):
    """[slots, experts] of the block, 1 where a slot chose an expert; and each slot's expert, -1 beyond the end."""
    slots = block * SLOTS + ct.arange(SLOTS, dtype=ct.int32)
    mine = ct.gather(ids, (slots // ids.shape[1], slots % ids.shape[1]), padding_value=-1)
    return (mine[:, None] == ct.arange(EXPERTS, dtype=ct.int32)[None, :]).astype(ct.int32), mine, slots


@ct.kernel
def count_kernel(ids, counts, sorted_slots, SLOTS: ConstInt, EXPERTS: ConstInt, FILL: ConstInt):
    """A row of counts a block. Each also fills a part of the sorted slots with padding."""
    block = ct.bid(0)
    hits, _, _ = hits_of(ids, block, SLOTS, EXPERTS)
    ct.store(counts, (block, 0), ct.sum(hits, axis=0, keepdims=True))
    ct.store(sorted_slots, (block,), ct.full((FILL,), ids.shape[0] * ids.shape[1], dtype=ct.int32))


@ct.kernel
def add_kernel(counts, before, totals, BLOCKS: ConstInt, EXPERTS: ConstInt):
    """For some experts, how many slots of theirs earlier blocks have, and all have."""
    e = ct.bid(0)
    total = ct.zeros((1, EXPERTS), dtype=ct.int32)
    for b in range(ct.cdiv(counts.shape[0], BLOCKS)):
        tile = ct.load(counts, (b, e), (BLOCKS, EXPERTS), padding_mode=ct.PaddingMode.ZERO)
        ct.store(before, (b, e), total + ct.cumsum(tile, axis=0) - tile)
        total = total + ct.sum(tile, axis=0, keepdims=True)
    ct.store(totals, (e,), total.reshape((EXPERTS,)))


def ends_of(totals, EXPERTS, TILE_M):
    """Where the padded slots of each expert begin and end."""
    padded = ct.cdiv(ct.load(totals, (0,), (EXPERTS,), padding_mode=ct.PaddingMode.ZERO), TILE_M) * TILE_M
    ends = ct.cumsum(padded, axis=0)
    return ends - padded, ends


@ct.kernel
def place_kernel(
    ids, before, totals, sorted_slots, block_experts, SLOTS: ConstInt, EXPERTS: ConstInt, TILE_M: ConstInt
):
    """Writes each slot of the block to its place, and the experts of SLOTS blocks of sorted slots: beyond the last of
    those it is -1."""
    block = ct.bid(0)
    begins, ends = ends_of(totals, EXPERTS, TILE_M)
    hits, mine, slots = hits_of(ids, block, SLOTS, EXPERTS)
    first = ct.load(before, (block, 0), (1, EXPERTS), padding_mode=ct.PaddingMode.ZERO) + begins[None, :]
    place = ct.sum(hits * (ct.cumsum(hits, axis=0) - hits + first), axis=1)
    ct.scatter(sorted_slots, ct.where(mine >= 0, place, -1), slots)
    number = block * SLOTS + ct.arange(SLOTS, dtype=ct.int32)
    expert = ct.sum((number[:, None] * TILE_M >= ends[None, :]).astype(ct.int32), axis=1)
    expert = ct.where(number * TILE_M < ct.max(ends), expert, -1)
    ct.store(block_experts, (block,), expert)


class Aligner:
    """Arrays for the alignment of the choices of up to so many tokens."""

    def __init__(self, tokens, choices, experts, tile_m, integers):
        """`integers` makes an i32 array of a shape."""
        self.experts, self.tile_m, self.width = experts, tile_m, power_of_two(experts)
        self.part = max(16, min(power_of_two(tokens * choices), HITS // self.width))
        most, blocks = self.sizes(tokens * choices)
        self.counts, self.before = integers((blocks, self.width)), integers((blocks, self.width))
        self.totals = integers((self.width,))
        self.sorted_slots, self.block_experts = integers((most * tile_m,)), integers((most,))

    def sizes(self, slots):
        """The most blocks of sorted slots: each expert may have one that is not full. And the parts of slots."""
        most = min(self.experts, slots) + slots // self.tile_m
        return most, ct.cdiv(max(slots, most), self.part)

    def __call__(self, ids, *, all_blocks=False, stream=None) -> Alignment:
        """For ids i32 [T, k]. On a CPU without the blocks that are none, but with `all_blocks`; else those have the
        expert -1, since the host does not know their number."""
        most, blocks = self.sizes(ids.shape[0] * ids.shape[1])
        counts, before = self.counts[:blocks], self.before[:blocks]
        sorted_slots, block_experts = self.sorted_slots[: most * self.tile_m], self.block_experts[:most]
        fill = power_of_two(ct.cdiv(most * self.tile_m, blocks))
        ct.launch(stream, (blocks,), count_kernel, (ids, counts, sorted_slots, self.part, self.width, fill))
        columns = min(COUNTS[1], self.width)
        ct.launch(stream, (self.width // columns,), add_kernel, (counts, before, self.totals, COUNTS[0], columns))
        arguments = (ids, before, self.totals, sorted_slots, block_experts, self.part, self.width, self.tile_m)
        ct.launch(stream, (blocks,), place_kernel, arguments)
        used = int((block_experts >= 0).sum()) if on_cpu(ids) and not all_blocks else most
        return Alignment(sorted_slots[: used * self.tile_m], block_experts[:used], self.tile_m)
