# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention over pages by tiles: a block for some queries of a request and heads that share keys, and for a part
of the keys where requests have one query each. A second kernel adds the parts."""

from functools import cache

import warp as wp

from .arrays import F32, ceil_div, empty, kernel, launch, launch_blocks, type_of

THREADS = 128
BLOCKS = 264  # two for each multiprocessor of an H100
LOWEST = F32(-1.0e30)  # instead of -inf, whose difference to itself is no number
NOWHERE = -(1 << 30)  # a row that is not stored, also after an offset is added


@wp.func
def masked(score: F32, seen: int):
    """seen: by how many places the key is before the last one that the query sees."""
    if seen < 0:
        return LOWEST
    return score


@wp.func
def power(score: F32, highest: F32):
    if score <= LOWEST:
        return F32(0.0)
    return wp.exp(score - highest)


@wp.func
def below(index: int, count: int):
    if index < count:
        return index
    return NOWHERE


@cache
def attention_kernel(dtype, queries, heads, keys, page, size, values, latent):
    """Rows of a tile are pairs of a query and a head. The values of latents are the first elements of the keys."""
    rows = queries * heads

    @wp.func
    def last_seen(row: int, first: int):
        return first + row // heads

    @kernel
    def attend(
        q: wp.array3d(dtype=dtype),
        cache_k: wp.array4d(dtype=dtype),
        cache_v: wp.array4d(dtype=dtype),
        tables: wp.array2d(dtype=wp.int32),
        starts: wp.array(dtype=wp.int32),
        lengths: wp.array(dtype=wp.int32),
        scale: float,
        splits: int,
        reach: int,
        parts: wp.array3d(dtype=F32),
        highests: wp.array2d(dtype=F32),
        totals: wp.array2d(dtype=F32),
    ):
        """A part of the keys is `reach` of them. Results of part s are at rows s * tokens + token."""
        request, block, number = wp.tid()
        split, query = number % splits, number // splits * queries
        start = starts[request]
        count, length = starts[request + 1] - start, lengths[request]
        if query >= count:
            return
        head, token = block * heads, start + query
        kv_head = head * cache_k.shape[2] // q.shape[1]
        position = length - count + query
        first = split * reach
        end = wp.min(wp.min(length, first + reach), position + queries)

        queried = wp.tile_reshape(
            wp.tile_load(q, shape=(queries, heads, size), offset=(token, head, 0), storage="shared"), (rows, size)
        )
        last = wp.tile_reshape(wp.tile_map(last_seen, wp.tile_arange(rows, dtype=int), position), (rows, 1))
        seen = wp.tile_broadcast(last, (rows, keys)) - wp.tile_broadcast(wp.tile_arange(keys, dtype=int), (rows, keys))
        scores = wp.tile_zeros(shape=(rows, keys), dtype=F32, storage="shared")
        sums = wp.tile_zeros(shape=(rows, values), dtype=F32, storage="shared")
        highest = wp.tile_full(shape=(rows,), value=LOWEST, dtype=F32, storage="shared")
        total = wp.tile_zeros(shape=(rows,), dtype=F32, storage="shared")
        for key in range(first, end, keys):
            place, slot = tables[request, key // page], key % page
            of_keys = (place, slot, kv_head, 0)
            k = wp.tile_reshape(
                wp.tile_load(cache_k, shape=(1, keys, 1, size), offset=of_keys, storage="shared"), (keys, size)
            )
            wp.tile_matmul(queried, wp.tile_transpose(k), scores, alpha=scale, beta=0.0)
            visible = wp.tile_map(masked, scores, wp.tile_map(wp.sub, seen, key))
            higher = wp.tile_map(wp.max, highest, wp.tile_reduce(wp.max, visible, axis=1))
            shrink = wp.tile_map(power, highest, higher)
            powers = wp.tile_map(power, visible, wp.tile_broadcast(wp.tile_reshape(higher, (rows, 1)), (rows, keys)))
            wp.tile_assign(total, wp.tile_map(wp.mul, total, shrink) + wp.tile_sum(powers, axis=1))
            wp.tile_assign(highest, higher)
            of_sums = wp.tile_broadcast(wp.tile_reshape(shrink, (rows, 1)), (rows, values))
            wp.tile_assign(sums, wp.tile_map(wp.mul, sums, of_sums))
            if wp.static(latent):
                v = wp.tile_view(k, offset=(0, 0), shape=(keys, values))
            else:
                v = wp.tile_reshape(
                    wp.tile_load(cache_v, shape=(1, keys, 1, values), offset=of_keys, storage="shared"), (keys, values)
                )
            wp.tile_matmul(wp.tile_astype(powers, dtype=dtype), v, sums)

        own = wp.tile_map(below, wp.tile_arange(queries, dtype=int), count - query)
        row = split * q.shape[0] + token
        wp.tile_store_indexed(parts, own, wp.tile_reshape(sums, (queries, heads, values)), offset=(row, head, 0))
        wp.tile_store_indexed(highests, own, wp.tile_reshape(highest, (queries, heads)), offset=(row, head))
        wp.tile_store_indexed(totals, own, wp.tile_reshape(total, (queries, heads)), offset=(row, head))

    return attend


@cache
def combine_kernel(out_type):
    @kernel
    def combine(
        parts: wp.array3d(dtype=F32),
        highests: wp.array2d(dtype=F32),
        totals: wp.array2d(dtype=F32),
        out: wp.array3d(dtype=out_type),
    ):
        token, head, element = wp.tid()
        highest = LOWEST
        for row in range(token, parts.shape[0], out.shape[0]):
            highest = wp.max(highest, highests[row, head])
        total, value = F32(0.0), F32(0.0)
        for row in range(token, parts.shape[0], out.shape[0]):
            share = power(highests[row, head], highest)
            total += share * totals[row, head]
            value += share * parts[row, head, element]
        out[token, head, element] = out_type(value / total)

    return combine


def tile_of(group, size, itemsize, single):
    """Queries, heads and keys of a tile: fewer where heads are long, for shared memory."""
    wide = size * itemsize > 512
    rows, keys = (32, 64 // itemsize) if wide else (64, 128 // itemsize)
    heads = max(number for number in range(1, min(group, rows) + 1) if group % number == 0)
    return 1 if single else rows // heads, heads, keys


def attend_pages(q, cache_k, cache_v, tables, starts, lengths, out, scale, latent):
    (tokens, heads, size), (_, page, kv_heads, _) = q.shape, cache_k.shape
    requests, values, itemsize = len(lengths), out.shape[2], 4 if type_of(q) is F32 else 2
    single = tokens == requests
    queries, tile_heads, keys = tile_of(heads // kv_heads, size, itemsize, single)
    keys = min(keys, page)
    blocks, longest = heads // tile_heads, tables.shape[1] * page
    splits = max(1, min(BLOCKS // (requests * blocks), longest // (2 * keys))) if single else 1
    reach = ceil_div(ceil_div(longest, splits), keys) * keys
    splits = ceil_div(longest, reach)
    parts = empty(q, (splits * tokens, heads, values), "float32")
    highests, totals = (empty(q, (splits * tokens, heads), "float32") for _ in range(2))
    run = attention_kernel(type_of(q), queries, tile_heads, keys, page, size, values, latent)
    grid = requests, blocks, ceil_div(tokens - requests + 1, queries) * splits
    arrays = q, cache_k, cache_v, tables, starts, lengths
    launch_blocks(run, grid, THREADS, *arrays, float(scale), splits, reach, parts, highests, totals)
    launch(combine_kernel(type_of(out)), out.shape, parts, highests, totals, out)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale):
    attend_pages(q, cache_k, cache_v, tables, starts, lengths, out, scale, False)


def latent_attention(q, cache, tables, starts, lengths, out, *, scale):
    keys = cache[:, :, None]
    attend_pages(q, keys, keys, tables, starts, lengths, out, scale, True)
