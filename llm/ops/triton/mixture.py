# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experts of a mixture, in the type of x or f8: few tokens read the weights of each choice, for more the choices
are sorted by expert on the device, and tiles of them multiplied."""

import torch
import triton
import triton.language as tl

from .fp8 import quantize
from .products import BLOCK, LEAST, grouped, matvec, product, rounded

FEW = 2  # tokens of which each choice is multiplied by itself
TILE = 1024  # choices that a program sorts at a time
MOST = 128  # choices of a tile


@triton.jit
def gate_up_rows_kernel(
    x,
    x_scales,
    gate_up,
    scales,
    ids,
    hidden,
    inner,
    columns,
    x_row,
    CHOICES: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """hidden [slots, I]: one program for TILE_N columns of one slot, which is a choice of a token."""
    n, slot = tl.program_id(0), tl.program_id(1)
    feature = n * TILE_N + tl.arange(0, TILE_N)
    expert = tl.load(ids + slot).to(tl.int64)
    groups = tl.cdiv(columns, BLOCK)
    x += slot // CHOICES * x_row
    gate_rows = gate_up + (expert * 2 * inner + feature % inner) * columns
    gate_scales, up_scales = scales, scales
    if x_scales is not None:
        x_scales += slot // CHOICES * groups
        gate_scales = scales + (expert * tl.cdiv(2 * inner, BLOCK) + n * TILE_N // BLOCK) * groups
        up_scales = scales + (expert * tl.cdiv(2 * inner, BLOCK) + (inner + n * TILE_N) // BLOCK) * groups
    gate = matvec(x, x_scales, gate_rows, gate_scales, columns, TILE_N, TILE_K)
    up = matvec(x, x_scales, gate_rows + inner * columns, up_scales, columns, TILE_N, TILE_K)
    result = gate / (1 + tl.exp(-gate)) * up
    tl.store(hidden + slot * inner + feature, rounded(result, hidden.dtype.element_ty), mask=feature < inner)


@triton.jit
def down_rows_kernel(
    hidden,
    hidden_scales,
    down,
    scales,
    ids,
    weights,
    out,
    features,
    inner,
    out_row,
    CHOICES: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """One program for TILE_N columns of one token of out, the sum of its choices."""
    n, token = tl.program_id(0), tl.program_id(1)
    feature = n * TILE_N + tl.arange(0, TILE_N)
    groups = tl.cdiv(inner, BLOCK)
    total = tl.zeros((TILE_N,), dtype=tl.float32)
    for i in range(CHOICES):
        slot = token * CHOICES + i
        expert = tl.load(ids + slot).to(tl.int64)
        rows = down + (expert * features + feature % features) * inner
        expert_scales, slot_scales = scales, hidden_scales
        if hidden_scales is not None:
            slot_scales = hidden_scales + slot * groups
            expert_scales = scales + (expert * tl.cdiv(features, BLOCK) + n * TILE_N // BLOCK) * groups
        part = matvec(hidden + slot * inner, slot_scales, rows, expert_scales, inner, TILE_N, TILE_K)
        total += part * tl.load(weights + slot)
    tl.store(out + token * out_row + feature, total.to(out.dtype.element_ty), mask=feature < features)


@triton.jit
def count_kernel(ids, counts, slots, TILE: tl.constexpr):
    """One program per expert: how many slots are its."""
    expert = tl.program_id(0)
    total = tl.zeros((TILE,), dtype=tl.int32)
    for start in range(0, slots, TILE):
        slot = start + tl.arange(0, TILE)
        total += (tl.load(ids + slot, mask=slot < slots, other=-1) == expert).to(tl.int32)
    tl.store(counts + expert, tl.sum(total))


@triton.jit
def sort_kernel(
    ids, counts, order, owners, slots, experts, EXPERTS: tl.constexpr, TILE: tl.constexpr, TILE_M: tl.constexpr
):
    """One program per expert: its slots, in their order, fill whole tiles of `order` with `slots` for the rest.

    `owners` is the expert of each tile; the last expert sets those of the tiles that are left to -1.
    """
    expert = tl.program_id(0)
    number = tl.arange(0, EXPERTS)
    tiles = tl.cdiv(tl.load(counts + number, mask=number < experts, other=0), TILE_M)
    first = tl.sum(tl.where(number < expert, tiles, 0))
    mine = tl.cdiv(tl.load(counts + expert), TILE_M)
    for tile in range(first, first + mine):
        tl.store(owners + tile, expert)
    order += first * TILE_M
    before = 0
    for start in range(0, slots, TILE):
        slot = start + tl.arange(0, TILE)
        chosen = (tl.load(ids + slot, mask=slot < slots, other=-1) == expert).to(tl.int32)
        tl.store(order + before + tl.cumsum(chosen, axis=0) - 1, slot, mask=chosen > 0)
        before += tl.sum(chosen)
    place = before + tl.arange(0, TILE_M)
    tl.store(order + place, slots, mask=place < mine * TILE_M)


@triton.jit
def gate_up_kernel(
    x,
    x_scales,
    gate_up,
    scales,
    order,
    owners,
    hidden,
    slots,
    inner,
    columns,
    limit,
    x_row,
    CHOICES: tl.constexpr,
    EVEN: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """hidden [slots, I]: one program for a tile of slots and TILE_N / 2 columns. Rows of gate and up alternate in its
    tile of the weight, so that a thread has both sums of a column."""
    m, n = grouped(tl.program_id(0), limit, tl.cdiv(2 * inner, TILE_N), 8)
    expert = tl.load(owners + m).to(tl.int64)
    if expert >= 0:
        slot = tl.load(order + m * TILE_M + tl.arange(0, TILE_M))
        there = slot < slots
        token = tl.where(there, slot, 0).to(tl.int64) // CHOICES
        row = tl.arange(0, TILE_N)
        feature = (n * (TILE_N // 2) + row // 2) % inner + row % 2 * inner
        groups = tl.cdiv(columns, BLOCK)
        scale_rows, token_scales = scales, x_scales
        if x_scales is not None:
            token_scales = x_scales + token * groups
            scale_rows = scales + (expert * tl.cdiv(2 * inner, BLOCK) + feature // BLOCK) * groups
        weight_rows = gate_up + (expert * 2 * inner + feature) * columns
        x_rows = x + token * x_row
        acc = product(x_rows, token_scales, weight_rows, scale_rows, columns, EVEN, TILE_M, TILE_N, TILE_K)
        gate, up = tl.split(tl.reshape(acc, (TILE_M, TILE_N // 2, 2)))
        result = gate / (1 + tl.exp(-gate)) * up
        column = n * (TILE_N // 2) + tl.arange(0, TILE_N // 2)[None, :]
        at = hidden + slot.to(tl.int64)[:, None] * inner + column
        tl.store(at, rounded(result, hidden.dtype.element_ty), mask=there[:, None] & (column < inner))


@triton.jit
def down_kernel(
    hidden,
    hidden_scales,
    down,
    scales,
    order,
    owners,
    weights,
    parts,
    slots,
    features,
    inner,
    limit,
    EVEN: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """parts [slots, H], each slot's result times its weight: one program for a tile of them."""
    m, n = grouped(tl.program_id(0), limit, tl.cdiv(features, TILE_N), 8)
    expert = tl.load(owners + m).to(tl.int64)
    if expert >= 0:
        slot = tl.load(order + m * TILE_M + tl.arange(0, TILE_M))
        there = slot < slots
        at_x = tl.where(there, slot, 0).to(tl.int64)
        feature = n * TILE_N + tl.arange(0, TILE_N)
        at_w = feature % features
        groups = tl.cdiv(inner, BLOCK)
        scale_rows, slot_scales = scales, hidden_scales
        if hidden_scales is not None:
            slot_scales = hidden_scales + at_x * groups
            scale_rows = scales + (expert * tl.cdiv(features, BLOCK) + at_w // BLOCK) * groups
        weight_rows = down + (expert * features + at_w) * inner
        acc = product(hidden + at_x * inner, slot_scales, weight_rows, scale_rows, inner, EVEN, TILE_M, TILE_N, TILE_K)
        acc *= tl.load(weights + slot, mask=there, other=0.0)[:, None]
        at = parts + slot.to(tl.int64)[:, None] * features + feature[None, :]
        tl.store(at, acc.to(parts.dtype.element_ty), mask=there[:, None] & (feature[None, :] < features))


@triton.jit
def sum_kernel(parts, out, features, out_row, CHOICES: tl.constexpr, TILE: tl.constexpr):
    """One program for TILE columns of one token, the sum of its slots."""
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE,), dtype=tl.float32)
    for i in range(CHOICES):
        at = parts + (token * CHOICES + i) * features + column
        total += tl.load(at, mask=column < features, other=0.0).to(tl.float32)
    tl.store(out + token * out_row + column, total.to(out.dtype.element_ty), mask=column < features)


