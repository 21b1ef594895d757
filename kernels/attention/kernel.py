# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = softmax(q @ k.T * scale + mask) @ v, one pass over the keys (online softmax)."""

import math

import numpy as np
import tilewright as ct

from kernels.arrays import on_cpu, power_of_two, takes_matrix_unit
from kernels.wide import wide

TILE_Q, TILE_K = 64, 64
ROWS_TILE = 128, 128
# Of rows on a CPU's matrix unit, at most: bf16 S4096 D64 takes 0.81 of the time of 128 x 128.
MATRIX_TILE = 128, 256
LOG2_E = math.log2(math.e)

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def visible_tiles(first_query, keys, CAUSAL, TILE_Q, TILE_K):
    """How many tiles of keys every query of the block sees, and from which one on none sees any."""
    if CAUSAL:
        plain = (first_query + 1) // TILE_K
        end = ct.cdiv(min(first_query + TILE_Q, keys), TILE_K)
    else:
        plain = keys // TILE_K
        end = ct.cdiv(keys, TILE_K)
    return plain, end


@ct.kernel
def attention_kernel(
    q,
    k,
    v,
    out,
    scale: float,
    QUERY_GROUP: ConstInt,
    CAUSAL: ConstBool,
    TILE_Q: ConstInt,
    TILE_K: ConstInt,
    HEAD: ConstInt,
):
    """One block per tile of queries of one head; QUERY_GROUP query heads share a key/value head.

    `scale` is in powers of two (it includes log2 e). Key tiles that every query of the block sees take the plain loop,
    the tiles on the diagonal and at the end of the keys take the masked one. Scores are [key, query] and the result
    [head, query] throughout: maxima and sums are then of whole rows, and keys and values are used as they lie.
    """
    i = ct.num_blocks(0) - 1 - ct.bid(0)  # the longest rows first, so that no thread begins one last
    head, batch = ct.bid(1), ct.bid(2)
    kv_head = head // QUERY_GROUP
    queries, keys = q.shape[2], k.shape[2]
    first_query = i * TILE_Q + keys - queries  # query number r sees the keys up to r + keys - queries
    zero = ct.PaddingMode.ZERO
    tile_q = ct.load(q, (batch, head, 0, i), (1, 1, HEAD, TILE_Q), order=(0, 1, 3, 2), padding_mode=zero)
    tile_q = tile_q.reshape((HEAD, TILE_Q))

    def attend(j, highest, total, acc, MASKED):
        """One tile of keys: the new running maximum, sum and accumulator, all with the queries along the last axis."""
        tile_k = ct.load(k, (batch, kv_head, j, 0), (1, 1, TILE_K, HEAD), padding_mode=zero).reshape((TILE_K, HEAD))
        scores = ct.mma(tile_k, tile_q, ct.zeros((TILE_K, TILE_Q), dtype=wide(q.dtype)))
        if MASKED:
            key = j * TILE_K + ct.arange(TILE_K, dtype=ct.int32)[:, None]
            if CAUSAL:
                allowed = key <= first_query + ct.arange(TILE_Q, dtype=ct.int32)[None, :]
            else:
                allowed = key < keys
            scores = ct.where(allowed, scores, -math.inf)
        higher = ct.maximum(highest, ct.max(scores, axis=0, keepdims=True) * scale)
        powers = ct.exp2(scores * scale - higher)
        alpha = ct.exp2(highest - higher)
        total = total * alpha + ct.sum(powers, axis=0, keepdims=True)
        tile_v = ct.load(v, (batch, kv_head, 0, j), (1, 1, HEAD, TILE_K), order=(0, 1, 3, 2), padding_mode=zero)
        acc = ct.mma(tile_v.reshape((HEAD, TILE_K)), ct.astype(powers, v.dtype), acc * alpha)
        return higher, total, acc

    plain, end = visible_tiles(first_query, keys, CAUSAL, TILE_Q, TILE_K)
    highest = ct.full((1, TILE_Q), -math.inf, dtype=wide(q.dtype))
    total = ct.zeros((1, TILE_Q), dtype=wide(q.dtype))
    acc = ct.zeros((HEAD, TILE_Q), dtype=wide(q.dtype))
    for j in range(plain):
        highest, total, acc = attend(j, highest, total, acc, False)
    for j in range(plain, end):
        highest, total, acc = attend(j, highest, total, acc, True)
    result = ct.astype(acc * (1.0 / total), out.dtype)
    ct.store(out, (batch, head, 0, i), result.reshape((1, 1, HEAD, TILE_Q)), order=(0, 1, 3, 2))


def exp2(x):
    return ct.exp2(x, flush_to_zero=x.dtype == ct.float32)


