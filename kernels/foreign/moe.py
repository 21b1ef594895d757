# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A layer of experts: tokens are sorted by expert on the device, a product gathers their rows and scatters its own."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def count_tokens(expert_of, counts, TILE: ConstInt):
    slots = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    expert = ct.gather(expert_of, slots, padding_value=-1)
    ct.atomic_add(counts, expert, ct.where(expert >= 0, 1, 0).astype(ct.int32))


@ct.kernel
def place_experts(counts, starts, cursors, expert_of_block, TILE_M: ConstInt, EXPERTS: ConstInt, BLOCKS: ConstInt):
    padded = ct.cdiv(ct.load(counts, (0,), (EXPERTS,)), TILE_M) * TILE_M
    ends = ct.cumsum(padded, axis=0)
    ct.store(starts, (0,), ends - padded)
    ct.store(cursors, (0,), ends - padded)
    first = ct.arange(BLOCKS, dtype=ct.int32) * TILE_M
    behind = first[:, None] >= ends[None, :]
    ct.store(expert_of_block, (0,), ct.sum(behind.astype(ct.int32), axis=1))


@ct.kernel
def place_tokens(expert_of, cursors, sorted_slots, TILE: ConstInt):
    slots = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    expert = ct.gather(expert_of, slots, padding_value=-1)
    place = ct.atomic_add(cursors, expert, 1)
    ct.scatter(sorted_slots, ct.where(expert >= 0, place, -1), slots)


@ct.kernel
def experts_kernel(
    X,
    W,
    Y,
    sorted_slots,
    expert_of_block,
    weights,
    top_k: ConstInt,
    experts: ConstInt,
    scale_rows: ct.Constant[bool],
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
):
    block, column = ct.bid(0), ct.bid(1)
    expert = ct.load(expert_of_block, index=block, shape=())
    if expert >= experts:
        return
    slots = ct.gather(sorted_slots, block * TILE_M + ct.arange(TILE_M, dtype=ct.int32))
    tokens = slots // top_k
    acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
    for k in range(ct.cdiv(X.shape[1], TILE_K)):
        inner = k * TILE_K + ct.arange(TILE_K, dtype=ct.int32)
        x = ct.gather(X, (tokens[:, None], inner[None, :]), padding_value=0)
        w = ct.load(W, (expert, k, column), (1, TILE_K, TILE_N), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(x, w.reshape((TILE_K, TILE_N)), acc)
    if scale_rows:
        acc = acc * ct.gather(weights, slots, padding_value=0)[:, None]
    columns = column * TILE_N + ct.arange(TILE_N, dtype=ct.int32)
    ct.scatter(Y, (slots[:, None], columns[None, :]), acc.astype(Y.dtype))


def moe(x, w1, w2, expert_of, weights):
    tokens, top_k = expert_of.shape
    experts = w1.shape[0]
    slots, tile_m = tokens * top_k, 16
    blocks = 1 << (slots // tile_m + experts - 1).bit_length()

    def new(n, value):
        return torch.full((n,), value, device=x.device, dtype=torch.int32)

    counts, starts, cursors, expert_of_block = new(experts, 0), new(experts, 0), new(experts, 0), new(blocks, 0)
    sorted_slots = new(blocks * tile_m, slots)
    stream = torch.cuda.current_stream()
    flat = expert_of.flatten()
    grid = (ct.cdiv(slots, 32),)
    ct.launch(stream, grid, count_tokens, (flat, counts, 32))
    ct.launch(stream, (1,), place_experts, (counts, starts, cursors, expert_of_block, tile_m, experts, blocks))
    ct.launch(stream, grid, place_tokens, (flat, cursors, sorted_slots, 32))

    hidden = torch.zeros(slots, w1.shape[2], device=x.device, dtype=x.dtype)
    common = (sorted_slots, expert_of_block, weights.flatten())
    grid = (blocks, ct.cdiv(hidden.shape[1], 32))
    ct.launch(stream, grid, experts_kernel, (x, w1, hidden, *common, top_k, experts, False, tile_m, 32, 32))
    hidden = torch.nn.functional.silu(hidden)
    out = torch.zeros(slots, x.shape[1], device=x.device, dtype=x.dtype)
    grid = (blocks, ct.cdiv(out.shape[1], 32))
    ct.launch(stream, grid, experts_kernel, (hidden, w2, out, *common, 1, experts, True, tile_m, 32, 32))
    return out.reshape(tokens, top_k, -1).sum(1), counts


def check():
    torch.manual_seed(6)
    tokens, width, inner, experts, top_k = 50, 64, 80, 8, 2
    x = torch.randn(tokens, width, device="cuda", dtype=torch.float16)
    w1 = torch.randn(experts, width, inner, device="cuda", dtype=torch.float16) / 8
    w2 = torch.randn(experts, inner, width, device="cuda", dtype=torch.float16) / 8
    weights, expert_of = torch.softmax(torch.randn(tokens, experts, device="cuda"), -1).topk(top_k)
    out, counts = moe(x, w1, w2, expert_of.to(torch.int32), weights)
    expected = torch.zeros(tokens, width, device="cuda")
    for token in range(tokens):
        for j in range(top_k):
            e = int(expert_of[token, j])
            h = torch.nn.functional.silu((x[token].float() @ w1[e].float()).half().float())
            expected[token] += weights[token, j] * (h @ w2[e].float())
    yield "counts", counts, torch.bincount(expert_of.flatten().cpu(), minlength=experts).to("cuda"), 0
    yield "experts", out, expected, 2e-2
