# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention: a block of queries against all keys with a running maximum; causal or not, heads in groups."""

import math

import cuda.tile as ct
import torch
from cuda.tile import RoundingMode

INV_LOG_2 = 1.0 / math.log(2)
ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


@ct.kernel(occupancy=2)
def fmha_kernel(
    Q,
    K,
    V,
    Out,
    qk_scale: float,
    TILE_D: ConstInt,
    H: ConstInt,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    GROUP: ConstInt,
    CAUSAL: ConstBool,
    EVEN_K: ConstBool,
):
    block = ct.bid(0)
    batch, head = ct.bid(1) // H, ct.bid(1) % H
    kv_head = head // GROUP
    scale = qk_scale * INV_LOG_2

    rows = block * TILE_M + ct.arange(TILE_M, dtype=ct.int32)[:, None]
    columns = ct.arange(TILE_N, dtype=ct.int32)[None, :]
    largest = ct.full((TILE_M, 1), -math.inf, dtype=ct.float32)
    total = ct.full((TILE_M, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TILE_M, TILE_D), 0.0, dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    q = ct.load(Q, index=(batch, head, block, 0), shape=(1, 1, TILE_M, TILE_D), padding_mode=zero)
    q = q.reshape((TILE_M, TILE_D))

    keys = K.shape[2]
    if CAUSAL:
        full = block * TILE_M // TILE_N
        last = min(ct.cdiv((block + 1) * TILE_M, TILE_N), ct.cdiv(keys, TILE_N))
        full = min(full, last)
    else:
        last = ct.cdiv(keys, TILE_N)
        full = keys // TILE_N

    for j in range(last):
        k = ct.load(
            K,
            index=(batch, kv_head, 0, j),
            shape=(1, 1, TILE_D, TILE_N),
            order=(0, 1, 3, 2),
            padding_mode=zero,
            latency=2,
        ).reshape((TILE_D, TILE_N))
        scores = ct.mma(q, k, ct.full((TILE_M, TILE_N), 0.0, dtype=ct.float32))
        if (CAUSAL or not EVEN_K) and j >= full:
            at = j * TILE_N + columns
            mask = ct.full((TILE_M, TILE_N), True, dtype=ct.bool_)
            if not EVEN_K:
                mask = mask & (at < keys)
            if CAUSAL:
                mask = mask & (rows >= at)
            scores = scores + ct.where(mask, 0.0, -math.inf)
        larger = ct.maximum(largest, ct.max(scores, axis=-1, keepdims=True) * scale)
        p = ct.exp2(scores * scale - larger, flush_to_zero=True)
        shrink = ct.exp2(largest - larger, flush_to_zero=True)
        total = total * shrink + ct.sum(p, axis=-1, keepdims=True)
        acc = acc * shrink
        v = ct.load(V, index=(batch, kv_head, j, 0), shape=(1, 1, TILE_N, TILE_D), padding_mode=zero, latency=4)
        acc = ct.mma(p.astype(Q.dtype), v.reshape((TILE_N, TILE_D)), acc)
        largest = larger

    acc = ct.truediv(acc, total, flush_to_zero=True, rounding_mode=RoundingMode.APPROX)
    ct.store(Out, index=(batch, head, block, 0), tile=acc.reshape((1, 1, TILE_M, TILE_D)).astype(Out.dtype))


def attention(q, k, v, causal):
    batch, heads, length, width = q.shape
    out = torch.empty_like(q)
    tile_m, tile_n = 32, 32
    grid = (math.ceil(length / tile_m), batch * heads, 1)
    group = heads // k.shape[1]
    scale = 1.0 / math.sqrt(width)
    even = k.shape[2] % tile_n == 0
    arguments = (q, k, v, out, scale, width, heads, tile_m, tile_n, group, causal, even)
    ct.launch(torch.cuda.current_stream(), grid, fmha_kernel, arguments)
    return out


def check():
    torch.manual_seed(3)
    for dtype in (torch.float16, torch.bfloat16):
        for causal in (False, True):
            for length in (96, 80):
                q = torch.randn(2, 4, length, 32, device="cuda", dtype=dtype)
                k, v = (torch.randn(2, 2, length, 32, device="cuda", dtype=dtype) for _ in range(2))
                expected = torch.nn.functional.scaled_dot_product_attention(
                    q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1), is_causal=causal
                )
                name = f"{dtype}, {length} keys{', causal' if causal else ''}"
                yield name, attention(q, k, v, causal), expected, 2e-2
