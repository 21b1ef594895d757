# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention over pages of keys and values, of prompts and of single tokens with split keys; latents, too."""

import math

import torch
import triton
import triton.language as tl

from .products import LEAST, PROGRAMS, dot

LOG2_E = math.log2(math.e)
LEAST_KEYS = 128, 256  # of a program that decodes; latents have results of many heads to combine


@triton.jit
def load_queries(q, at, there, SIZE: tl.constexpr, START: tl.constexpr, PART: tl.constexpr):
    """[rows, PART] from element START of heads of SIZE elements."""
    element = START + tl.arange(0, PART)[None, :]
    return tl.load(q + at[:, None] + element, mask=there[:, None] & (element < SIZE), other=0.0)


@triton.jit
def load_parts(q, at, there, SIZE: tl.constexpr, FIRST: tl.constexpr, SECOND: tl.constexpr):
    """Both parts of the queries; the second one is not read if it is empty."""
    first = load_queries(q, at, there, SIZE, 0, FIRST)
    second = first
    if SECOND > 0:
        second = load_queries(q, at, there, SIZE, FIRST, SECOND)
    return first, second


@triton.jit
def attend(
    start,
    q_first,
    q_second,
    last,
    highest,
    total,
    acc,
    keys,
    values,
    table,
    key_page,
    key_slot,
    value_page,
    value_slot,
    scale,
    MASKED: tl.constexpr,
    PAGE: tl.constexpr,
    KEYS: tl.constexpr,
    SIZE: tl.constexpr,
    FIRST: tl.constexpr,
    SECOND: tl.constexpr,
    VALUES: tl.constexpr,
    VALUE: tl.constexpr,
):
    """A step of the online softmax with KEYS keys of one page: the new maximum, sum and accumulator.

    `last` [rows] is the last key that a row sees. `scale` is in powers of two. Without `values`, they are the first
    FIRST elements of the keys, which are read once.
    """
    page = tl.load(table + start // PAGE).to(tl.int64)
    slot = (start % PAGE + tl.arange(0, KEYS))[:, None]
    at = keys + page * key_page + slot * key_slot
    k = tl.load(at + tl.arange(0, FIRST)[None, :])
    scores = dot(q_first, tl.trans(k), tl.zeros((q_first.shape[0], KEYS), dtype=tl.float32))
    if SECOND > 0:
        element = FIRST + tl.arange(0, SECOND)[None, :]
        k_second = tl.load(at + element, mask=element < SIZE, other=0.0)
        scores = dot(q_second, tl.trans(k_second), scores)
    scores *= scale
    if MASKED:
        key = start + tl.arange(0, KEYS)[None, :]
        scores = tl.where(key <= last[:, None], scores, float("-inf"))
    higher = tl.maximum(highest, tl.max(scores, axis=1))
    powers = tl.exp2(scores - higher[:, None])
    alpha = tl.exp2(highest - higher)
    total = total * alpha + tl.sum(powers, axis=1)
    acc *= alpha[:, None]
    if values is None:
        v = k
    else:
        element = tl.arange(0, VALUE)[None, :]
        v = tl.load(values + page * value_page + slot * value_slot + element, mask=element < VALUES, other=0.0)
    acc = dot(powers.to(v.dtype), v, acc)
    return higher, total, acc


@triton.jit
def prefill_kernel(
    q,
    keys,
    values,
    tables,
    starts,
    lengths,
    out,
    scale,
    group,
    q_token,
    q_head,
    key_page,
    key_slot,
    key_head,
    value_page,
    value_slot,
    value_head,
    table_row,
    out_token,
    out_head,
    TILE_Q: tl.constexpr,
    HEADS: tl.constexpr,
    PAGE: tl.constexpr,
    KEYS: tl.constexpr,
    SIZE: tl.constexpr,
    FIRST: tl.constexpr,
    SECOND: tl.constexpr,
    VALUES: tl.constexpr,
    VALUE: tl.constexpr,
):
    """One program for TILE_Q queries of one request and HEADS heads of a group that share keys, the last ones first:
    they have the most keys. Keys that every row sees take a loop without a mask."""
    i = tl.num_programs(0) - 1 - tl.program_id(0)
    parts = tl.cdiv(group, HEADS)
    kv_head, part, request = tl.program_id(1) // parts, tl.program_id(1) % parts, tl.program_id(2)
    begin = tl.load(starts + request)
    queries = tl.load(starts + request + 1) - begin
    if i * TILE_Q < queries:
        length = tl.load(lengths + request)
        row = tl.arange(0, TILE_Q * HEADS)
        query, head = i * TILE_Q + row // HEADS, part * HEADS + row % HEADS
        there = (query < queries) & (head < group)
        head += kv_head * group
        token = (begin + query).to(tl.int64)
        at_q = token * q_token + head * q_head
        q_first, q_second = load_parts(q, at_q, there, SIZE, FIRST, SECOND)
        keys += kv_head * key_head
        if values is not None:
            values += kv_head * value_head
        table = tables + request * table_row
        first = length - queries + i * TILE_Q
        last = length - queries + query
        highest = tl.full((TILE_Q * HEADS,), float("-inf"), dtype=tl.float32)
        total = tl.zeros((TILE_Q * HEADS,), dtype=tl.float32)
        acc = tl.zeros((TILE_Q * HEADS, VALUE), dtype=tl.float32)
        seen = (first + 1) // KEYS * KEYS
        for start in range(0, seen, KEYS):
            highest, total, acc = attend(
                start, q_first, q_second, last, highest, total, acc, keys, values, table, key_page, key_slot,
                value_page, value_slot, scale, False, PAGE, KEYS, SIZE, FIRST, SECOND, VALUES, VALUE,
            )  # fmt: skip
        for start in range(seen, min(first + TILE_Q, length), KEYS):
            highest, total, acc = attend(
                start, q_first, q_second, last, highest, total, acc, keys, values, table, key_page, key_slot,
                value_page, value_slot, scale, True, PAGE, KEYS, SIZE, FIRST, SECOND, VALUES, VALUE,
            )  # fmt: skip
        element = tl.arange(0, VALUE)[None, :]
        at = out + (token * out_token + head * out_head)[:, None] + element
        result = (acc / total[:, None]).to(out.dtype.element_ty)
        tl.store(at, result, mask=there[:, None] & (element < VALUES))


@triton.jit
def decode_kernel(
    q,
    keys,
    values,
    tables,
    lengths,
    parts,
    highests,
    totals,
    scale,
    group,
    q_token,
    q_head,
    key_page,
    key_slot,
    key_head,
    value_page,
    value_slot,
    value_head,
    table_row,
    HEADS: tl.constexpr,
    SPLIT: tl.constexpr,
    PAGE: tl.constexpr,
    KEYS: tl.constexpr,
    SIZE: tl.constexpr,
    FIRST: tl.constexpr,
    SECOND: tl.constexpr,
    VALUES: tl.constexpr,
    VALUE: tl.constexpr,
):
    """One program for SPLIT keys of one request and HEADS heads of a group, of which its last token is the query.

    Partial results: `parts` f32 [R, heads, splits, V] before the division by `totals`, `highests` in powers of two.
    """
    split, request = tl.program_id(0), tl.program_id(2)
    blocks = tl.cdiv(group, HEADS)
    kv_head, block = tl.program_id(1) // blocks, tl.program_id(1) % blocks
    length = tl.load(lengths + request)
    if split * SPLIT < length:
        head = block * HEADS + tl.arange(0, HEADS)
        there = head < group
        head += kv_head * group
        at_q = request.to(tl.int64) * q_token + head * q_head
        q_first, q_second = load_parts(q, at_q, there, SIZE, FIRST, SECOND)
        keys += kv_head * key_head
        if values is not None:
            values += kv_head * value_head
        table = tables + request * table_row
        last = tl.zeros((HEADS,), dtype=tl.int32) + length - 1
        highest = tl.full((HEADS,), float("-inf"), dtype=tl.float32)
        total = tl.zeros((HEADS,), dtype=tl.float32)
        acc = tl.zeros((HEADS, VALUE), dtype=tl.float32)
        for start in range(split * SPLIT, min(split * SPLIT + SPLIT, length), KEYS):
            highest, total, acc = attend(
                start, q_first, q_second, last, highest, total, acc, keys, values, table, key_page, key_slot,
                value_page, value_slot, scale, True, PAGE, KEYS, SIZE, FIRST, SECOND, VALUES, VALUE,
            )  # fmt: skip
        heads = tl.num_programs(1) // blocks * group
        at = (request * heads + head) * tl.num_programs(0) + split
        element = tl.arange(0, VALUE)[None, :]
        tl.store(parts + at.to(tl.int64)[:, None] * VALUES + element, acc, mask=there[:, None] & (element < VALUES))
        tl.store(highests + at, highest, mask=there)
        tl.store(totals + at, total, mask=there)


@triton.jit
def combine_kernel(
    parts,
    highests,
    totals,
    lengths,
    out,
    splits,
    out_token,
    out_head,
    SPLIT: tl.constexpr,
    SPLITS: tl.constexpr,
    VALUES: tl.constexpr,
    VALUE: tl.constexpr,
):
    """One program per request and head: its partial results, each by its share."""
    request, head = tl.program_id(0), tl.program_id(1)
    count = tl.cdiv(tl.load(lengths + request), SPLIT)
    first = (request * tl.num_programs(1) + head) * splits
    every = tl.arange(0, SPLITS)
    highest = tl.max(tl.load(highests + first + every, mask=every < count, other=float("-inf")))
    element = tl.arange(0, VALUE)[None, :]
    total = 0.0
    acc = tl.zeros((VALUE,), dtype=tl.float32)
    for start in range(0, count, 8):
        split = start + tl.arange(0, 8)
        share = tl.exp2(tl.load(highests + first + split, mask=split < count, other=float("-inf")) - highest)
        total += tl.sum(share * tl.load(totals + first + split, mask=split < count, other=0.0))
        at = parts + (first + split).to(tl.int64)[:, None] * VALUES + element
        part = tl.load(at, mask=(split < count)[:, None] & (element < VALUES), other=0.0)
        acc += tl.sum(part * share[:, None], axis=0)
    element = tl.arange(0, VALUE)
    at = out + request.to(tl.int64) * out_token + head * out_head + element
    tl.store(at, (acc / total).to(out.dtype.element_ty), mask=element < VALUES)


def shape_of(size, values):
    """SIZE, FIRST, SECOND, VALUES and VALUE: heads as two powers of two, 576 = 512 + 64, 192 = 128 + 64, 128 = 128."""
    first = 1 << (size.bit_length() - 1)
    second = max(LEAST, triton.next_power_of_2(size - first)) if size > first else 0
    return size, first, second, values, max(LEAST, triton.next_power_of_2(values))


def keys_of_step(page, bytes_of_key):
    """Keys that a step reads, of one page: fewer where they are long, as several steps are in shared memory."""
    if page < LEAST or page & page - 1:
        raise ValueError(f"pages have {page} tokens, expected a power of two of at least {LEAST}")
    return min(page, 64 if bytes_of_key <= 512 else 32 if bytes_of_key <= 1280 else LEAST)


def launch(q, cache_k, cache_v, tables, starts, lengths, out, scale):
    """Values of None are the first elements of the keys."""
    tokens, heads, size = q.shape
    requests, page, kv_heads = lengths.shape[0], cache_k.shape[1], cache_k.shape[2]
    group, shape = heads // kv_heads, shape_of(size, out.shape[2])
    keys = keys_of_step(page, size * q.element_size())
    value_strides = (0, 0, 0) if cache_v is None else cache_v.stride()[:3]
    strides = *q.stride()[:2], *cache_k.stride()[:3], *value_strides, tables.stride(0)
    options = {"num_warps": 8 if shape[-1] > 256 else 4, "num_stages": 2}
    if tokens == requests:
        of_program = min(64, max(LEAST, triton.next_power_of_2(group)))
        blocks = kv_heads * triton.cdiv(group, of_program)
        most = tables.shape[1] * page
        split = max(LEAST_KEYS[cache_v is None], most * blocks * requests // PROGRAMS)
        split = triton.next_power_of_2(max(split, page))
        splits = triton.cdiv(most, split)
        parts = torch.empty((requests, heads, splits, out.shape[2]), dtype=torch.float32, device=q.device)
        highests, totals = torch.empty((2, requests, heads, splits), dtype=torch.float32, device=q.device)
        arrays = q, cache_k, cache_v, tables, lengths, parts, highests, totals
        grid = (splits, blocks, requests)
        decode_kernel[grid](*arrays, scale * LOG2_E, group, *strides, of_program, split, page, keys, *shape, **options)
        sizes = splits, *out.stride()[:2], split, triton.next_power_of_2(splits), *shape[-2:]
        combine_kernel[requests, heads](parts, highests, totals, lengths, out, *sizes)
        return
    rows = 128 if shape[-1] <= 128 else 64
    of_program = min(rows, triton.next_power_of_2(group))
    tile_q = min(rows // of_program, max(LEAST // of_program, triton.next_power_of_2(tokens - requests + 1)), rows)
    if tile_q * of_program > 64:
        # Of 16 forms of 8B's prompt of 4,096 tokens the fastest on an H200: 331 us, with 2 stages 475.
        options = {"num_warps": 8, "num_stages": 5 if size * q.element_size() <= 256 else 2}
    grid = (triton.cdiv(tokens - requests + 1, tile_q), kv_heads * triton.cdiv(group, of_program), requests)
    arrays = q, cache_k, cache_v, tables, starts, lengths, out
    sizes = group, *strides, *out.stride()[:2], tile_q, of_program, page, keys, *shape
    prefill_kernel[grid](*arrays, scale * LOG2_E, *sizes, **options)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale):
    launch(q, cache_k, cache_v, tables, starts, lengths, out, scale)


def latent_attention(q, cache, tables, starts, lengths, out, *, scale):
    values, keys = out.shape[2], cache[:, :, None]
    same = values == shape_of(q.shape[2], values)[1]
    launch(q, keys, None if same else keys[..., :values], tables, starts, lengths, out, scale)
