# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoding: one query a sequence, its keys split over blocks, and the reduction of their parts."""

import math

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]
LOG2E = 1.4426950408889634


@ct.kernel
def decode_kernel(
    Q, K, V, partial, log_sums, scale: float, lengths, G: ConstInt, TD: ConstInt, TN: ConstInt, PER_SPLIT: ConstInt
):
    batch, kv_head, split = ct.bid(0), ct.bid(1), ct.bid(2)
    length = ct.load(lengths, index=batch, shape=())
    q = ct.load(Q, (batch, kv_head, 0, 0), (1, 1, G, TD)).reshape((G, TD))
    first = split * PER_SPLIT
    last = min(first + PER_SPLIT, ct.cdiv(length, TN))
    largest = ct.full((G,), -math.inf, dtype=ct.float32)
    total = ct.zeros((G,), dtype=ct.float32)
    acc = ct.zeros((G, TD), dtype=ct.float32)
    for j in range(first, last):
        k = ct.load(K, (batch, kv_head, j, 0), (1, 1, TN, TD), padding_mode=ct.PaddingMode.ZERO, latency=2)
        scores = ct.mma(q, ct.transpose(k.reshape((TN, TD))), ct.zeros((G, TN), dtype=ct.float32)) * (scale * LOG2E)
        at = j * TN + ct.arange(TN, dtype=ct.int32)
        scores = ct.where((at < length)[None, :], scores, -1e30)
        larger = ct.maximum(largest, ct.max(scores, axis=1))
        p = ct.exp2(scores - larger[:, None])
        shrink = ct.exp2(largest - larger)
        total = total * shrink + ct.sum(p, axis=1)
        v = ct.load(V, (batch, kv_head, j, 0), (1, 1, TN, TD), padding_mode=ct.PaddingMode.ZERO, latency=4)
        acc = ct.mma(p.astype(V.dtype), v.reshape((TN, TD)), acc * shrink[:, None])
        largest = larger
    if first < last:
        ct.store(partial, (batch, kv_head, split, 0, 0), (acc / total[:, None]).reshape((1, 1, 1, G, TD)))
        ct.store(log_sums, (batch, kv_head, split, 0), (largest + ct.log2(total)).reshape((1, 1, 1, G)))
    else:
        ct.store(log_sums, (batch, kv_head, split, 0), ct.full((1, 1, 1, G), -math.inf, ct.float32))


@ct.kernel
def reduce_splits(partial, log_sums, out, G: ConstInt, TD: ConstInt, SPLITS: ConstInt):
    batch, kv_head = ct.bid(0), ct.bid(1)
    sums = ct.load(log_sums, (batch, kv_head, 0, 0), (1, 1, SPLITS, G), padding_mode=ct.PaddingMode.NEG_INF)
    sums = sums.reshape((SPLITS, G))
    weights = ct.exp2(sums - ct.max(sums, axis=0, keepdims=True))
    weights = weights / ct.sum(weights, axis=0, keepdims=True)
    parts = ct.load(partial, (batch, kv_head, 0, 0, 0), (1, 1, SPLITS, G, TD), padding_mode=ct.PaddingMode.ZERO)
    parts = ct.where((weights > 0)[:, :, None], parts.reshape((SPLITS, G, TD)), 0.0)
    result = ct.sum(parts * weights[:, :, None], axis=0)
    ct.store(out, (batch, kv_head, 0, 0), result.reshape((1, 1, G, TD)).astype(out.dtype))


def decode(q, k, v, lengths, splits, tile_n=16):
    batch, heads, width = q.shape
    kv_heads = k.shape[1]
    group = heads // kv_heads
    per_split = ct.cdiv(ct.cdiv(k.shape[2], tile_n), splits)
    partial = torch.empty(batch, kv_heads, splits, group, width, device=q.device)
    log_sums = torch.empty(batch, kv_heads, splits, group, device=q.device)
    out = torch.empty(batch, kv_heads, group, width, device=q.device, dtype=q.dtype)
    stream = torch.cuda.current_stream()
    arguments = (q.view(batch, kv_heads, group, width), k, v, partial, log_sums, width**-0.5, lengths, group, width)
    ct.launch(stream, (batch, kv_heads, splits), decode_kernel, (*arguments, tile_n, per_split))
    power = 1 << (splits - 1).bit_length()
    ct.launch(stream, (batch, kv_heads), reduce_splits, (partial, log_sums, out, group, width, power))
    return out.view(batch, heads, width)


def check():
    torch.manual_seed(15)
    for dtype, splits in ((torch.float16, 4), (torch.bfloat16, 3)):
        q = torch.randn(3, 8, 32, device="cuda").to(dtype)
        k, v = (torch.randn(3, 2, 100, 32, device="cuda").to(dtype) for _ in range(2))
        lengths = torch.tensor([100, 37, 5], device="cuda", dtype=torch.int32)
        expected = torch.empty_like(q)
        for b, length in enumerate(lengths.tolist()):
            keys, values = (t[b, :, :length].repeat_interleave(4, 0).float() for t in (k, v))
            p = torch.softmax((q[b, :, None].float() @ keys.mT) * 32**-0.5, -1)
            expected[b] = (p @ values)[:, 0].to(dtype)
        yield f"{dtype}, {splits} splits", decode(q, k, v, lengths, splits), expected, 2e-2