@ct.kernel
def attention_rows_kernel(
    q,
    k,
    v,
    out,
    scale: float,
    QUERY_GROUP: ConstInt,
    CAUSAL: ConstBool,
    TILE_Q: ConstInt,
    TILE_K: ConstInt,
    HEAD: ConstInt,
):
    """The same with scores [query, key] and the result [query, head]: a query is a row, as tensor cores have it.

    Maxima and sums are then within a warp, and the powers go into the second product from the registers they are in.
    """
    i = ct.num_blocks(0) - 1 - ct.bid(0)
    head, batch = ct.bid(1), ct.bid(2)
    kv_head = head // QUERY_GROUP
    queries, keys = q.shape[2], k.shape[2]
    first_query = i * TILE_Q + keys - queries
    zero = ct.PaddingMode.ZERO
    tile_q = ct.load(q, (batch, head, i, 0), (1, 1, TILE_Q, HEAD), padding_mode=zero).reshape((TILE_Q, HEAD))

    def attend(j, highest, total, acc, MASKED):
        """One tile of keys: the new running maximum, sum and accumulator, all with the queries along the first axis."""
        tile_k = ct.load(k, (batch, kv_head, 0, j), (1, 1, HEAD, TILE_K), order=(0, 1, 3, 2), padding_mode=zero)
        scores = ct.mma(tile_q, tile_k.reshape((HEAD, TILE_K)), ct.zeros((TILE_Q, TILE_K), dtype=wide(q.dtype)))
        if MASKED:
            key = j * TILE_K + ct.arange(TILE_K, dtype=ct.int32)[None, :]
            if CAUSAL:
                allowed = key <= first_query + ct.arange(TILE_Q, dtype=ct.int32)[:, None]
            else:
                allowed = key < keys
            scores = ct.where(allowed, scores, -math.inf)
        higher = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True) * scale)
        powers = exp2(scores * scale - higher)
        alpha = exp2(highest - higher)
        total = total * alpha + ct.sum(powers, axis=1, keepdims=True)
        tile_v = ct.load(v, (batch, kv_head, j, 0), (1, 1, TILE_K, HEAD), padding_mode=zero).reshape((TILE_K, HEAD))
        acc = ct.mma(ct.astype(powers, v.dtype), tile_v, acc * alpha)
        return higher, total, acc

    plain, end = visible_tiles(first_query, keys, CAUSAL, TILE_Q, TILE_K)
    highest = ct.full((TILE_Q, 1), -math.inf, dtype=wide(q.dtype))
    total = ct.zeros((TILE_Q, 1), dtype=wide(q.dtype))
    acc = ct.zeros((TILE_Q, HEAD), dtype=wide(q.dtype))
    for j in range(plain):
        highest, total, acc = attend(j, highest, total, acc, False)
    for j in range(plain, end):
        highest, total, acc = attend(j, highest, total, acc, True)
    result = ct.astype(acc * (1.0 / total), out.dtype)
    ct.store(out, (batch, head, i, 0), result.reshape((1, 1, TILE_Q, HEAD)))


def tile_for(q, keys, rows):
    """(TILE_Q, TILE_K)"""
    if not rows:
        return TILE_Q, TILE_K
    if not takes_matrix_unit(q):
        return ROWS_TILE
    most_queries, most_keys = MATRIX_TILE
    return min(most_queries, power_of_two(q.shape[2])), min(most_keys, max(32, power_of_two(keys)))


def attention(q, k, v, out=None, *, causal=True, scale=None, tile=None, rows=None, stream=None):
    """Attention of q [B, H, S, D] over k and v [B, G, L, D]; H is a multiple of G. The softmax is computed in f32.

    With `causal`, the queries are the last S of the L positions, and each sees itself and what came before it. `rows`
    chooses the kernel whose queries are rows, which is the faster one on GPUs and for the matrix unit of CPUs; `out`
    has to be given then where q is not CuPy's.
    """
    batches, heads, queries, size = q.shape
    _, kv_heads, keys, _ = k.shape
    if heads % kv_heads:
        raise ValueError(f"q has {heads} heads, expected a multiple of the {kv_heads} heads of k")
    if causal and keys < queries:
        raise ValueError(f"causal attention of {queries} queries needs at least as many keys, found {keys}")
    if out is None:
        out = np.empty_like(q)
    scale = (1.0 / math.sqrt(size) if scale is None else scale) * LOG2_E
    if rows is None:
        rows = not on_cpu(q) or takes_matrix_unit(q)
    tile_q, tile_k = tile or tile_for(q, keys, rows)
    head = power_of_two(size)
    grid = (-(-queries // tile_q), heads, batches)  # ct.cdiv takes a tenth of a microsecond
    kernel = attention_rows_kernel if rows else attention_kernel
    ct.launch(stream, grid, kernel, (q, k, v, out, scale, heads // kv_heads, causal, tile_q, tile_k, head))
    return out
