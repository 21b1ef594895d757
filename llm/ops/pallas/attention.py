# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over pages: a program for some queries of one request and all heads that share a key head, or for a part of
the keys of a single query."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from .exchange import F32, View, dot, launch, masked, operation, store

PROGRAMS = 264  # two for each of the 132 multiprocessors of an H100
LOWEST = -1e30  # instead of -inf, whose difference to itself is no number


def parts(size):
    """Powers of two that add up to a size, as (first, count): 576 is 512 and 64."""
    found, first = [], 0
    while size:
        count = 1 << (size.bit_length() - 1)
        found.append((first, count))
        first, size = first + count, size - count
    return found


@dataclass(frozen=True)
class Plan:
    """rows: pairs of a query and a head in a program. Each part of the keys is `reach` keys long."""

    rows: int
    keys: int
    tiles: int
    splits: int
    reach: int
    warps: int


def plan_of(tokens, requests, group, kv_heads, size, longest, dtype):
    """One query of each request, with the keys in as many parts as fill the GPU, or many queries."""
    wide = size > 256 or dtype == F32
    keys = 32 if wide else 64
    if tokens == requests:
        rows = max(16, 1 << (group - 1).bit_length())
        rows = min(rows, 16) if wide else rows
        tiles = pl.cdiv(group, rows)
        splits = max(1, min(PROGRAMS // (requests * kv_heads * tiles), pl.cdiv(longest, 4 * keys)))
        reach = pl.cdiv(pl.cdiv(longest, splits), keys) * keys
        return Plan(rows, keys, tiles, pl.cdiv(longest, reach), reach, 4)
    rows = 32 if wide else 128 if tokens > 64 else 64
    tiles = pl.cdiv(tokens * group, rows)
    return Plan(rows, keys, tiles, 1, pl.cdiv(longest, keys) * keys, 8 if wide or rows == 128 else 4)


def attend(q_ref, key_ref, value_ref, table_ref, queries, plan, *, length, key_parts, value_parts, scale, split):
    """The weighted sum of values (a list of parts), the largest score and the sum of powers of the queries.

    q_ref(part) and key_ref(places, part) load tiles; value_ref is None if the values are the keys' first elements.
    """
    position, mask = queries
    q = [q_ref(part) for part in key_parts]
    first = split * plan.reach
    last = jnp.minimum(jnp.minimum(length, first + plan.reach), jnp.max(jnp.where(mask, position, -1)) + 1)

    def body(step, carry):
        sums, highest, total = carry
        key = first + step * plan.keys + jnp.arange(plan.keys)
        place = table_ref(key)
        exists = key < last
        k = [key_ref(place, exists, part) for part in key_parts]
        scores = sum(dot(a, b) for a, b in zip(q, k, strict=True)) * scale
        seen = exists[None, :] & (key[None, :] <= position[:, None])
        scores = jnp.where(seen, scores, LOWEST)
        higher = jnp.maximum(highest, jnp.max(scores, axis=1))
        powers = jnp.where(seen, jnp.exp(scores - higher[:, None]), 0.0)
        shrink = jnp.exp(highest - higher)
        total = total * shrink + jnp.sum(powers, axis=1)
        values = k if value_ref is None else [value_ref(place, exists, part) for part in value_parts]
        weights = powers.astype(k[0].dtype)
        sums = [old * shrink[:, None] + dot(weights, value.T) for old, value in zip(sums, values, strict=False)]
        return sums, higher, total

    rows = plan.rows
    start = ([jnp.zeros((rows, count), F32) for _, count in value_parts], jnp.full((rows,), LOWEST, F32),
             jnp.zeros((rows,), F32))  # fmt: skip
    steps = pl.cdiv(jnp.maximum(last - first, 0), plan.keys)
    return jax.lax.fori_loop(0, steps, body, start)


def paged(q: View, caches, tables, starts, lengths, out, scale, interpret):
    """caches: keys and values [pages, page, KV, D], or one of latents whose first elements are the values."""
    (tokens, heads, size), (_, page, kv_heads, _) = q.shape, caches[0].shape
    requests, group, value_size = len(lengths), heads // kv_heads, out.shape[2]
    latent = len(caches) == 1
    value_parts = parts(value_size)
    key_parts = value_parts + [(value_size + a, n) for a, n in parts(size - value_size)] if latent else parts(size)
    plan = plan_of(tokens, requests, group, kv_heads, size, tables.shape[1] * page, q.dtype)

    def kernel(q_flat, *refs):
        cache_refs, (tables_ref, starts_ref, lengths_ref), results = refs[: len(caches)], refs[-6:-3], refs[-3:]
        request, kv_head = pl.program_id(0), pl.program_id(2)
        tile, split = pl.program_id(1) // plan.splits, pl.program_id(1) % plan.splits
        start, length = starts_ref[request], lengths_ref[request]
        count = starts_ref[request + 1] - start
        row = tile * plan.rows + jnp.arange(plan.rows)
        query, head = start + row // group, kv_head * group + row % group
        mask = row < count * group
        queries = length - count + row // group, mask

        @pl.when(tile * plan.rows < count * group)
        def _():
            def q_tile(part):
                columns = (part[0] + jnp.arange(part[1]))[None, :]
                return masked(q_flat, q.places(query[:, None], head[:, None], columns), mask[:, None])

            def place_of(key):
                existing = jnp.minimum(key, length - 1)
                return tables_ref[jnp.full_like(key, request), existing // page], existing % page

            def tile_of(cache):
                def load(place, exists, part):
                    columns = (part[0] + jnp.arange(part[1]))[None, :]
                    number, offset = (index[:, None] for index in place)
                    return masked(cache, (number, offset, kv_head, columns), exists[:, None])

                return load

            sums, highest, total = attend(
                q_tile, tile_of(cache_refs[0]), None if latent else tile_of(cache_refs[1]), place_of, queries, plan,
                length=length, key_parts=key_parts, value_parts=value_parts, scale=scale, split=split,
            )  # fmt: skip
            for (first, columns), values in zip(value_parts, sums, strict=True):
                values = values / jnp.maximum(total, 1e-30)[:, None]
                places = query[:, None], head[:, None], (first + jnp.arange(columns))[None, :]
                store(results[0], places if plan.splits == 1 else (split, *places), values, mask[:, None])
            if plan.splits > 1:
                store(results[1], (split, query, head), highest, mask)
                store(results[2], (split, query, head), total, mask)

    scalars = jax.ShapeDtypeStruct((plan.splits, tokens, heads), F32)
    sums = out if plan.splits == 1 else jax.ShapeDtypeStruct((plan.splits, *out.shape), F32)
    grid = requests, plan.tiles * plan.splits, kv_heads
    means, highest, totals = launch(kernel, (sums, scalars, scalars), grid, q.flat, *caches, tables, starts, lengths,
                                    warps=plan.warps, stages=2, interpret=interpret)  # fmt: skip
    if plan.splits == 1:
        return means
    weights = jnp.exp(highest - highest.max(0)) * totals
    return (jnp.sum(means * weights[..., None], 0) / jnp.sum(weights, 0)[..., None]).astype(out.dtype)


@operation(out=(6,), views=(0,))
def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale, interpret):
    return paged(q, [cache_k, cache_v], tables, starts, lengths, out, scale, interpret)


@operation(out=(5,), views=(0,))
def latent_attention(q, cache, tables, starts, lengths, out, *, scale, interpret):
    return paged(q, [cache[:, :, None, :]], tables, starts, lengths, out, scale, interpret)
