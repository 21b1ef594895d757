# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choosing experts: softmax over the router's scores, the top k of them, weights that sum to one."""

import math

import tilewright as ct

TILE_M, TILE_K = 64, 64

ConstInt = ct.Constant[int]


@ct.kernel
def route_kernel(x, router, weights, ids, TOP_K: ConstInt, TILE_M: ConstInt, TILE_E: ConstInt, TILE_K: ConstInt):
    """One block scores TILE_M tokens for all experts and picks the best TOP_K one after the other."""
    m = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    scores = ct.zeros((TILE_M, TILE_E), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TILE_K)):
        tile_x = ct.load(x, index=(m, k), shape=(TILE_M, TILE_K), padding_mode=zero)
        tile_r = ct.load(router, index=(k, 0), shape=(TILE_K, TILE_E), order=(1, 0), padding_mode=zero)
        scores = ct.mma(tile_x, tile_r, scores)
    expert = ct.arange(TILE_E, dtype=ct.int32)[None, :]
    scores = ct.where(expert < router.shape[0], scores, -math.inf)
    powers = ct.exp(scores - ct.max(scores, axis=1, keepdims=True))

    # The softmax's denominator cancels when the chosen weights are divided by their sum.
    token = m * TILE_M + ct.arange(TILE_M, dtype=ct.int32)[:, None]
    left = powers
    total = ct.zeros((TILE_M, 1), dtype=ct.float32)
    for slot in range(TOP_K):
        best = ct.argmax(left, axis=1, keepdims=True)
        ct.scatter(ids, (token, slot), best)
        total = total + ct.max(left, axis=1, keepdims=True)
        left = ct.where(expert == best, -1.0, left)
    left = powers
    for slot in range(TOP_K):
        best = ct.argmax(left, axis=1, keepdims=True)
        weight = ct.max(left, axis=1, keepdims=True) / total
        ct.scatter(weights, (token, slot), ct.astype(weight, weights.dtype))
        left = ct.where(expert == best, -1.0, left)


def route(x, router, weights, ids, *, stream=None):
    """Fills `weights` and `ids` [T, top_k] for the tokens x [T, H] and the router's rows [E, H]."""
    tile_e = 1 << (router.shape[0] - 1).bit_length()
    grid = (ct.cdiv(x.shape[0], TILE_M),)
    ct.launch(stream, grid, route_kernel, (x, router, weights, ids, ids.shape[1], TILE_M, tile_e, TILE_K))
