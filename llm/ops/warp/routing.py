# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experts of each token, taken one after the other as the largest key below the last one."""

from functools import cache

import warp as wp

from .arrays import F32, kernel, launch_blocks
from .keys import key_of, place_of

THREADS = 64
LOWEST = F32(-3.0e38)


@wp.func
def sigmoid(value: F32):
    return 1.0 / (1.0 + wp.exp(-value))


@wp.func
def power(value: F32, largest: F32):
    return wp.exp(value - largest)


@cache
def route_kernel(experts, groups, top_groups, choices, by_sigmoid, normalize, biased):
    members = experts // groups

    @kernel
    def route(
        scores: wp.array2d(dtype=F32),
        bias: wp.array(dtype=F32),
        weights: wp.array2d(dtype=F32),
        ids: wp.array2d(dtype=wp.int32),
        scale: float,
    ):
        """A block per token."""
        token, lane = wp.tid()
        values = wp.tile_load(scores[token], shape=experts)
        if wp.static(by_sigmoid):
            gate = wp.tile_map(sigmoid, values)
        else:
            powers = wp.tile_map(power, values, wp.tile_max(values)[0])
            gate = wp.tile_map(wp.div, powers, wp.tile_sum(powers)[0])
        if wp.static(biased):
            choice = gate + wp.tile_load(bias, shape=experts)
        else:
            choice = gate

        allowed = wp.uint64(-1)
        if wp.static(groups > 1):
            allowed = wp.uint64(0)
            last = wp.uint64(-1)
            for _ in range(top_groups):
                best = wp.uint64(0)
                for group in range(lane, groups, wp.block_dim()):
                    first, second = float(LOWEST), float(LOWEST)
                    for member in range(members):
                        value = choice[group * members + member]
                        second = wp.max(second, wp.min(first, value))
                        first = wp.max(first, value)
                    if wp.static(by_sigmoid):  # a group counts by its two best
                        first += second
                    key = key_of(first, group)
                    if key < last:
                        best = wp.max(best, key)
                last = wp.tile_max(wp.tile(best))[0]
                allowed |= wp.uint64(1) << wp.uint64(place_of(last))

        last = wp.uint64(-1)
        total = F32(1e-20)
        for i in range(choices):
            best = wp.uint64(0)
            for expert in range(lane, experts, wp.block_dim()):
                key = key_of(choice[expert], expert)
                if key < last and ((allowed >> wp.uint64(expert // members)) & wp.uint64(1)) == wp.uint64(1):
                    best = wp.max(best, key)
            last = wp.tile_max(wp.tile(best))[0]
            total += gate[place_of(last)]
            if lane == 0:
                ids[token, i] = place_of(last)
        if lane == 0:
            for i in range(choices):
                weight = gate[ids[token, i]]
                if wp.static(normalize):
                    weight /= total
                weights[token, i] = weight * scale

    return route


def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale):
    """At most 64 groups."""
    tokens, experts = scores.shape
    run = route_kernel(experts, groups, top_groups, ids.shape[1], sigmoid, normalize, bias is not None)
    launch_blocks(run, tokens, THREADS, scores, bias, weights, ids, float(scale))
