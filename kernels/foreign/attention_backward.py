# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention: one kernel a block of keys for dK and dV, one a block of queries for dQ."""

import math

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]
LOG2E = 1.4426950408889634


def rows_of(array, batch, head, block, TM: ConstInt, TD: ConstInt):
    return ct.load(array, (batch, head, block, 0), (1, 1, TM, TD), padding_mode=ct.PaddingMode.ZERO).reshape((TM, TD))


@ct.kernel
def forward(Q, K, V, Out, LogSums, scale: float, H: ConstInt, TM: ConstInt, TN: ConstInt, TD: ConstInt):
    block, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    q = rows_of(Q, batch, head, block, TM, TD)
    largest = ct.full((TM, 1), -math.inf, ct.float32)
    total = ct.zeros((TM, 1), ct.float32)
    acc = ct.zeros((TM, TD), ct.float32)
    for j in range(ct.cdiv(K.shape[2], TN)):
        k = rows_of(K, batch, head, j, TN, TD)
        scores = ct.mma(q, ct.transpose(k), ct.zeros((TM, TN), ct.float32)) * (scale * LOG2E)
        at = j * TN + ct.arange(TN, dtype=ct.int32)[None, :]
        scores = ct.where(at < K.shape[2], scores, -1e30)
        larger = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp2(scores - larger)
        total = total * ct.exp2(largest - larger) + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(p.astype(V.dtype), rows_of(V, batch, head, j, TN, TD), acc * ct.exp2(largest - larger))
        largest = larger
    ct.store(Out, (batch, head, block, 0), (acc / total).astype(Out.dtype).reshape((1, 1, TM, TD)))
    ct.store(LogSums, (batch, head, block), (largest + ct.log2(total)).reshape((1, 1, TM)))


@ct.kernel
def inner_products(Out, DO, Delta, H: ConstInt, TM: ConstInt, TD: ConstInt):
    block, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    o = rows_of(Out, batch, head, block, TM, TD).astype(ct.float32)
    do = rows_of(DO, batch, head, block, TM, TD).astype(ct.float32)
    ct.store(Delta, (batch, head, block), ct.sum(o * do, axis=1).reshape((1, 1, TM)))


@ct.kernel
def backward_kv(Q, K, V, DO, LogSums, Delta, DK, DV, scale: float, H: ConstInt, TM: ConstInt, TN: ConstInt,
                TD: ConstInt):  # fmt: skip
    block, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    k, v = rows_of(K, batch, head, block, TN, TD), rows_of(V, batch, head, block, TN, TD)
    dk = ct.zeros((TN, TD), ct.float32)
    dv = ct.zeros((TN, TD), ct.float32)
    for i in range(ct.cdiv(Q.shape[2], TM)):
        q, do = rows_of(Q, batch, head, i, TM, TD), rows_of(DO, batch, head, i, TM, TD)
        log_sum = ct.load(LogSums, (batch, head, i), (1, 1, TM), padding_mode=ct.PaddingMode.POS_INF).reshape((1, TM))
        delta = ct.load(Delta, (batch, head, i), (1, 1, TM), padding_mode=ct.PaddingMode.ZERO).reshape((1, TM))
        scores = ct.mma(k, ct.transpose(q), ct.zeros((TN, TM), ct.float32)) * (scale * LOG2E)
        p = ct.exp2(scores - log_sum)
        dv = ct.mma(p.astype(do.dtype), do, dv)
        dp = ct.mma(v, ct.transpose(do), ct.zeros((TN, TM), ct.float32))
        ds = p * (dp - delta)
        dk = ct.mma(ds.astype(q.dtype), q, dk)
    ct.store(DK, (batch, head, block, 0), (dk * scale).astype(DK.dtype).reshape((1, 1, TN, TD)))
    ct.store(DV, (batch, head, block, 0), dv.astype(DV.dtype).reshape((1, 1, TN, TD)))


@ct.kernel
def backward_q(Q, K, V, DO, LogSums, Delta, DQ, scale: float, H: ConstInt, TM: ConstInt, TN: ConstInt, TD: ConstInt):
    block, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    q, do = rows_of(Q, batch, head, block, TM, TD), rows_of(DO, batch, head, block, TM, TD)
    log_sum = ct.load(LogSums, (batch, head, block), (1, 1, TM)).reshape((TM, 1))
    delta = ct.load(Delta, (batch, head, block), (1, 1, TM)).reshape((TM, 1))
    dq = ct.zeros((TM, TD), ct.float32)
    for j in range(ct.cdiv(K.shape[2], TN)):
        k, v = rows_of(K, batch, head, j, TN, TD), rows_of(V, batch, head, j, TN, TD)
        p = ct.exp2(ct.mma(q, ct.transpose(k), ct.zeros((TM, TN), ct.float32)) * (scale * LOG2E) - log_sum)
        at = j * TN + ct.arange(TN, dtype=ct.int32)[None, :]
        p = ct.where(at < K.shape[2], p, 0.0)
        dp = ct.mma(do, ct.transpose(v), ct.zeros((TM, TN), ct.float32))
        dq = ct.mma((p * (dp - delta)).astype(k.dtype), k, dq)
    ct.store(DQ, (batch, head, block, 0), (dq * scale).astype(DQ.dtype).reshape((1, 1, TM, TD)))


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        batch, heads, length, width = q.shape
        out, log_sums = torch.empty_like(q), torch.empty(batch, heads, length, device=q.device)
        grid = (ct.cdiv(length, 32), batch * heads)
        arguments = (q, k, v, out, log_sums, width**-0.5, heads, 32, 32, width)
        ct.launch(torch.cuda.current_stream(), grid, forward, arguments)
        ctx.save_for_backward(q, k, v, out, log_sums)
        return out

    @staticmethod
    def backward(ctx, do):
        q, k, v, out, log_sums = ctx.saved_tensors
        batch, heads, length, width = q.shape
        do = do.contiguous()
        delta = torch.empty_like(log_sums)
        dq, dk, dv = (torch.empty_like(t) for t in (q, k, v))
        stream = torch.cuda.current_stream()
        grid, scale = (ct.cdiv(length, 32), batch * heads), width**-0.5
        ct.launch(stream, grid, inner_products, (out, do, delta, heads, 32, width))
        common = (q, k, v, do, log_sums, delta)
        ct.launch(stream, grid, backward_kv, (*common, dk, dv, scale, heads, 32, 32, width))
        ct.launch(stream, grid, backward_q, (*common, dq, scale, heads, 32, 32, width))
        return dq, dk, dv


def check():
    torch.manual_seed(22)
    start = [torch.randn(2, 2, 80, 32, device="cuda", dtype=torch.float16) for _ in range(3)]
    do = torch.randn(2, 2, 80, 32, device="cuda", dtype=torch.float16)
    results = []
    for function in (Attention.apply, torch.nn.functional.scaled_dot_product_attention):
        q, k, v = (t.clone().requires_grad_() for t in start)
        out = function(q, k, v)
        out.backward(do)
        results.append((out.detach(), q.grad, k.grad, v.grad))
    for what, ours, theirs in zip(("out", "dq", "dk", "dv"), *results, strict=True):
        yield what, ours, theirs, 1e-2
