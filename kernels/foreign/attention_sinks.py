# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with a sink a head, a soft cap on scores and a sliding window."""

import math

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]
LOG2E = 1.4426950408889634


@ct.kernel
def sinks_kernel(
    Q,
    K,
    V,
    sinks,
    Out,
    scale: float,
    cap: ct.Constant[float],
    WINDOW: ConstInt,
    H: ConstInt,
    GROUP: ConstInt,
    TM: ConstInt,
    TN: ConstInt,
    TD: ConstInt,
):
    block, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    q = ct.load(Q, (batch, block, head, 0), (1, TM, 1, TD), padding_mode=ct.PaddingMode.ZERO).reshape((TM, TD))
    sink = ct.gather(sinks, head).astype(ct.float32) * LOG2E
    rows = block * TM + ct.arange(TM, dtype=ct.int32)[:, None]
    keys = K.shape[1]
    largest = ct.full((TM, 1), 0.0, ct.float32) + sink
    total = ct.full((TM, 1), 1.0, ct.float32)  # the sink's own
    acc = ct.zeros((TM, TD), ct.float32)
    first = 0
    if WINDOW > 0:
        first = max(block * TM - WINDOW + 1, 0) // TN
    last = ct.cdiv(min((block + 1) * TM, keys), TN)
    for j in range(first, last):
        k = ct.load(K, (batch, j, head // GROUP, 0), (1, TN, 1, TD), padding_mode=ct.PaddingMode.ZERO)
        scores = ct.matmul(q.astype(ct.float32), ct.transpose(k.reshape((TN, TD))).astype(ct.float32)) * scale
        if cap > 0.0:
            scores = cap * ct.tanh(scores / cap)
        at = j * TN + ct.arange(TN, dtype=ct.int32)[None, :]
        mask = (at <= rows) & (at < keys)
        if WINDOW > 0:
            mask = mask & (rows - at < WINDOW)
        scores = ct.where(mask, scores * LOG2E, -math.inf)
        larger = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp2(scores - larger)
        shrink = ct.exp2(largest - larger)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        v = ct.load(V, (batch, j, head // GROUP, 0), (1, TN, 1, TD), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(p.astype(V.dtype), v.reshape((TN, TD)), acc * shrink)
        largest = larger
    ct.store(Out, (batch, block, head, 0), (acc / total).astype(Out.dtype).reshape((1, TM, 1, TD)))


def check():
    torch.manual_seed(17)
    batch, length, heads, kv_heads, width = 2, 75, 4, 2, 32
    q = torch.randn(batch, length, heads, width, device="cuda", dtype=torch.bfloat16)
    k, v = (torch.randn(batch, length, kv_heads, width, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    sinks = torch.randn(heads, device="cuda")
    at = torch.arange(length, device="cuda")
    for cap, window in ((0.0, 0), (5.0, 0), (0.0, 20), (3.0, 20)):
        out = torch.empty_like(q)
        arguments = (q, k, v, sinks, out, width**-0.5, cap, window, heads, heads // kv_heads, 32, 16, width)
        ct.launch(torch.cuda.current_stream(), (ct.cdiv(length, 32), batch * heads), sinks_kernel, arguments)
        keys, values = (t.repeat_interleave(2, 2).transpose(1, 2).float() for t in (k, v))
        scores = q.transpose(1, 2).float() @ keys.mT * width**-0.5
        if cap:
            scores = cap * torch.tanh(scores / cap)
        mask = at[:, None] >= at
        if window:
            mask = mask & (at[:, None] - at < window)
        scores = scores.masked_fill(~mask, -math.inf)
        column = sinks[None, :, None, None].expand(batch, heads, length, 1)
        p = torch.softmax(torch.cat([scores, column], -1), -1)[..., :-1]
        yield f"cap {cap}, window {window}", out, (p @ values).transpose(1, 2), 3e-2
