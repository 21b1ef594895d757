# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experts of each token."""

import triton
import triton.language as tl


@triton.jit
def route_kernel(
    scores,
    bias,
    weights,
    ids,
    scale,
    experts,
    scores_row,
    weights_row,
    ids_row,
    GROUPS: tl.constexpr,
    MEMBERS: tl.constexpr,
    TOP_GROUPS: tl.constexpr,
    TOP_K: tl.constexpr,
    SIGMOID: tl.constexpr,
    NORMALIZE: tl.constexpr,
    TILE_GROUPS: tl.constexpr,
    TILE_MEMBERS: tl.constexpr,
    CHOICES: tl.constexpr,
):
    """One program per token, whose scores are a tile [groups, members]. Experts are taken one after the other, of equal
    ones the first; TOP_GROUPS is 0 without a choice of groups."""
    token = tl.program_id(0).to(tl.int64)
    group, member = tl.arange(0, TILE_GROUPS)[:, None], tl.arange(0, TILE_MEMBERS)[None, :]
    there = (group < GROUPS) & (member < MEMBERS)
    expert = group * MEMBERS + member
    values = tl.load(scores + token * scores_row + expert, mask=there, other=float("-inf"))
    if SIGMOID:
        gate = 1 / (1 + tl.exp(-values))
    else:
        powers = tl.exp(values - tl.max(values))
        gate = powers / tl.sum(powers)
    choice = gate
    if bias is not None:
        choice += tl.load(bias + expert, mask=there, other=0.0)
    choice = tl.where(there, choice, float("-inf"))
    if TOP_GROUPS > 0:
        value = tl.max(choice, axis=1)
        if SIGMOID:  # a group counts by its two best
            largest = tl.argmax(choice, axis=1)
            value += tl.max(tl.where(member == largest[:, None], float("-inf"), choice), axis=1)
        number = tl.arange(0, TILE_GROUPS)
        taken = number < 0
        for _ in range(TOP_GROUPS):
            taken = taken | (number == tl.argmax(tl.where(taken, float("-inf"), value), axis=0))
        choice = tl.where(taken[:, None], choice, float("-inf"))

    choice = tl.reshape(choice, (TILE_GROUPS * TILE_MEMBERS,))
    gate = tl.reshape(gate, (TILE_GROUPS * TILE_MEMBERS,))
    place, slot = tl.arange(0, TILE_GROUPS * TILE_MEMBERS), tl.arange(0, CHOICES)
    chosen = tl.zeros((CHOICES,), dtype=tl.int32)
    picked = tl.zeros((CHOICES,), dtype=tl.float32)
    for i in range(TOP_K):
        best = tl.argmax(choice, axis=0)
        choice = tl.where(place == best, float("-inf"), choice)
        chosen = tl.where(slot == i, best // TILE_MEMBERS * MEMBERS + best % TILE_MEMBERS, chosen)
        picked = tl.where(slot == i, tl.sum(tl.where(place == best, gate, 0.0)), picked)
    if NORMALIZE:
        picked = picked / (tl.sum(picked) + 1e-20)
    tl.store(ids + token * ids_row + slot, chosen, mask=slot < TOP_K)
    tl.store(weights + token * weights_row + slot, picked * scale, mask=slot < TOP_K)


def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale):
    (tokens, experts), top_k = scores.shape, ids.shape[1]
    members = experts // groups
    sizes = groups, members, top_groups if groups > 1 else 0, top_k, sigmoid, normalize
    tiles = (triton.next_power_of_2(extent) for extent in (groups, members, top_k))
    rows = (array.stride(0) for array in (scores, weights, ids))
    route_kernel[tokens,](scores, bias, weights, ids, scale, experts, *rows, *sizes, *tiles, num_warps=1)
