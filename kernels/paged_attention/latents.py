# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in latents on GPUs: a tile of them is keys and values at once, so that it is read once for both."""

import math

import tilewright as ct

HEADS = 64  # of a block: the rows of a tensor core's product, whose sums fill the registers of two warpgroups
KEYS = 32  # of an iteration: four stages of them fit into shared memory beside the queries

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def online_softmax(scores, highest, total, axis):
    """Scores in powers of two join a running softmax along an axis: their weights, the factor of earlier sums, the new
    maximum and total."""
    higher = ct.maximum(highest, ct.max(scores, axis=axis, keepdims=True))
    powers = ct.exp2(scores - higher)
    alpha = ct.exp2(highest - higher)
    return powers, alpha, higher, total * alpha + ct.sum(powers, axis=axis, keepdims=True)


@ct.kernel
def latent_kernel(
    q,
    cache,
    tables,
    starts,
    lengths,
    out,
    parts,
    highests,
    totals,
    scale: float,
    WHOLE: ConstBool,
    GROUPS: ConstInt,
    HEADS: ConstInt,
    PAGE: ConstInt,
    KEYS: ConstInt,
    VALUE: ConstInt,
    REST: ConstInt,
    SPLIT: ConstInt,
):
    """One block for SPLIT keys, HEADS query heads of one query of one request; VALUE elements of a latent are values,
    REST further ones belong to the key alone. `scale` is in powers of two.

    With WHOLE the split has all keys and the result is final; else it is a part, as decode_kernel has them.
    """
    split, g, i, request = ct.bid(0) // GROUPS, ct.bid(0) % GROUPS, ct.bid(1), ct.bid(2)
    begin, end = ct.load(starts, (request,), ()), ct.load(starts, (request + 1,), ())
    length = ct.load(lengths, (request,), ()) - (end - begin) + i + 1  # keys that this query sees
    zero = ct.PaddingMode.ZERO
    if begin + i < end and split * SPLIT < length:
        row = begin + i
        q_value = ct.load(q, (row, g, 0), (1, HEADS, VALUE), padding_mode=zero).reshape((HEADS, VALUE))
        q_rest = ct.load(q, (row, g, VALUE // REST), (1, HEADS, REST), padding_mode=zero).reshape((HEADS, REST))
        highest = ct.full((HEADS, 1), -math.inf, dtype=ct.float32)
        total = ct.zeros((HEADS, 1), dtype=ct.float32)
        acc = ct.zeros((HEADS, VALUE), dtype=ct.float32)
        for j in range(split * (SPLIT // KEYS), ct.cdiv(min((split + 1) * SPLIT, length), KEYS)):
            page = ct.load(tables, (request, j * KEYS // PAGE), ())
            at = j % (PAGE // KEYS)
            latents = ct.load(cache, (page, at, 0), (1, KEYS, VALUE), padding_mode=zero).reshape((KEYS, VALUE))
            rest = ct.load(cache, (page, at, VALUE // REST), (1, KEYS, REST), padding_mode=zero).reshape((KEYS, REST))
            scores = ct.mma(q_value, ct.transpose(latents), ct.zeros((HEADS, KEYS), dtype=ct.float32))
            scores = ct.mma(q_rest, ct.transpose(rest), scores)
            key = j * KEYS + ct.arange(KEYS, dtype=ct.int32)
            scores = ct.where(key[None, :] < length, scores * scale, -math.inf)
            powers, alpha, highest, total = online_softmax(scores, highest, total, 1)
            acc = ct.mma(ct.astype(powers, cache.dtype), latents, acc * alpha)
        if WHOLE:
            result = ct.astype(acc * (1.0 / total), out.dtype)
            ct.store(out, (row, g, 0), result.reshape((1, HEADS, VALUE)))
        else:
            ct.store(parts, (row, split, g, 0), acc.reshape((1, 1, HEADS, VALUE)))
            ct.store(highests, (row, split, g), highest.reshape((1, 1, HEADS)))
            ct.store(totals, (row, split, g), total.reshape((1, 1, HEADS)))
