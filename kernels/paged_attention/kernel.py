# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention of several requests at once, whose keys and values lie in pages of a cache."""

import math
import sys

import numpy as np
import tilewright as ct

from kernels.arrays import on_cpu, power_of_two
from kernels.paged_attention.latents import HEADS, KEYS, latent_kernel, online_softmax
from kernels.paged_attention.whole_pages import launch_whole_pages

LOG2_E = math.log2(math.e)
ROWS = 128  # queries times heads of a block
SPLIT = 128  # keys of a block that decodes on a CPU
BLOCKS = 128  # that decode on a GPU, where there are so many pages: about one for each multiprocessor
JOINED = 16  # parts of a query head that are added at a time
MMA_ROWS = 16  # least rows of a tensor core's product
TILE = 1024  # elements of a token that are appended at a time

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def parts_of(size):
    """A head as two powers of two, the second of which may be 0: 192 = 128 + 64, 576 = 512 + 64, 96 = 64 + 32."""
    first = 1 << (size.bit_length() - 1)
    return first, power_of_two(size - first) if size > first else 0


@ct.kernel
def prefill_kernel(
    q,
    cache_k,
    cache_v,
    tables,
    starts,
    lengths,
    out,
    scale: float,
    TILE_Q: ConstInt,
    GROUP: ConstInt,
    PAGE: ConstInt,
    FIRST: ConstInt,
    SECOND: ConstInt,
    VALUE: ConstInt,
):
    """One block for TILE_Q queries of the heads that share a key head, of one request. q and out are [T, KV, group, D].

    `scale` is in powers of two. Scores are [query, key], also on CPUs: with heads that share keys as rows that is 5 to
    10 % faster than [key, query]. Keys that every query of the block sees take the loop without a mask.
    """
    i, kv_head, request = ct.num_blocks(0) - 1 - ct.bid(0), ct.bid(1), ct.bid(2)
    begin, end = ct.load(starts, (request,), ()), ct.load(starts, (request + 1,), ())
    length = ct.load(lengths, (request,), ())
    queries = end - begin
    zero = ct.PaddingMode.ZERO
    COUNT = TILE_Q * GROUP
    if i * TILE_Q < queries:
        mine = q.slice(0, begin, end)
        first_position = length - queries + i * TILE_Q
        q_first = ct.load(mine, (i, kv_head, 0, 0), (TILE_Q, 1, GROUP, FIRST), padding_mode=zero)
        q_first = q_first.reshape((COUNT, FIRST))
        q_second = q_first
        if SECOND > 0:
            part = ct.load(mine, (i, kv_head, 0, FIRST // SECOND), (TILE_Q, 1, GROUP, SECOND), padding_mode=zero)
            q_second = part.reshape((COUNT, SECOND))

        def scores_of(page, tile_q, SIZE, AT):
            """Products of the queries with a part of the keys of a page."""
            keys = ct.load(cache_k, (page, kv_head, AT, 0), (1, 1, SIZE, PAGE), order=(0, 2, 3, 1), padding_mode=zero)
            return ct.mma(tile_q, keys.reshape((SIZE, PAGE)), ct.zeros((COUNT, PAGE), dtype=ct.float32))

        def attend(j, highest, total, acc, MASKED):
            """One page of keys: the new running maximum, sum and accumulator."""
            page = ct.load(tables, (request, j), ())
            scores = scores_of(page, q_first, FIRST, 0)
            if SECOND > 0:
                scores = scores + scores_of(page, q_second, SECOND, FIRST // SECOND)
            if MASKED:
                key = j * PAGE + ct.arange(PAGE, dtype=ct.int32)
                query = first_position + ct.arange(COUNT, dtype=ct.int32) // GROUP
                scores = ct.where(key[None, :] <= query[:, None], scores, -math.inf)
            higher = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True) * scale)
            powers = ct.exp2(scores * scale - higher)
            alpha = ct.exp2(highest - higher)
            total = total * alpha + ct.sum(powers, axis=1, keepdims=True)
            values = ct.load(cache_v, (page, 0, kv_head, 0), (1, PAGE, 1, VALUE), padding_mode=zero)
            acc = ct.mma(ct.astype(powers, cache_v.dtype), values.reshape((PAGE, VALUE)), acc * alpha)
            return higher, total, acc

        highest = ct.full((COUNT, 1), -math.inf, dtype=ct.float32)
        total = ct.zeros((COUNT, 1), dtype=ct.float32)
        acc = ct.zeros((COUNT, VALUE), dtype=ct.float32)
        seen = (first_position + 1) // PAGE
        for j in range(seen):
            highest, total, acc = attend(j, highest, total, acc, False)
        for j in range(seen, ct.cdiv(min(first_position + TILE_Q, length), PAGE)):
            highest, total, acc = attend(j, highest, total, acc, True)
        result = ct.astype(acc * (1.0 / total), out.dtype)
        ct.store(out.slice(0, begin, end), (i, kv_head, 0, 0), result.reshape((TILE_Q, 1, GROUP, VALUE)))


# Two CTAs of a multiprocessor: one loads while the other begins or ends. One of 8 warps takes up to 1.1 times as long.
@ct.kernel(num_worker_warps=ct.ByTarget(sm_90=4), occupancy=ct.ByTarget(sm_90=2))
def decode_kernel(
    q,
    cache_k,
    cache_v,
    tables,
    lengths,
    out,
    parts,
    highests,
    totals,
    scale: float,
    WHOLE: ConstBool,
    GROUP: ConstInt,
    PAGE: ConstInt,
    FIRST: ConstInt,
    SECOND: ConstInt,
    VALUE: ConstInt,
    PAGES: ConstInt,
):
    """One block for PAGES pages of keys of one request and key head, of which its last token is the one query.

    With WHOLE that is all of them, and the result goes to out [R, KV, group, V]. Else partial results: `parts`
    [R, KV, splits, group, V] before the division by `totals`, `highests` in powers of two.
    Keys are read once, for all heads that share them. Scores are [key, query head], and sums [value, query head]: a
    tensor core's product has 64 rows and few columns.
    """
    split, kv_head, request = ct.bid(0), ct.bid(1), ct.bid(2)
    length = ct.load(lengths, (request,), ())
    zero = ct.PaddingMode.ZERO
    if split * (PAGES * PAGE) < length:

        def queries(SIZE, AT):
            tile = ct.load(q, (request, kv_head, 0, AT), (1, 1, GROUP, SIZE), padding_mode=zero)
            return ct.transpose(tile.reshape((GROUP, SIZE)))

        def scores_of(page, tile_q, scores, SIZE, AT):
            keys = ct.load(cache_k, (page, 0, kv_head, AT), (1, PAGE, 1, SIZE), padding_mode=zero)
            return ct.mma(keys.reshape((PAGE, SIZE)), tile_q, scores)

        q_first = queries(FIRST, 0)
        q_second = queries(SECOND, FIRST // SECOND) if SECOND > 0 else q_first
        highest = ct.full((1, GROUP), -math.inf, dtype=ct.float32)
        total = ct.zeros((1, GROUP), dtype=ct.float32)
        acc = ct.zeros((VALUE, GROUP), dtype=ct.float32)
        for j in range(split * PAGES, min((split + 1) * PAGES, ct.cdiv(length, PAGE))):
            page = ct.load(tables, (request, j), ())
            scores = scores_of(page, q_first, ct.zeros((PAGE, GROUP), dtype=ct.float32), FIRST, 0)
            if SECOND > 0:
                scores = scores_of(page, q_second, scores, SECOND, FIRST // SECOND)
            key = j * PAGE + ct.arange(PAGE, dtype=ct.int32)
            scores = ct.where(key[:, None] < length, scores * scale, -math.inf)
            powers, alpha, highest, total = online_softmax(scores, highest, total, 0)
            values = ct.load(cache_v, (page, kv_head, 0, 0), (1, 1, VALUE, PAGE), order=(0, 2, 3, 1), padding_mode=zero)
            acc = ct.mma(values.reshape((VALUE, PAGE)), ct.astype(powers, cache_v.dtype), acc * alpha)
        if WHOLE:
            result = ct.astype(ct.transpose(acc * (1.0 / total)), out.dtype)
            ct.store(out, (request, kv_head, 0, 0), result.reshape((1, 1, GROUP, VALUE)))
        else:
            ct.store(parts, (request, kv_head, split, 0, 0), ct.transpose(acc).reshape((1, 1, 1, GROUP, VALUE)))
            ct.store(highests, (request, kv_head, split, 0), highest.reshape((1, 1, 1, GROUP)))
            ct.store(totals, (request, kv_head, split, 0), total.reshape((1, 1, 1, GROUP)))


@ct.kernel
def join_kernel(parts, highests, totals, lengths, out, KEYS: ConstInt, VALUE: ConstInt):
    """Adds the parts of one query head, each by its share, JOINED at a time; KEYS are those of a part."""
    kv_head, g, request = ct.bid(0), ct.bid(1), ct.bid(2)
    splits = ct.cdiv(ct.load(lengths, (request,), ()), KEYS)
    zero = ct.PaddingMode.ZERO
    highest = ct.full((1,), -math.inf, dtype=ct.float32)
    total = ct.zeros((1,), dtype=ct.float32)
    acc = ct.zeros((VALUE,), dtype=ct.float32)
    for s in range(ct.cdiv(splits, JOINED)):
        valid = s * JOINED + ct.arange(JOINED, dtype=ct.int32) < splits  # the others were never written
        mine = ct.load(highests, (request, kv_head, s, g), (1, 1, JOINED, 1), padding_mode=zero)
        mine = ct.where(valid, mine.reshape((JOINED,)), -math.inf)
        higher = ct.maximum(highest, ct.max(mine, axis=0, keepdims=True))
        share, alpha = ct.exp2(mine - higher), ct.exp2(highest - higher)
        sums = ct.load(totals, (request, kv_head, s, g), (1, 1, JOINED, 1), padding_mode=zero).reshape((JOINED,))
        total = total * alpha + ct.sum(ct.where(valid, sums * share, 0.0), axis=0, keepdims=True)
        part = ct.load(parts, (request, kv_head, s, g, 0), (1, 1, JOINED, 1, VALUE), padding_mode=zero)
        part = ct.where(valid[:, None], part.reshape((JOINED, VALUE)) * share[:, None], 0.0)
        acc = acc * alpha + ct.sum(part, axis=0)
        highest = higher
    ct.store(out, (request, kv_head, g, 0), ct.astype(acc / total, out.dtype).reshape((1, 1, 1, VALUE)))


def empty_like(array, *shape):
    """f32 memory where the array is."""
    if isinstance(array, np.ndarray):
        return np.empty(shape, np.float32)
    return array.new_empty(shape, dtype=sys.modules["torch"].float32)


def partial_results(q, whole, *shape):
    """Memory for parts [..., V], highests and totals [...]; if no split needs them, of one element each."""
    shape = (1,) * len(shape) if whole else shape
    return empty_like(q, *shape), empty_like(q, *shape[:-1]), empty_like(q, *shape[:-1])


def grouped(array, kv_heads):
    """[T, heads, D] as [T, KV, heads of each, D]."""
    tokens, heads, size = array.shape
    return array.reshape(tokens, kv_heads, heads // kv_heads, size)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale, by_mma=None, stream=None):
    """out [T, heads, V] = causal attention of q [T, heads, D] in `cache_k` [pages, page, KV, D], `cache_v` [..., V].

    The queries of request r are the rows starts[r] to starts[r + 1], the last ones of its lengths[r] tokens; its keys
    lie in the pages tables[r] (all i32). A page is a power of two, heads a multiple of the KV heads. Each request has
    a query; where each has just one, blocks split the keys. `by_mma` decodes in the form for tensor
    cores, which GPUs have by default.
    """
    tokens, heads, size = q.shape
    page, kv_heads, values = cache_k.shape[1], cache_k.shape[2], cache_v.shape[3]
    requests, group = lengths.shape[0], heads // kv_heads
    if heads % kv_heads or page & page - 1:
        raise ValueError(f"{heads} heads share {kv_heads} key heads in pages of {page} tokens, expected a multiple of"
                         " them and a power of two")  # fmt: skip
    if tokens == requests:
        return decode(q, cache_k, cache_v, tables, lengths, out, scale=scale, by_mma=by_mma, stream=stream)
    first, second = parts_of(size)
    tile_group = power_of_two(group)
    tile_q = max(1, min(ROWS // tile_group, power_of_two(tokens - requests + 1)))
    grid = (ct.cdiv(tokens - requests + 1, tile_q), kv_heads, requests)
    sizes = (tile_q, tile_group, page, first, second, power_of_two(values))
    arrays = (grouped(q, kv_heads), cache_k, cache_v, tables, starts, lengths, grouped(out, kv_heads))
    ct.launch(stream, grid, prefill_kernel, (*arrays, scale * LOG2_E, *sizes))
    return out


def pages_of_block(pages, page, others, by_mma):
    """How many of a request's pages a decoding block has: on a GPU few enough for BLOCKS blocks with the others'."""
    if not by_mma:
        return max(1, SPLIT // page)
    return power_of_two(max(1, pages * others // BLOCKS))


def decode(q, cache_k, cache_v, tables, lengths, out, *, scale, by_mma=None, stream=None):
    """The same for one query of each request, its last token."""
    requests, heads, size = q.shape
    page, kv_heads, values = cache_k.shape[1], cache_k.shape[2], cache_v.shape[3]
    by_mma = not on_cpu(q) if by_mma is None else by_mma
    shared, (first, second) = heads // kv_heads, parts_of(size)
    group = max(power_of_two(shared), MMA_ROWS) if by_mma else power_of_two(shared)
    pages = pages_of_block(tables.shape[1], page, kv_heads * requests, by_mma)
    splits, value = ct.cdiv(tables.shape[1], pages), power_of_two(values)
    whole = by_mma and splits == 1
    partial, result = partial_results(q, whole, requests, kv_heads, splits, shared, values), grouped(out, kv_heads)
    arrays, scale = (grouped(q, kv_heads), cache_k, cache_v, tables, lengths), scale * LOG2_E
    sizes = (group, first, second, value)
    if by_mma:
        constants = (scale, whole, group, page, *sizes[1:], pages)
        ct.launch(stream, (splits, kv_heads, requests), decode_kernel, (*arrays, result, *partial, *constants))
    else:
        launch_whole_pages((*arrays, *partial), scale, sizes, page, pages * page, stream)
    if not whole:
        joined = (*partial, lengths, result, pages * page, value)
        ct.launch(stream, (kv_heads, shared, requests), join_kernel, joined)
    return out


def move(tokens, cache, slots, PAGE, HEADS, SIZE):
    """Some heads of one token into the cache."""
    token, h = ct.bid(0), ct.bid(1)
    slot = ct.load(slots, (token,), ())
    tile = ct.load(tokens, (token, h, 0), (1, HEADS, SIZE), padding_mode=ct.PaddingMode.ZERO)
    ct.store(cache, (slot // PAGE, slot % PAGE, h, 0), tile.reshape((1, 1, HEADS, SIZE)))


@ct.kernel
def append_one_kernel(tokens, cache, slots, PAGE: ConstInt, HEADS: ConstInt, SIZE: ConstInt):
    move(tokens, cache, slots, PAGE, HEADS, SIZE)


@ct.kernel
def append_kernel(k, v, cache_k, cache_v, slots, PAGE: ConstInt, HEADS: ConstInt, K_SIZE: ConstInt, V_SIZE: ConstInt):
    move(k, cache_k, slots, PAGE, HEADS, K_SIZE)
    move(v, cache_v, slots, PAGE, HEADS, V_SIZE)


def launch_append(kernel, arrays, caches, slots, stream):
    """A block for some heads of one token of all arrays."""
    (count, heads, _), sizes = arrays[0].shape, [power_of_two(array.shape[2]) for array in arrays]
    of_block = min(power_of_two(heads), max(1, TILE // max(sizes)))
    grid = (count, ct.cdiv(heads, of_block))
    ct.launch(stream, grid, kernel, (*arrays, *caches, slots, caches[0].shape[1], of_block, *sizes))


def append(k, v, cache_k, cache_v, slots, *, stream=None):
    """cache_k and cache_v [pages, page, KV, D] get k and v [T, KV, D] at slots i32 [T]: page number * page + offset."""
    launch_append(append_kernel, (k, v), (cache_k, cache_v), slots, stream)


def latent_append(latent, cache, slots, *, stream=None):
    """cache [pages, page, D] gets the latents [T, D] of new tokens at slots i32 [T]."""
    launch_append(append_one_kernel, (latent[:, None],), (cache[:, :, None],), slots, stream)


def latent_attention(q, cache, tables, starts, lengths, out, *, scale, by_mma=None, stream=None):
    """out [T, heads, V] = attention of q [T, heads, D] in `cache` [pages, page, D], values the first V elements.

    All heads share the latents, as DeepSeek's absorbed form has them: D = 576, V = 512.
    """
    by_mma = not on_cpu(q) if by_mma is None else by_mma
    value, rest = out.shape[2], q.shape[2] - out.shape[2]
    two_parts = rest > 0 and parts_of(q.shape[2]) == (value, rest)
    if by_mma and two_parts and q.dtype.itemsize == 2 and cache.shape[1] >= KEYS:
        return latents_by_mma(q, cache, tables, starts, lengths, out, scale=scale, stream=stream)
    keys = cache[:, :, None]
    return attention(
        q, keys, keys[..., :value], tables, starts, lengths, out, scale=scale, by_mma=by_mma, stream=stream
    )


def latents_by_mma(q, cache, tables, starts, lengths, out, *, scale, stream):
    """Queries alone, whose keys blocks split if they are few, or several of a request, of which each has a block for
    all keys."""
    (tokens, heads, size), value, requests, page = q.shape, out.shape[2], lengths.shape[0], cache.shape[1]
    of_block = min(HEADS, max(MMA_ROWS, power_of_two(heads)))
    groups, all_pages = ct.cdiv(heads, of_block), tables.shape[1]
    pages = all_pages if tokens > requests else pages_of_block(all_pages, page, groups * requests, True)
    splits = ct.cdiv(all_pages, pages)
    whole = splits == 1
    partial = partial_results(q, whole, tokens, splits, heads, value)
    constants = (whole, groups, of_block, page, KEYS, value, size - value, pages * page)
    arrays = (q, cache, tables, starts, lengths, out, *partial)
    grid = (splits * groups, tokens - requests + 1, requests)
    ct.launch(stream, grid, latent_kernel, (*arrays, scale * LOG2_E, *constants))
    if not whole:
        parts = (array[:, None] for array in partial)
        ct.launch(stream, (1, heads, requests), join_kernel, (*parts, lengths, out[:, None], pages * page, value))
    return out
