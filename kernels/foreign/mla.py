# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latent attention: prefill with keys of two parts, decode where all heads share a row of keys and values."""

import math

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]
LOG2E = 1.4426950408889634


@ct.kernel
def prefill_kernel(
    Q, QPE, K, KPE, V, Out, scale: float, TD: ConstInt, TPE: ConstInt, TM: ConstInt, TN: ConstInt, H: ConstInt
):
    block, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    q = ct.load(Q, (batch, head, block, 0), (1, 1, TM, TD), padding_mode=ct.PaddingMode.ZERO).reshape((TM, TD))
    q_pe = ct.load(QPE, (batch, head, block, 0), (1, 1, TM, TPE), padding_mode=ct.PaddingMode.ZERO).reshape((TM, TPE))
    rows = block * TM + ct.arange(TM, dtype=ct.int32)[:, None]
    largest = ct.full((TM, 1), -math.inf, ct.float32)
    total = ct.zeros((TM, 1), ct.float32)
    acc = ct.zeros((TM, TD), ct.float32)
    for j in range(ct.cdiv(min((block + 1) * TM, K.shape[2]), TN)):
        k = ct.load(K, (batch, head, 0, j), (1, 1, TD, TN), order=(0, 1, 3, 2), padding_mode=ct.PaddingMode.ZERO)
        k_pe = ct.load(KPE, (batch, 0, 0, j), (1, 1, TPE, TN), order=(0, 1, 3, 2), padding_mode=ct.PaddingMode.ZERO)
        scores = ct.mma(q, k.reshape((TD, TN)), ct.zeros((TM, TN), ct.float32))
        scores = ct.mma(q_pe, k_pe.reshape((TPE, TN)), scores) * (scale * LOG2E)
        at = j * TN + ct.arange(TN, dtype=ct.int32)[None, :]
        scores = ct.where((rows >= at) & (at < K.shape[2]), scores, -1e30)
        larger = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp2(scores - larger)
        shrink = ct.exp2(largest - larger)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        v = ct.load(V, (batch, head, j, 0), (1, 1, TN, TD), padding_mode=ct.PaddingMode.ZERO).reshape((TN, TD))
        acc = ct.mma(p.astype(V.dtype), v, acc * shrink)
        largest = larger
    ct.store(Out, (batch, head, block, 0), (acc / total).astype(Out.dtype).reshape((1, 1, TM, TD)))


@ct.kernel
def decode_kernel(
    Q,
    QPE,
    KV,
    KPE,
    Out,
    LogSums,
    scale: float,
    TH: ConstInt,
    TD: ConstInt,
    TPE: ConstInt,
    TN: ConstInt,
    SPLIT: ConstInt,
):
    batch, heads, split = ct.bid(0), ct.bid(1), ct.bid(2)
    length = KV.shape[1]
    # Heads are the columns: the latent rows are keys and values without being turned.
    q = ct.load(Q, (batch, 0, heads), (1, TD, TH), order=(0, 2, 1)).reshape((TD, TH))
    q_pe = ct.load(QPE, (batch, 0, heads), (1, TPE, TH), order=(0, 2, 1)).reshape((TPE, TH))
    first = split * SPLIT
    last = min(first + SPLIT, ct.cdiv(length, TN))
    largest = ct.full((1, TH), -math.inf, ct.float32)
    total = ct.zeros((1, TH), ct.float32)
    acc = ct.zeros((TD, TH), ct.float32)
    for j in range(first, last):
        k = ct.load(KV, (batch, j, 0), (1, TN, TD), padding_mode=ct.PaddingMode.ZERO, latency=2).reshape((TN, TD))
        k_pe = ct.load(KPE, (batch, j, 0), (1, TN, TPE), padding_mode=ct.PaddingMode.ZERO, latency=2)
        scores = ct.mma(k, q, ct.zeros((TN, TH), ct.float32))
        scores = ct.mma(k_pe.reshape((TN, TPE)), q_pe, scores) * (scale * LOG2E)
        at = j * TN + ct.arange(TN, dtype=ct.int32)[:, None]
        scores = ct.where(at < length, scores, -1e30)
        larger = ct.maximum(largest, ct.max(scores, axis=0, keepdims=True))
        p = ct.exp2(scores - larger)
        shrink = ct.exp2(largest - larger)
        total = total * shrink + ct.sum(p, axis=0, keepdims=True)
        v = ct.load(KV, (batch, 0, j), (1, TD, TN), order=(0, 2, 1), padding_mode=ct.PaddingMode.ZERO, latency=2)
        acc = ct.mma(v.reshape((TD, TN)), p.astype(KV.dtype), acc * shrink)
        largest = larger
    result = ct.transpose(acc / total).reshape((1, 1, TH, TD))
    ct.store(Out, (split, batch, heads, 0), result.astype(Out.dtype))
    ct.store(LogSums, (split, batch, heads), (largest + ct.log2(total)).reshape((1, 1, TH)))


def check():
    torch.manual_seed(16)
    batch, heads, length, width, pe = 2, 2, 70, 32, 16
    scale = (width + pe) ** -0.5
    make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.bfloat16)  # noqa: E731
    q, q_pe, k = make(batch, heads, length, width), make(batch, heads, length, pe), make(batch, heads, length, width)
    k_pe, v = make(batch, 1, length, pe), make(batch, heads, length, width)
    out = torch.empty_like(q)
    stream = torch.cuda.current_stream()
    arguments = (q, q_pe, k, k_pe, v, out, scale, width, pe, 32, 16, heads)
    ct.launch(stream, (ct.cdiv(length, 32), batch * heads), prefill_kernel, arguments)
    scores = (q.float() @ k.float().mT + q_pe.float() @ k_pe.float().mT) * scale
    mask = torch.ones(length, length, device="cuda", dtype=torch.bool).tril()
    expected = torch.softmax(scores.masked_fill(~mask, -math.inf), -1) @ v.float()
    yield "prefill", out, expected, 3e-2

    heads, latent, splits = 16, 64, 2
    q, q_pe = make(batch, heads, latent), make(batch, heads, pe)
    kv, k_pe = make(batch, 100, latent), make(batch, 100, pe)
    scale = (latent + pe) ** -0.5
    parts = torch.empty(splits, batch, heads, latent, device="cuda")
    log_sums = torch.empty(splits, batch, heads, device="cuda")
    arguments = (q, q_pe, kv, k_pe, parts, log_sums, scale, 16, latent, pe, 32, 2)
    ct.launch(stream, (batch, 1, splits), decode_kernel, arguments)
    weights = torch.softmax(log_sums * math.log(2), 0)
    scores = (q.float() @ kv.float().mT + q_pe.float() @ k_pe.float().mT) * scale
    yield "decode", (parts * weights[..., None]).sum(0), torch.softmax(scores, -1) @ kv.float(), 3e-2
    yield "decode, log of the sums", torch.logsumexp(log_sums * math.log(2), 0), torch.logsumexp(scores, -1), 2e-2
