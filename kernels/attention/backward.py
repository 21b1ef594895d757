# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention, each written by one block: of queries, and of keys and values.

With scores s = q k scale, weights p = softmax(s) and g the gradient of the result, that of v is sum p g, that of s is
p (g v - g out), and those of q and k follow as of a product. The weights are rematerialized from log2(sum(exp(s))).
"""

import math

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.attention.kernel import LOG2_E, exp2, visible_tiles
from kernels.wide import wide

TILE = 64  # queries and keys

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def rows_of(array, batch, head, i, TILE, HEAD):
    """Some rows of a head; those past the end are zero."""
    rows = ct.load(array, (batch, head, i, 0), (1, 1, TILE, HEAD), padding_mode=ct.PaddingMode.ZERO)
    return rows.reshape((TILE, HEAD))


def numbers_of(array, batch, head, i, TILE):
    """[TILE, 1]: a number for each of some rows."""
    numbers = ct.load(array, (batch, head, i), (1, 1, TILE), padding_mode=ct.PaddingMode.ZERO)
    return numbers.reshape((TILE, 1))


def product(a, b):
    return ct.mma(a, b, ct.zeros((a.shape[0], b.shape[1]), dtype=wide(a.dtype)))


def is_visible(first_query, first_key, queries, keys, CAUSAL, TILE):
    """[query, key]: whether a query that exists sees a key. Both are numbered by position."""
    query = first_query + ct.arange(TILE, dtype=ct.int32)[:, None]
    key = first_key + ct.arange(TILE, dtype=ct.int32)[None, :]
    seen = (key < keys) & (query < keys) if CAUSAL else (key < keys) & (query < queries)
    return seen & (key <= query) if CAUSAL else seen


@ct.kernel
def attention_sums_kernel(
    q,
    k,
    out,
    grad,
    log_sums,
    products,
    scale: float,
    GROUP: ConstInt,
    CAUSAL: ConstBool,
    TILE: ConstInt,
    HEAD: ConstInt,
):
    """Of each query log2 of the sum of powers, and g out. `scale` includes log2 e."""
    i, head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    queries, keys = q.shape[2], k.shape[2]
    first_query = i * TILE + (keys - queries if CAUSAL else 0)
    tile_q = rows_of(q, batch, head, i, TILE, HEAD)
    highest = ct.full((TILE, 1), -1e30, dtype=wide(q.dtype))
    total = ct.zeros((TILE, 1), dtype=highest.dtype)
    _, end = visible_tiles(first_query, keys, CAUSAL, TILE, TILE)
    for j in range(end):
        scores = product(tile_q, ct.transpose(rows_of(k, batch, head // GROUP, j, TILE, HEAD))) * scale
        scores = ct.where(is_visible(first_query, j * TILE, queries, keys, CAUSAL, TILE), scores, -math.inf)
        higher = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        total = total * exp2(highest - higher) + ct.sum(exp2(scores - higher), axis=1, keepdims=True)
        highest = higher
    ct.store(log_sums, (batch, head, i), (highest + ct.log2(total)).reshape((1, 1, TILE)))
    g = ct.astype(rows_of(grad, batch, head, i, TILE, HEAD), highest.dtype)
    result = ct.astype(rows_of(out, batch, head, i, TILE, HEAD), highest.dtype)
    ct.store(products, (batch, head, i), ct.sum(g * result, axis=1).reshape((1, 1, TILE)))


@ct.kernel
def attention_backward_q_kernel(
    q,
    k,
    v,
    grad,
    log_sums,
    products,
    grad_q,
    scale: float,
    GROUP: ConstInt,
    CAUSAL: ConstBool,
    TILE: ConstInt,
    HEAD: ConstInt,
):
    """One block per tile of queries of one head."""
    i, head, batch = ct.num_blocks(0) - 1 - ct.bid(0), ct.bid(1), ct.bid(2)
    queries, keys = q.shape[2], k.shape[2]
    first_query = i * TILE + (keys - queries if CAUSAL else 0)
    tile_q, g = rows_of(q, batch, head, i, TILE, HEAD), rows_of(grad, batch, head, i, TILE, HEAD)
    log_sum, along = numbers_of(log_sums, batch, head, i, TILE), numbers_of(products, batch, head, i, TILE)
    acc = ct.zeros((TILE, HEAD), dtype=wide(q.dtype))
    _, end = visible_tiles(first_query, keys, CAUSAL, TILE, TILE)
    for j in range(end):
        tile_k = rows_of(k, batch, head // GROUP, j, TILE, HEAD)
        tile_v = rows_of(v, batch, head // GROUP, j, TILE, HEAD)
        weights = exp2(product(tile_q, ct.transpose(tile_k)) * scale - log_sum)
        weights = ct.where(is_visible(first_query, j * TILE, queries, keys, CAUSAL, TILE), weights, 0.0)
        of_scores = weights * (product(g, ct.transpose(tile_v)) - along)
        acc = ct.mma(ct.astype(of_scores, k.dtype), tile_k, acc)
    result = ct.astype(acc * (scale / LOG2_E), grad_q.dtype)
    ct.store(grad_q, (batch, head, i, 0), result.reshape((1, 1, TILE, HEAD)))


@ct.kernel
def attention_backward_kv_kernel(
    q,
    k,
    v,
    grad,
    log_sums,
    products,
    grad_k,
    grad_v,
    scale: float,
    GROUP: ConstInt,
    CAUSAL: ConstBool,
    TILE: ConstInt,
    HEAD: ConstInt,
):
    """One block per tile of keys of one head, which sums over the query heads that share it."""
    j, kv_head, batch = ct.bid(0), ct.bid(1), ct.bid(2)
    queries, keys = q.shape[2], k.shape[2]
    offset = keys - queries if CAUSAL else 0
    tile_k, tile_v = rows_of(k, batch, kv_head, j, TILE, HEAD), rows_of(v, batch, kv_head, j, TILE, HEAD)
    of_k = ct.zeros((TILE, HEAD), dtype=wide(q.dtype))
    of_v = ct.zeros((TILE, HEAD), dtype=wide(q.dtype))
    first = max(j * TILE - offset, 0) // TILE if CAUSAL else 0
    for head in range(kv_head * GROUP, (kv_head + 1) * GROUP):
        for i in range(first, ct.cdiv(queries, TILE)):
            tile_q, g = rows_of(q, batch, head, i, TILE, HEAD), rows_of(grad, batch, head, i, TILE, HEAD)
            log_sum, along = numbers_of(log_sums, batch, head, i, TILE), numbers_of(products, batch, head, i, TILE)
            weights = exp2(product(tile_q, ct.transpose(tile_k)) * scale - log_sum)
            visible = is_visible(i * TILE + offset, j * TILE, queries, keys, CAUSAL, TILE)
            weights = ct.where(visible, weights, 0.0)
            of_v = ct.mma(ct.transpose(ct.astype(weights, v.dtype)), g, of_v)
            of_scores = weights * (product(g, ct.transpose(tile_v)) - along)
            of_k = ct.mma(ct.transpose(ct.astype(of_scores, q.dtype)), tile_q, of_k)
    result = ct.astype(of_k * (scale / LOG2_E), grad_k.dtype)
    ct.store(grad_k, (batch, kv_head, j, 0), result.reshape((1, 1, TILE, HEAD)))
    ct.store(grad_v, (batch, kv_head, j, 0), ct.astype(of_v, grad_v.dtype).reshape((1, 1, TILE, HEAD)))


def attention_backward(grad, q, k, v, out, grads=None, scratch=None, *, causal=True, scale=None, stream=None):
    """(grad_q, grad_k, grad_v) for the gradient of out = attention(q, k, v), all of one dtype, computed in f32 (of f64
    in f64). `scratch` are two arrays f32 [B, H, S], f64 for f64."""
    batches, heads, queries, size = q.shape
    kv_heads, keys = k.shape[1], k.shape[2]
    grads = [np.empty_like(array) for array in (q, k, v)] if grads is None else grads
    if scratch is None:
        scratch = [np.empty(q.shape[:3], np.promote_types(q.dtype, np.float32)) for _ in range(2)]
    scale = (1.0 / math.sqrt(size) if scale is None else scale) * LOG2_E
    sizes = (scale, heads // kv_heads, causal, TILE, power_of_two(size))
    of_queries, of_keys = (ct.cdiv(queries, TILE), heads, batches), (ct.cdiv(keys, TILE), kv_heads, batches)
    ct.launch(stream, of_queries, attention_sums_kernel, (q, k, out, grad, *scratch, *sizes))
    ct.launch(stream, of_queries, attention_backward_q_kernel, (q, k, v, grad, *scratch, grads[0], *sizes))
    ct.launch(stream, of_keys, attention_backward_kv_kernel, (q, k, v, grad, *scratch, *grads[1:], *sizes))
    return tuple(grads)
