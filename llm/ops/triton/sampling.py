# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A token from the softmax of each row of logits, cut by top-k, top-p and min-p without sorting."""

import math

import triton
import triton.language as tl

LOG2_E = tl.constexpr(math.log2(math.e))
NONE = tl.constexpr(-2139095041)  # the key of -inf
TILE = 8192


@triton.jit
def ordered(values):
    """i32 in the order of f32, and back: the bits of positive numbers, those of negative ones the other way round."""
    bits = values.to(tl.int32, bitcast=True)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


@triton.jit
def mix(x):
    """Spreads every bit of u32 numbers over all 32."""
    x = (x ^ (x >> 16)) * tl.full((), 0x7FEB352D, tl.uint32)
    x = (x ^ (x >> 15)) * tl.full((), 0x846CA68B, tl.uint32)
    return x ^ (x >> 16)


@triton.jit
def noise(seed, step, place):
    """Numbers of Gumbel's distribution, a function of these three only: those of reference.noise."""
    low, high = (seed & 0xFFFFFFFF).to(tl.uint32), ((seed >> 32) & 0xFFFFFFFF).to(tl.uint32)
    key = mix(low) ^ mix(high ^ tl.full((), 0x9E3779B9, tl.uint32))
    key = mix(key ^ (step.to(tl.uint32) * tl.full((), 0x85EBCA6B, tl.uint32)))
    bits = mix(key ^ mix(place.to(tl.uint32)))
    uniform = ((bits >> 9).to(tl.float32) + 0.5) * (1.0 / (1 << 23))
    return -tl.log(-tl.log(uniform))


@triton.jit
def values_of(logits, start, columns, TILE: tl.constexpr):
    column = start + tl.arange(0, TILE)
    return tl.load(logits + column, mask=column < columns, other=float("-inf")).to(tl.float32)


@triton.jit
def better(highest, place, values, start):
    """The largest value so far and its first place."""
    value, at = tl.max(values, axis=0, return_indices=True)
    return tl.maximum(highest, value), tl.where(value > highest, start + at, place)


@triton.jit
def sample_kernel(logits, out, temperature, top_k, top_p, min_p, seeds, steps, columns, row, TILE: tl.constexpr):
    """One program per row, which it reads many times from the cache.

    The least token that is kept is searched by halves between the keys `last` and `kept`: those above `kept` are in,
    with those of one more key at least, and those up to `last` are out.
    """
    request = tl.program_id(0)
    logits += request.to(tl.int64) * row
    highest, place = float("-inf"), 0
    for start in range(0, columns, TILE):
        highest, place = better(highest, place, values_of(logits, start, columns, TILE), start)

    heat = tl.load(temperature + request)
    if heat > 0:
        cold = 1 / heat
        factor = cold * LOG2_E
        most = tl.load(top_k + request)
        most = tl.where((most <= 0) | (most > columns), columns, most)
        mass = tl.load(top_p + request)
        total = 0.0
        for start in range(0, columns, TILE):
            total += tl.sum(tl.exp2((values_of(logits, start, columns, TILE) - highest) * factor))
        mass = tl.where(mass < 1, tl.maximum(mass * total, 1e-30), float("inf"))
        kept, last = ordered(highest), tl.full((), NONE, tl.int32)
        kept = tl.where((most == columns) & (mass == float("inf")), last, kept)
        count_kept, count_last, mass_kept = 0, columns, 0.0
        middle = (last & kept) + ((last ^ kept) >> 1)  # does not overflow
        while (middle != last) & (count_last - count_kept > 1):
            count, above = 0, 0.0
            for start in range(0, columns, TILE):
                values = values_of(logits, start, columns, TILE)
                inside = ordered(values) > middle
                count += tl.sum(inside.to(tl.int32))
                above += tl.sum(tl.where(inside, tl.exp2((values - highest) * factor), 0.0))
            fits = (count < most) & (above < mass)
            kept, last = tl.where(fits, middle, kept), tl.where(fits, last, middle)
            mass_kept = tl.where(fits, above, mass_kept)
            count_kept, count_last = tl.where(fits, count, count_kept), tl.where(fits, count_last, count)
            middle = (last & kept) + ((last ^ kept) >> 1)

        # Of equal logits at the end those come in that are first.
        edge_value = (kept ^ ((kept >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
        room = tl.ceil((mass - mass_kept) / tl.exp2((edge_value - highest) * factor))
        room = tl.minimum(tl.minimum(room, 1e9).to(tl.int32), most - count_kept)

        least = tl.load(min_p + request)
        seed, step = tl.load(seeds + request), tl.load(steps + request)
        best, before = float("-inf"), 0
        for start in range(0, columns, TILE):
            values = values_of(logits, start, columns, TILE)
            keys = ordered(values)
            edge = ((keys > last) & (keys <= kept)).to(tl.int32)
            inside = (keys > kept) | ((edge > 0) & (before + tl.cumsum(edge, axis=0) <= room))
            inside = inside & (tl.exp2((values - highest) * factor) >= least)
            scores = values * cold + noise(seed, step, start + tl.arange(0, TILE))
            best, place = better(best, place, tl.where(inside, scores, float("-inf")), start)
            before += tl.sum(edge)
    tl.store(out + request, place)


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps):
    rows, columns = logits.shape
    tile = min(TILE, triton.next_power_of_2(columns))
    options = temperature, top_k, top_p, min_p, seeds, steps
    sample_kernel[rows,](logits, out, *options, columns, logits.stride(0), tile, num_warps=16)
