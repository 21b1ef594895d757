# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoding on CPUs: a block reads the keys of all heads from one end of a page to the other, as memory is fastest."""

import math

import tilewright as ct

KEYS = 32  # of an iteration, in one page
ROWS = 32  # query heads of a block: their sums stay in the first cache

ConstInt = ct.Constant[int]


@ct.kernel
def decode_whole_pages_kernel(
    q,
    cache_k,
    cache_v,
    tables,
    lengths,
    parts,
    highests,
    totals,
    scale: float,
    KV_HEADS: ConstInt,
    GROUP: ConstInt,
    GROUPS: ConstInt,
    PAGE: ConstInt,
    KEYS: ConstInt,
    FIRST: ConstInt,
    SECOND: ConstInt,
    VALUE: ConstInt,
    SPLIT: ConstInt,
):
    """The results of decode_kernel; one block for SPLIT keys of a request and GROUP query heads of each of KV_HEADS key
    heads, which are the rows of products, one for each key head. GROUPS blocks share the key heads."""
    split, heads, g, request = ct.bid(0), ct.bid(1) // GROUPS, ct.bid(1) % GROUPS, ct.bid(2)
    length = ct.load(lengths, (request,), ())
    zero = ct.PaddingMode.ZERO
    if split * SPLIT < length:
        rows = KV_HEADS, GROUP, FIRST
        q_first = ct.load(q, (request, heads, g, 0), (1, *rows), padding_mode=zero).reshape(rows)
        q_second = q_first
        if SECOND > 0:
            rows = KV_HEADS, GROUP, SECOND
            q_second = ct.load(q, (request, heads, g, FIRST // SECOND), (1, *rows), padding_mode=zero).reshape(rows)

        def keys_of(cache, j, SIZE, AT):
            """[keys, key heads, SIZE] of iteration j."""
            page = ct.load(tables, (request, j * KEYS // PAGE), ())
            tile = ct.load(cache, (page, j % (PAGE // KEYS), heads, AT), (1, KEYS, KV_HEADS, SIZE), padding_mode=zero)
            return tile.reshape((KEYS, KV_HEADS, SIZE))

        highest = ct.full((KV_HEADS, GROUP, 1), -math.inf, dtype=ct.float32)
        total = ct.zeros((KV_HEADS, GROUP, 1), dtype=ct.float32)
        acc = ct.zeros((KV_HEADS, GROUP, VALUE), dtype=ct.float32)
        for j in range(split * (SPLIT // KEYS), ct.cdiv(min((split + 1) * SPLIT, length), KEYS)):
            scores = ct.zeros((KV_HEADS, GROUP, KEYS), dtype=ct.float32)
            scores = ct.mma(q_first, ct.permute(keys_of(cache_k, j, FIRST, 0), (1, 2, 0)), scores)
            if SECOND > 0:
                second = keys_of(cache_k, j, SECOND, FIRST // SECOND)
                scores = ct.mma(q_second, ct.permute(second, (1, 2, 0)), scores)
            key = j * KEYS + ct.arange(KEYS, dtype=ct.int32)
            scores = ct.where(key[None, None, :] < length, scores, -math.inf)
            higher = ct.maximum(highest, ct.max(scores, axis=2, keepdims=True) * scale)
            powers = ct.exp2(scores * scale - higher)
            alpha = ct.exp2(highest - higher)
            total = total * alpha + ct.sum(powers, axis=2, keepdims=True)
            values = ct.permute(keys_of(cache_v, j, VALUE, 0), (1, 0, 2))
            acc = ct.mma(ct.astype(powers, cache_v.dtype), values, acc * alpha)
            highest = higher
        ct.store(parts, (request, heads, split, g, 0), acc.reshape((1, KV_HEADS, 1, GROUP, VALUE)))
        ct.store(highests, (request, heads, split, g), highest.reshape((1, KV_HEADS, 1, GROUP)))
        ct.store(totals, (request, heads, split, g), total.reshape((1, KV_HEADS, 1, GROUP)))


def launch_whole_pages(arrays, scale, sizes, page, split, stream):
    """`arrays`, but for `out`, and `sizes` (group, first, second, value) are those of decode_kernel; `split` keys are
    whole pages."""
    requests, kv_heads = arrays[0].shape[:2]
    group, *parts = sizes
    rows = min(group, ROWS)
    in_block = min(kv_heads & -kv_heads, ROWS // rows)
    groups = group // rows
    grid = (arrays[5].shape[2], kv_heads // in_block * groups, requests)
    constants = (scale, in_block, rows, groups, page, min(KEYS, page), *parts, split)
    ct.launch(stream, grid, decode_whole_pages_kernel, (*arrays, *constants))
