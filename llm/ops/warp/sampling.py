# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A token from the softmax of each row of logits, cut by top-k, top-p and min-p without sorting."""

import warp as wp

from .arrays import F32, kernel, launch_blocks
from .keys import key_of, place_of

THREADS = 1024
FIRST, SECOND = wp.uint32(0x7FEB352D), wp.uint32(0x846CA68B)
HIGH, STEP = wp.uint32(0x9E3779B9), wp.uint32(0x85EBCA6B)


@wp.func
def mix(x: wp.uint32):
    """Spreads every bit over all 32."""
    y = (x ^ (x >> wp.uint32(16))) * FIRST
    z = (y ^ (y >> wp.uint32(15))) * SECOND
    return z ^ (z >> wp.uint32(16))


@wp.func
def stream_of(seed: wp.int64, step: wp.int32):
    low, high = wp.uint32(seed), wp.uint32(seed >> wp.int64(32))
    return mix(mix(low) ^ mix(high ^ HIGH) ^ (wp.uint32(step) * STEP))


@wp.func
def noise(stream: wp.uint32, place: int):
    """Numbers of Gumbel's distribution: those of reference.noise."""
    bits = mix(stream ^ mix(wp.uint32(place)))
    uniform = (F32(bits >> wp.uint32(9)) + 0.5) / 8388608.0
    return -wp.log(-wp.log(uniform))


@kernel
def sample_kernel(
    logits: wp.array2d(dtype=F32),
    out: wp.array(dtype=wp.int32),
    temperatures: wp.array(dtype=F32),
    top_k: wp.array(dtype=wp.int32),
    top_p: wp.array(dtype=F32),
    min_p: wp.array(dtype=F32),
    seeds: wp.array(dtype=wp.int64),
    steps: wp.array(dtype=wp.int32),
):
    """A block per row. Tokens above the key `lowest` are kept; of those up to it, one at least is not.

    The search for it is by halves between `lowest` and `kept`, whose own token is kept.
    """
    row, lane = wp.tid()
    columns, temperature = logits.shape[1], temperatures[row]
    heat = temperature
    if heat == 0.0:
        heat = 1.0
    best = wp.uint64(0)
    for place in range(lane, columns, wp.block_dim()):
        best = wp.max(best, key_of(logits[row, place] / heat, place))
    kept = wp.tile_max(wp.tile(best))[0]
    if temperature == 0.0:
        if lane == 0:
            out[row] = place_of(kept)
        return

    highest = logits[row, place_of(kept)] / heat
    powers = F32(0.0)
    for place in range(lane, columns, wp.block_dim()):
        powers += wp.exp(logits[row, place] / heat - highest)
    limit = wp.max(top_p[row] * wp.tile_sum(wp.tile(powers))[0], 1.0e-30)
    most = top_k[row]
    if most <= 0:
        most = columns
    lowest = wp.uint64(0)
    above_lowest, above_kept = int(columns), wp.int32(0)
    searching = most < columns or top_p[row] < 1.0
    while searching and above_lowest - above_kept > 1:
        middle = lowest + (kept - lowest) / wp.uint64(2)
        count, mass = wp.int32(0), F32(0.0)
        for place in range(lane, columns, wp.block_dim()):
            value = logits[row, place] / heat
            if key_of(value, place) > middle:
                count += 1
                mass += wp.exp(value - highest)
        above = wp.tile_sum(wp.tile(count))[0]
        if above < most and wp.tile_sum(wp.tile(mass))[0] < limit:
            kept, above_kept = middle, above
        else:
            lowest, above_lowest = middle, above

    stream, least = stream_of(seeds[row], steps[row]), min_p[row]
    best = wp.uint64(0)
    for place in range(lane, columns, wp.block_dim()):
        value = logits[row, place] / heat
        if key_of(value, place) > lowest and wp.exp(value - highest) >= least:
            best = wp.max(best, key_of(value + noise(stream, place), place))
    chosen = wp.tile_max(wp.tile(best))[0]
    if lane == 0:
        out[row] = place_of(chosen)


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps):
    options = temperature, top_k, top_p, min_p, seeds, steps
    launch_blocks(sample_kernel, len(logits), THREADS, logits, out, *options)
