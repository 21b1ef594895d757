# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RMSNorm: rows by gathers, rows in tiles by a grid that stays, and the backward pass in place of its gradient."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def forward_gather(x, w, out, rstd, n: ConstInt, eps: float, offset: float, TILE: ConstInt):
    row = ct.bid(0)
    square = ct.full((TILE,), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(n, TILE)):
        columns = ct.arange(TILE, dtype=ct.int32) + j * TILE
        values = ct.gather(x, (row, columns), latency=1).astype(ct.float32)
        square += values * values
    scale = ct.rsqrt(ct.sum(square, axis=0, keepdims=False) / n + eps)
    ct.scatter(rstd, row, scale)
    for j in range(ct.cdiv(n, TILE)):
        columns = ct.arange(TILE, dtype=ct.int32) + j * TILE
        weight = ct.gather(w, columns).astype(ct.float32) + offset
        values = ct.gather(x, (row, columns)).astype(ct.float32)
        ct.scatter(out, (row, columns), (values * scale * weight).astype(out.dtype), latency=1)


@ct.kernel
def forward_persistent(x, w, out, eps: float, TM: ConstInt, TN: ConstInt):
    n = x.shape[1]
    weight = ct.load(w, (0,), (TN,), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32).reshape((1, TN))
    for tile in range(ct.bid(0), ct.cdiv(x.shape[0], TM), ct.num_blocks(0)):
        values = ct.load(x, (tile, 0), (TM, TN), padding_mode=ct.PaddingMode.ZERO, latency=10).astype(ct.float32)
        mean = ct.sum(values * values, axis=1, keepdims=True) * (1.0 / n)
        values = values * ct.rsqrt(mean + eps) * weight
        ct.store(out, (tile, 0), values.astype(out.dtype), allow_tma=False, latency=3)


@ct.kernel
def backward(dx, dy, x, w, rstd, dw_rows, TILE: ConstInt):
    row = ct.bid(0)
    n = x.shape[1]
    grad = ct.load(dy, (row, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    values = ct.load(x, (row, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    weight = ct.load(w, (0,), (TILE,), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32).reshape((1, TILE))
    scale = ct.load(rstd, (row,), (1,)).reshape((1, 1))
    normal = values * scale
    weighted = grad * weight
    inner = ct.sum(weighted * normal, axis=1, keepdims=True) / n
    ct.store(dx, (row, 0), ((weighted - normal * inner) * scale).astype(dx.dtype))
    ct.store(dw_rows, (row, 0), grad * normal)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        rows, n = x.shape
        out, rstd = torch.empty_like(x), torch.empty(rows, device=x.device)
        arguments = (x, weight, out, rstd, n, eps, 0.0, 64)
        ct.launch(torch.cuda.current_stream(), (rows,), forward_gather, arguments)
        ctx.save_for_backward(x, weight, rstd)
        return out

    @staticmethod
    def backward(ctx, dy):
        x, weight, rstd = ctx.saved_tensors
        dy = dy.contiguous()
        rows = torch.empty(x.shape, device=x.device, dtype=torch.float32)
        tile = 1 << (x.shape[1] - 1).bit_length()
        arguments = (dy, dy, x, weight, rstd, rows, tile)  # dx takes the memory of dy
        ct.launch(torch.cuda.current_stream(), (x.shape[0],), backward, arguments)
        return dy, rows.sum(0).to(weight.dtype), None


def reference(x, weight, eps):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def check():
    torch.manual_seed(10)
    x = torch.randn(30, 200, device="cuda", requires_grad=True)
    weight = torch.rand(200, device="cuda", requires_grad=True)
    dy = torch.randn(30, 200, device="cuda")
    y = RMSNorm.apply(x, weight, 1e-6)
    y.backward(dy.clone())
    ours = y.detach(), x.grad.clone(), weight.grad.clone()
    x.grad = weight.grad = None
    expected = reference(x, weight, 1e-6)
    expected.backward(dy)
    for name, a, e in zip(("y", "dx", "dw"), ours, (expected.detach(), x.grad, weight.grad), strict=True):
        yield name, a, e, 1e-4
    x = torch.randn(50, 120, device="cuda").to(torch.bfloat16)
    weight = torch.rand(120, device="cuda").to(torch.bfloat16)
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (3,), forward_persistent, (x, weight, out, 1e-6, 4, 128))
    yield "persistent, bf16", out.float(), reference(x.float(), weight.float(), 1e-6), 2e-2
