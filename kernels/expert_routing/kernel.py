# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choosing experts from scores: the best of all, or of the best groups as DeepSeek V2 and V3 have it."""

import math

import tilewright as ct

from kernels.arrays import power_of_two

TILE = 4096  # scores of a block

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def best_groups(choice, TOP_GROUPS, GROUPS, PAIRS):
    """[tokens, groups, 1]: whether a group is one of the best, by its largest element or with PAIRS by two."""
    value = ct.max(choice, axis=2, keepdims=True)
    if PAIRS:
        member = ct.arange(choice.shape[2], dtype=ct.int32)[None, None, :]
        others = ct.where(member == ct.argmax(choice, axis=2, keepdims=True), -math.inf, choice)
        value = value + ct.max(others, axis=2, keepdims=True)
    group = ct.arange(GROUPS, dtype=ct.int32)[None, :, None]
    taken = ct.full(value.shape, False, dtype=ct.bool_)
    for _ in range(TOP_GROUPS):
        best = group == ct.argmax(ct.where(taken, -math.inf, value), axis=1, keepdims=True)
        taken = taken | best
    return taken


@ct.kernel
def route_kernel(
    scores,
    bias,
    weights,
    ids,
    scale: float,
    SIGMOID: ConstBool,
    BIASED: ConstBool,
    NORMALIZE: ConstBool,
    TOP_GROUPS: ConstInt,
    TOP_K: ConstInt,
    TILE_M: ConstInt,
    GROUPS: ConstInt,
    MEMBERS: ConstInt,
    CHOICES: ConstInt,
):
    """One block for TILE_M tokens; scores are [T, groups, members], TOP_GROUPS is 0 without a choice of groups.

    Experts are taken one after the other, of equal ones the first. The bias has a say in the choice only.
    """
    m = ct.bid(0)
    members, groups = scores.shape[2], scores.shape[1]
    tile = ct.load(scores, (m, 0, 0), (TILE_M, GROUPS, MEMBERS), padding_mode=ct.PaddingMode.ZERO)
    group, member = ct.arange(GROUPS, dtype=ct.int32)[:, None], ct.arange(MEMBERS, dtype=ct.int32)[None, :]
    there = ((group < groups) & (member < members))[None]
    if SIGMOID:
        gate = ct.where(there, 1.0 / (1.0 + ct.exp(-tile)), 0.0)
    else:
        tile = ct.where(there, tile, -math.inf)
        powers = ct.exp(tile - ct.max(ct.max(tile, axis=2, keepdims=True), axis=1, keepdims=True))
        gate = powers / ct.sum(ct.sum(powers, axis=2, keepdims=True), axis=1, keepdims=True)
    choice = gate
    if BIASED:
        choice = gate + ct.load(bias, (0, 0), (GROUPS, MEMBERS), padding_mode=ct.PaddingMode.ZERO)[None]
    choice = ct.where(there, choice, -math.inf)
    if TOP_GROUPS > 0:
        choice = ct.where(best_groups(choice, TOP_GROUPS, GROUPS, SIGMOID), choice, -math.inf)

    left, gate = choice.reshape((TILE_M, GROUPS * MEMBERS)), gate.reshape((TILE_M, GROUPS * MEMBERS))
    place = ct.arange(GROUPS * MEMBERS, dtype=ct.int32)[None, :]
    slot = ct.arange(CHOICES, dtype=ct.int32)[None, :]
    chosen = ct.zeros((TILE_M, CHOICES), dtype=ct.int32)
    weight = ct.zeros((TILE_M, CHOICES), dtype=ct.float32)
    for i in range(TOP_K):
        best = ct.argmax(left, axis=1, keepdims=True)
        mine = ct.sum(ct.where(place == best, gate, 0.0), axis=1, keepdims=True)
        left = ct.where(place == best, -math.inf, left)
        chosen = ct.where(slot == i, best // MEMBERS * members + best % MEMBERS, chosen)
        weight = ct.where(slot == i, mine, weight)
    if NORMALIZE:
        weight = weight / (ct.sum(weight, axis=1, keepdims=True) + 1e-20)
    ct.store(ids, (m, 0), chosen)
    ct.store(weights, (m, 0), weight * scale)


def route(scores, bias, weights, ids, *, sigmoid=False, groups=1, top_groups=1, normalize=True, scale=1.0, stream=None):
    """Fills weights f32 and ids i32 [T, k] for scores f32 [T, E]: softmax or sigmoid, then the k largest of a row.

    With groups, only experts of the `top_groups` best are chosen: a group counts by its largest expert, or with
    `sigmoid` by the sum of its two largest. `bias` f32 [E] is added for the choice, not to the weights; None is none.
    """
    tokens, experts = scores.shape
    top_k = ids.shape[1]
    if experts % groups:
        raise ValueError(f"{experts} experts are in {groups} groups, expected a multiple of them")
    members = experts // groups
    if top_k > top_groups * members:
        raise ValueError(f"{top_k} experts are chosen of {top_groups} groups of {members}, expected no more than those")
    chosen_groups = top_groups if top_groups < groups else 0
    tile = power_of_two(groups), power_of_two(members)
    tile_m = max(1, min(power_of_two(tokens), TILE // (tile[0] * tile[1])))
    scores = scores.reshape(tokens, groups, members)
    biases = scores[0] if bias is None else bias.reshape(groups, members)
    flags = (bool(sigmoid), bias is not None, bool(normalize), chosen_groups, top_k)
    arrays = (scores, biases, weights, ids, float(scale))
    ct.launch(stream, (ct.cdiv(tokens, tile_m),), route_kernel, (*arrays, *flags, tile_m, *tile, power_of_two(top_k)))
