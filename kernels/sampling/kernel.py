# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[r] = a token drawn from the softmax of logits[r] / temperature[r], cut by top-k, top-p and min-p."""

import math

import tilewright as ct

from kernels.arrays import on_cpu, power_of_two

TILE, GPU_TILE = 4096, 8192
LOG2_E = math.log2(math.e)
NONE = -2139095041  # the key of -inf

ConstInt = ct.Constant[int]


def key_of(values):
    """i32 in the order of f32: the bits of positive numbers, those of negative ones the other way round."""
    bits = ct.bitcast(values, ct.int32)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


def mix(x):
    """Spreads every bit of u32 numbers over all 32."""
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return x ^ (x >> 16)


def stream_of(seed, step):
    """The key of the random numbers of one draw."""
    low, high = ct.astype(seed, ct.uint32), ct.astype(seed >> 32, ct.uint32)
    return mix(mix(low) ^ mix(high ^ 0x9E3779B9) ^ (ct.astype(step, ct.uint32) * 0x85EBCA6B))


def noise(stream, place):
    """Numbers of Gumbel's distribution, a function of the draw and the place only."""
    bits = mix(stream ^ mix(ct.astype(place, ct.uint32)))
    uniform = (ct.astype(bits >> 9, ct.float32) + 0.5) * (1.0 / (1 << 23))  # exact, and never 0 or 1
    return -ct.log(-ct.log(uniform))


def values_of(logits, row, c, TILE):
    values = ct.load(logits, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
    return ct.astype(values, ct.float32).reshape((TILE,))


def better(highest, place, scores, c, TILE):
    """The first place of the largest score so far."""
    higher = ct.max(scores)
    first = ct.min(ct.where(scores == higher, ct.arange(TILE, dtype=ct.int32), TILE))
    return ct.maximum(highest, higher), ct.where(higher > highest, c * TILE + first, place)


@ct.kernel
def sample_kernel(logits, out, temperature, top_k, top_p, min_p, seeds, steps, TILE: ConstInt):
    """One block per row, which is read from cache many times.

    Tokens by falling probability are kept up to one of top-k and top-p. The search narrows the keys (last, kept]: all
    above `kept` are in, and at least those of one key more, the rest is out. The draw is the largest of logits plus
    noise.
    """
    row = ct.bid(0)
    size = logits.shape[1]
    chunks = ct.cdiv(size, TILE)
    highest = ct.full((), -math.inf, dtype=ct.float32)
    place = ct.zeros((), dtype=ct.int32)
    for c in range(chunks):
        highest, place = better(highest, place, values_of(logits, row, c, TILE), c, TILE)

    heat = ct.load(temperature, index=(row,), shape=())
    if heat > 0.0:
        cold = 1.0 / heat
        factor = cold * LOG2_E
        most = ct.load(top_k, index=(row,), shape=())
        most = ct.where((most <= 0) | (most > size), size, most)
        mass = ct.load(top_p, index=(row,), shape=())
        kept, last = key_of(highest), ct.full((), NONE, dtype=ct.int32)
        if mass < 1.0:
            total = ct.zeros((), dtype=ct.float32)
            for c in range(chunks):
                total = total + ct.sum(ct.exp2((values_of(logits, row, c, TILE) - highest) * factor))
            mass = ct.maximum(mass * total, 1e-30)
        else:
            mass = ct.full((), math.inf, dtype=ct.float32)
            if most == size:
                kept = last

        count_kept, count_last = ct.zeros((), dtype=ct.int32), ct.astype(size, ct.int32) + 0
        mass_kept = ct.zeros((), dtype=ct.float32)
        middle = (last & kept) + ((last ^ kept) >> 1)
        while (middle != last) & (count_last - count_kept > 1):
            count = ct.zeros((), dtype=ct.float32)  # exact up to 2^24
            above = ct.zeros((), dtype=ct.float32)
            for c in range(chunks):
                values = values_of(logits, row, c, TILE)
                inside = ct.where(key_of(values) > middle, 1.0, 0.0)
                count = count + ct.sum(inside)
                above = above + ct.sum(inside * ct.exp2((values - highest) * factor))
            number = ct.astype(count, ct.int32)
            if (number < most) & (above < mass):
                kept, count_kept, mass_kept = middle, number, above
            else:
                last, count_last = middle, number
            middle = (last & kept) + ((last ^ kept) >> 1)

        # Of equal logits at the end those come in that are first.
        bits = kept ^ ((kept >> 31) & 0x7FFFFFFF)
        each = ct.exp2((ct.bitcast(bits, ct.float32) - highest) * factor)
        room = ct.minimum(ct.ceil((mass - mass_kept) / each), 2.0**30)
        room = ct.minimum(ct.astype(room, ct.int32), most - count_kept)

        least = ct.load(min_p, index=(row,), shape=())
        stream = stream_of(ct.load(seeds, index=(row,), shape=()), ct.load(steps, index=(row,), shape=()))
        best = ct.full((), -math.inf, dtype=ct.float32)
        before = ct.zeros((), dtype=ct.int32)
        for c in range(chunks):
            values = values_of(logits, row, c, TILE)
            keys = key_of(values)
            edge = ct.astype((keys > last) & (keys <= kept), ct.int32)
            inside = (keys > kept) | ((edge == 1) & (before + ct.cumsum(edge) <= room))
            inside = inside & (ct.exp2((values - highest) * factor) >= least)
            scores = values * cold + noise(stream, c * TILE + ct.arange(TILE, dtype=ct.int32))
            best, place = better(best, place, ct.where(inside, scores, -math.inf), c, TILE)
            before = before + ct.sum(edge)
    ct.store(out, index=(row,), tile=place)


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps, tile=None, stream=None):
    """A token for each row of logits [R, V] into out [R] i32.

    Each option is an array [R]: temperature (0: the largest logit, the first of equal ones), top_k (0: all), top_p and
    min_p in f32, seeds i64, steps i32. The same seed and step draw the same token of the same logits.
    """
    rows, size = logits.shape
    tile = min(tile or (TILE if on_cpu(logits) else GPU_TILE), power_of_two(size))
    options = (temperature, top_k, top_p, min_p, seeds, steps)
    ct.launch(stream, (rows,), sample_kernel, (logits, out, *options, tile))
    return out