def sorted_by_expert(ids, experts, tile_m):
    """Slots by expert in tiles, and the expert of each tile."""
    slots = ids.numel()
    limit = min(slots, experts + slots // tile_m)  # tiles, each expert's last one of which may have room left
    counts = torch.empty((experts,), dtype=torch.int32, device=ids.device)
    order = torch.empty((limit * tile_m,), dtype=torch.int32, device=ids.device)
    owners = torch.full((limit,), -1, dtype=torch.int32, device=ids.device)
    count_kernel[experts,](ids, counts, slots, TILE)
    width = triton.next_power_of_2(experts)
    sort_kernel[experts,](ids, counts, order, owners, slots, experts, width, TILE, tile_m)
    return order, owners, limit


def run(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    """Scales of None are weights in the type of x; else x and what is between are quantized."""
    (tokens, choices), (experts, features, inner) = ids.shape, down.shape
    slots, columns = tokens * choices, x.shape[1]
    scaled = gate_up_scales is not None
    hidden = torch.empty((slots, inner), dtype=x.dtype, device=x.device)
    x, x_scales = quantize(x, gate_up.dtype) if scaled else (x, None)
    if tokens <= FEW:
        tiles = 4, 2048 // gate_up.element_size()
        grid = (triton.cdiv(inner, tiles[0]), slots)
        sizes = inner, columns, x.stride(0), choices, *tiles
        gate_up_rows_kernel[grid](x, x_scales, gate_up, gate_up_scales, ids, hidden, *sizes)
        hidden, scales = quantize(hidden, down.dtype) if scaled else (hidden, None)
        grid = (triton.cdiv(features, tiles[0]), tokens)
        sizes = features, inner, out.stride(0), choices, *tiles
        down_rows_kernel[grid](hidden, scales, down, down_scales, ids, weights, out, *sizes)
        return
    tile_m = max(LEAST, min(MOST, triton.next_power_of_2(triton.cdiv(slots, experts))))
    order, owners, limit = sorted_by_expert(ids, experts, tile_m)
    tile_n, tile_k = 128 if tile_m >= 64 else 64, 128 // (1 if scaled else x.element_size())
    options = {"num_warps": 8 if tile_m == MOST else 4, "num_stages": 4 if scaled or x.element_size() == 2 else 3}
    grid = (limit * triton.cdiv(2 * inner, tile_n),)
    sizes = slots, inner, columns, limit, x.stride(0), choices, columns % tile_k == 0, tile_m, tile_n, tile_k
    gate_up_kernel[grid](x, x_scales, gate_up, gate_up_scales, order, owners, hidden, *sizes, **options)
    parts = torch.empty((slots, features), dtype=out.dtype, device=out.device)
    hidden, scales = quantize(hidden, down.dtype) if scaled else (hidden, None)
    grid = (limit * triton.cdiv(features, tile_n),)
    sizes = slots, features, inner, limit, inner % tile_k == 0, tile_m, tile_n, tile_k
    down_kernel[grid](hidden, scales, down, down_scales, order, owners, weights, parts, *sizes, **options)
    sum_kernel[tokens, triton.cdiv(features, TILE)](parts, out, features, out.stride(0), choices, TILE)


def experts(x, gate_up, down, weights, ids, out):
    run(x, gate_up, None, down, None, weights, ids, out)


def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    run(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out)
