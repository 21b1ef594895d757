# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits of a row: their keys, their random numbers, and what the options of the row ask for."""

import math

import tilewright as ct

LOG2_E = math.log2(math.e)
NONE = -2139095041  # the key of -inf


def key_of(values):
    """i32 in the order of f32: the bits of positive numbers, those of negative ones the other way round."""
    bits = ct.bitcast(values, ct.int32)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


def value_of(key):
    return ct.bitcast(key ^ ((key >> 31) & 0x7FFFFFFF), ct.float32)


def between(low, high):
    """The middle of two keys, of neighbors the lower one."""
    return (low & high) + ((low ^ high) >> 1)


def mix(x):
    """Spreads every bit of u32 numbers over all 32."""
    x = (x ^ (x >> 16)) * 0x7FEB352D
    x = (x ^ (x >> 15)) * 0x846CA68B
    return x ^ (x >> 16)


def stream_of(seeds, steps, row):
    """The key of the random numbers of one draw."""
    seed, step = ct.load(seeds, index=(row,), shape=()), ct.load(steps, index=(row,), shape=())
    low, high = ct.astype(seed, ct.uint32), ct.astype(seed >> 32, ct.uint32)
    return mix(mix(low) ^ mix(high ^ 0x9E3779B9) ^ (ct.astype(step, ct.uint32) * 0x85EBCA6B))


def noise(stream, place):
    """Numbers of Gumbel's distribution, a function of the draw and the place only."""
    bits = mix(stream ^ mix(ct.astype(place, ct.uint32)))
    uniform = (ct.astype(bits >> 9, ct.float32) + 0.5) * (1.0 / (1 << 23))  # exact, and never 0 or 1
    return -ct.log(-ct.log(uniform))


def limits_of(top_k, top_p, min_p, row, size):
    """The most tokens, the share of the mass and the least power of a row, and whether these rule no token out."""
    most = ct.load(top_k, index=(row,), shape=())
    most = ct.where((most <= 0) | (most > size), size, most)
    share, least = ct.load(top_p, index=(row,), shape=()), ct.load(min_p, index=(row,), shape=())
    return most, share, least, (most == size) & (share >= 1.0) & (least <= 0.0)


def first_of(scores, places, last):
    """The least place of the largest score: `last`, the largest of all places, if that score is NaN."""
    return ct.min(ct.where(scores == ct.max(scores), places, last))
