# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokens by expert, padded to whole blocks, in four launches without a trip to the host; and the choice of experts."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def top_k_kernel(logits, weights, experts, K: ConstInt, E: ConstInt):
    """Softmax over experts, then the largest K one after the other."""
    row = ct.bid(0)
    numbers = ct.arange(E, dtype=ct.int32)
    values = ct.gather(logits, (row, numbers), padding_value=float("-inf")).astype(ct.float32)
    values = ct.exp(values - ct.max(values))
    values = values / ct.sum(values)
    for i in ct.static_iter(range(K)):
        best = ct.argmax(values, axis=0)
        ct.scatter(weights, (row, i), ct.max(values))
        ct.scatter(experts, (row, i), best.astype(ct.int32))
        values = ct.where(numbers == best, -1.0, values)


@ct.kernel
def count_by_block(experts, counts, TILE: ConstInt, E: ConstInt):
    """A row of counts a block, so that places follow in order."""
    block = ct.bid(0)
    slots = block * TILE + ct.arange(TILE, dtype=ct.int32)
    mine = ct.gather(experts, slots, padding_value=-1)
    hits = (mine[:, None] == ct.arange(E, dtype=ct.int32)[None, :]).astype(ct.int32)
    ct.store(counts, (block, 0), ct.sum(hits, axis=0, keepdims=True))


@ct.kernel
def starts_of_blocks(counts, starts, total, expert_of_block, B: ConstInt, E: ConstInt, BLOCK: ConstInt, N: ConstInt):
    table = ct.load(counts, (0, 0), (B, E), padding_mode=ct.PaddingMode.ZERO)
    of_expert = ct.sum(table, axis=0)
    padded = ct.cdiv(of_expert, BLOCK) * BLOCK
    ends = ct.cumsum(padded, axis=0)
    before = ct.cumsum(table, axis=0) - table
    ct.store(starts, (0, 0), before + (ends - padded)[None, :])
    ct.store(total, (0,), ct.max(ends, keepdims=True))
    first = ct.arange(N, dtype=ct.int32) * BLOCK
    ct.store(expert_of_block, (0,), ct.sum((first[:, None] >= ends[None, :]).astype(ct.int32), axis=1))


@ct.kernel
def place(experts, starts, out, TILE: ConstInt, E: ConstInt):
    block = ct.bid(0)
    slots = block * TILE + ct.arange(TILE, dtype=ct.int32)
    mine = ct.gather(experts, slots, padding_value=-1)
    hits = (mine[:, None] == ct.arange(E, dtype=ct.int32)[None, :]).astype(ct.int32)
    earlier = ct.cumsum(hits, axis=0) - hits
    begin = ct.load(starts, (block, 0), (1, E))
    where = ct.sum(hits * (earlier + begin), axis=1)
    ct.scatter(out, ct.where(mine >= 0, where, -1), slots)


def check():
    torch.manual_seed(23)
    tokens, count, k, block, tile = 60, 6, 2, 8, 32
    stream = torch.cuda.current_stream()
    logits = torch.randn(tokens, count, device="cuda")
    weights = torch.empty(tokens, k, device="cuda")
    experts = torch.empty(tokens, k, device="cuda", dtype=torch.int32)
    ct.launch(stream, (tokens,), top_k_kernel, (logits, weights, experts, k, 8))
    values, indices = torch.softmax(logits, -1).topk(k)
    yield "weights", weights, values, 1e-6
    yield "experts", experts, indices, 0

    slots = tokens * k
    blocks = ct.cdiv(slots, tile)
    rows = 1 << (blocks - 1).bit_length()
    flat = experts.flatten()
    integers = {"device": "cuda", "dtype": torch.int32}
    counts, starts = torch.zeros(rows, 8, **integers), torch.zeros(rows, 8, **integers)
    total, expert_of_block = torch.zeros(1, **integers), torch.zeros(32, **integers)
    out = torch.full((32 * block,), slots, **integers)
    ct.launch(stream, (blocks,), count_by_block, (flat, counts, tile, 8))
    arguments = (counts, starts, total, expert_of_block, rows, 8, block, 32)
    ct.launch(stream, (1,), starts_of_blocks, arguments)
    ct.launch(stream, (blocks,), place, (flat, starts, out, tile, 8))

    expected, of_block = [], []
    for expert in range(count):
        mine = (flat == expert).nonzero().flatten().tolist()
        mine += [slots] * (-len(mine) % block)
        expected += mine
        of_block += [expert] * (len(mine) // block)
    yield "slots", out[: len(expected)], torch.tensor(expected, device="cuda"), 0
    yield "length", total, torch.tensor([len(expected)], device="cuda"), 0
    yield "expert of a block", expert_of_block[: len(of_block)], torch.tensor(of_block, device="cuda"), 0
