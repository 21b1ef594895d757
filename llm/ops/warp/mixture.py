# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experts of a mixture: choices of few tokens are multiplied one by one, more are sorted by expert first, so that
each tile of rows has one expert, its owner."""

from functools import cache

import warp as wp

from . import forms
from .arrays import F32, empty, kernel, launch, launch_blocks, name_of, type_of
from .fp8 import quantize
from .products import FEW, product_of_rows, product_of_scaled_tiles, product_of_tiles
from .rows import silu_mul

FEW_TOKENS = 2
THREADS = 256


@kernel
def count_choices(ids: wp.array(dtype=wp.int32), counts: wp.array(dtype=wp.int32)):
    """A block per expert."""
    expert, lane = wp.tid()
    count = wp.int32(0)
    for slot in range(lane, ids.shape[0], wp.block_dim()):
        if ids[slot] == expert:
            count += 1
    total = wp.tile_sum(wp.tile(count))[0]
    if lane == 0:
        counts[expert] = total


@cache
def sort_kernel(height):
    @kernel
    def sort_choices(
        ids: wp.array(dtype=wp.int32),
        counts: wp.array(dtype=wp.int32),
        order: wp.array(dtype=wp.int32),
        places: wp.array(dtype=wp.int32),
        owners: wp.array(dtype=wp.int32),
    ):
        """A block per expert, whose choices, in their order, fill whole tiles; -1 are the rows that are left."""
        expert, lane = wp.tid()
        before = wp.int32(0)
        for other in range(lane, expert, wp.block_dim()):
            before += (counts[other] + height - 1) // height
        first = wp.tile_sum(wp.tile(before))[0]
        tiles = (counts[expert] + height - 1) // height
        for tile in range(lane, tiles, wp.block_dim()):
            owners[first + tile] = expert
        place = first * height
        for start in range(0, ids.shape[0], wp.block_dim()):
            slot, chosen = start + lane, wp.int32(0)
            if slot < ids.shape[0]:
                if ids[slot] == expert:
                    chosen = 1
            mine = wp.tile(chosen)
            rank = wp.untile(wp.tile_scan_exclusive(mine))
            if chosen > 0:
                order[place + rank] = slot
                places[slot] = place + rank
            place += wp.tile_sum(mine)[0]
        for row in range(place + lane, (first + tiles) * height, wp.block_dim()):
            order[row] = -1

    return sort_choices


def sort_by_expert(ids, experts, height):
    """Slots (choices of tokens) in tiles of so many of one expert, the place of each slot, the owner of each tile."""
    slots = ids.shape[0]
    limit = min(slots, experts + slots // height)
    counts, places, owners = (empty(ids, (size,), "int32") for size in (experts, slots, limit))
    order = empty(ids, (limit * height,), "int32")
    owners[...] = -1
    launch_blocks(count_choices, experts, THREADS, ids, counts)
    launch_blocks(sort_kernel(height), experts, THREADS, ids, counts, order, places, owners)
    return order, places, owners


@cache
def gather_kernel(dtype, choices, height):
    @kernel
    def gather(
        x: wp.array2d(dtype=dtype),
        order: wp.array(dtype=wp.int32),
        owners: wp.array(dtype=wp.int32),
        out: wp.array2d(dtype=dtype),
    ):
        row, column = wp.tid()
        value = dtype(0.0)
        if owners[row // height] >= 0:
            if order[row] >= 0:
                value = x[order[row] // choices, column]
        out[row, column] = value

    return gather


@cache
def combine_kernel(out_type, choices, by_place):
    @kernel
    def combine(
        parts: wp.array2d(dtype=F32),
        places: wp.array(dtype=wp.int32),
        weights: wp.array2d(dtype=F32),
        out: wp.array2d(dtype=out_type),
    ):
        token, column = wp.tid()
        total = F32(0.0)
        for choice in range(choices):
            row = token * choices + choice
            if wp.static(by_place):
                row = places[row]
            total += weights[token, choice] * parts[row, column]
        out[token, column] = out_type(total)

    return combine


def run(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    """Scales of None are weights in the type of x; else x and the hidden rows are quantized."""
    (tokens, choices), (experts, features, inner) = ids.shape, down.shape
    form = forms.dense(down) if down_scales is None else forms.FP8
    ids = ids.reshape(-1)
    height = FEW if len(ids) <= FEW * experts else 4 * FEW
    places = owners = None
    rows = len(ids)
    if tokens > FEW_TOKENS:
        order, places, owners = sort_by_expert(ids, experts, height)
        rows, source = len(order), x
        x = empty(source, (rows, source.shape[1]), name_of(source))
        launch(gather_kernel(type_of(x), choices, height), x.shape, source, order, owners, x)

    def product(source, weight, scales, result, successive):
        source, source_scales = (source, None) if scales is None else quantize(source)
        if owners is None:
            product_of_rows(source, weight, scales, ids, result, form, successive, source_scales)
        elif scales is None:
            product_of_tiles(source[None], weight, owners, result[None], height)
        else:
            product_of_scaled_tiles(source, weight, scales, owners, result, form, source_scales, height)

    both, hidden = empty(x, (rows, 2 * inner), "float32"), empty(x, (rows, inner), name_of(x))
    parts = empty(x, (rows, features), "float32")
    product(x, gate_up, gate_up_scales, both, choices)
    silu_mul(both, hidden)
    product(hidden, down, down_scales, parts, 1)
    launch(combine_kernel(type_of(out), choices, owners is not None), out.shape, parts, places, weights, out)


def experts(x, gate_up, down, weights, ids, out):
    run(x, gate_up, None, down, None, weights, ids, out)


def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    run(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out)
