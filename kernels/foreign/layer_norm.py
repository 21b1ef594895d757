# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LayerNorm as an autograd function: forward in pieces, backward with partial sums under locks and a second kernel."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def layer_norm_forward(X, W, B, Y, Mean, Rstd, eps: float, TILE: ConstInt):
    row = ct.bid(0)
    pieces = ct.num_tiles(X, axis=1, shape=(1, TILE))
    n = X.shape[1]
    total = ct.full((1, TILE), 0, dtype=ct.float32)
    for j in range(pieces):
        total += ct.load(X, index=(row, j), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
    mean = ct.sum(total, axis=1) / n
    ct.store(Mean, index=(row,), tile=mean)
    squares = ct.full((1, TILE), 0, dtype=ct.float32)
    for j in range(pieces):
        x = ct.load(X, index=(row, j), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        inside = j * TILE + ct.arange(TILE, dtype=ct.int32) < n
        centered = ct.where(inside, x - mean, 0)
        squares += centered**2
    rstd = 1 / ct.sqrt(ct.sum(squares, axis=1) / n + eps)
    ct.store(Rstd, index=(row,), tile=rstd)
    for j in range(pieces):
        x = ct.load(X, index=(row, j), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        w = ct.load(W, index=(j,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(j,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
        ct.store(Y, index=(row, j), tile=((x - mean) * rstd * w + b).astype(Y.dtype))


@ct.kernel
def layer_norm_backward(DX, DY, DW, DB, X, W, Mean, Rstd, Locks, GROUPS: ConstInt, TILE: ConstInt):
    row = ct.bid(0)
    group = row % GROUPS
    n = X.shape[1]
    inside = ct.arange(TILE, dtype=ct.int32) < n
    x = ct.load(X, (row, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO)
    dy = ct.load(DY, (row, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO)
    w = ct.load(W, (0,), (TILE,), padding_mode=ct.PaddingMode.ZERO)
    mean, rstd = ct.load(Mean, (row,), (1,)), ct.load(Rstd, (row,), (1,))
    normal = ct.where(inside, (x - mean) * rstd, 0.0)
    wdy = ct.where(inside, w * dy, 0.0)
    c1 = ct.sum(normal * wdy, axis=1) / n
    c2 = ct.sum(wdy, axis=1) / n
    ct.store(DX, (row, 0), ((wdy - (normal * c1 + c2)) * rstd).astype(DX.dtype))

    while ct.atomic_cas(Locks, group, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    dw = ct.load(DW, (group, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO) + dy * normal
    db = ct.load(DB, (group, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO) + dy
    ct.store(DW, (group, 0), dw)
    ct.store(DB, (group, 0), db)
    ct.atomic_xchg(Locks, group, 0, memory_order=ct.MemoryOrder.RELEASE)


@ct.kernel
def sum_groups(DW, DB, out_w, out_b, TM: ConstInt, TN: ConstInt):
    j = ct.bid(0)
    dw = ct.zeros((TM, TN), dtype=ct.float32)
    db = ct.zeros((TM, TN), dtype=ct.float32)
    for i in range(ct.num_tiles(DW, axis=0, shape=(TM, TN))):
        dw += ct.load(DW, (i, j), (TM, TN), padding_mode=ct.PaddingMode.ZERO)
        db += ct.load(DB, (i, j), (TM, TN), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out_w, (j,), ct.sum(dw, axis=0))
    ct.store(out_b, (j,), ct.sum(db, axis=0))


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        rows = x.shape[0]
        y = torch.empty_like(x)
        mean, rstd = (torch.empty(rows, device="cuda") for _ in range(2))
        stream = torch.cuda.current_stream()
        ct.launch(stream, (rows,), layer_norm_forward, (x, weight, bias, y, mean, rstd, eps, 64))
        ctx.save_for_backward(x, weight, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        rows, n = x.shape
        groups = 4
        dx = torch.empty_like(x)
        dw, db = (torch.zeros(groups, n, device=x.device) for _ in range(2))
        locks = torch.zeros(groups, dtype=torch.int32, device=x.device)
        final_w, final_b = torch.empty_like(weight), torch.empty_like(weight)
        stream = torch.cuda.current_stream()
        tile = 1 << (n - 1).bit_length()
        arguments = (dx, dy.contiguous(), dw, db, x, weight, mean, rstd, locks, groups, tile)
        ct.launch(stream, (rows,), layer_norm_backward, arguments)
        ct.launch(stream, (ct.cdiv(n, 32),), sum_groups, (dw, db, final_w, final_b, 4, 32))
        return dx, final_w, final_b, None


def check():
    torch.manual_seed(5)
    x = torch.randn(20, 150, device="cuda", requires_grad=True)
    weight = torch.rand(150, device="cuda", requires_grad=True)
    bias = torch.rand(150, device="cuda", requires_grad=True)
    dy = torch.randn(20, 150, device="cuda")
    y = LayerNorm.apply(x, weight, bias, 1e-5)
    y.backward(dy)
    ours = [y.detach(), *(t.grad.clone() for t in (x, weight, bias))]
    for t in (x, weight, bias):
        t.grad = None
    y = torch.nn.functional.layer_norm(x, (150,), weight, bias, 1e-5)
    y.backward(dy)
    expected = [y.detach(), x.grad, weight.grad, bias.grad]
    for name, a, e in zip(("y", "dx", "dw", "db"), ours, expected, strict=True):
        yield name, a, e, 1e-4
