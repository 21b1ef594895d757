# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Kullback-Leibler divergence of rows with its gradient in place, and sums that blocks add up atomically."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def kl_forward(x, y, loss, LOG_TARGET: ct.Constant[bool], scale: float, TILE: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    at = column * TILE + ct.arange(TILE, dtype=ct.int32)
    log_q = ct.gather(x, (row, at))
    target = ct.gather(y, (row, at))
    if LOG_TARGET:
        part = ct.exp(target) * (target - log_q)
    else:
        part = target * (ct.log(ct.maximum(target, 1e-10)) - log_q)
    part = ct.where(at < x.shape[1], part, 0.0)
    ct.atomic_add(loss, 0, ct.sum(part) * scale)


@ct.kernel
def kl_backward(y, dx, LOG_TARGET: ct.Constant[bool], scale: float, TILE: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    at = column * TILE + ct.arange(TILE, dtype=ct.int32)
    target = ct.gather(y, (row, at))
    ct.scatter(dx, (row, at), -(ct.exp(target) if LOG_TARGET else target) * scale)


def check():
    torch.manual_seed(25)
    rows, n = 10, 90
    for log_target in (False, True):
        x = torch.log_softmax(torch.randn(rows, n, device="cuda"), -1)
        y = torch.softmax(torch.randn(rows, n, device="cuda"), -1)
        y = y.log() if log_target else y
        leaf = x.clone().requires_grad_()
        expected = torch.nn.functional.kl_div(leaf, y, reduction="batchmean", log_target=log_target)
        expected.backward()
        loss = torch.zeros(1, device="cuda")
        grid = (rows, ct.cdiv(n, 32))
        stream = torch.cuda.current_stream()
        ct.launch(stream, grid, kl_forward, (x, y, loss, log_target, 1.0 / rows, 32))
        yield f"loss, log target {log_target}", loss[0], expected.detach(), 1e-5
        ct.launch(stream, grid, kl_backward, (y, y, log_target, 1.0 / rows, 32))
        yield f"gradient in place, log target {log_target}", y, leaf.grad, 1e-5
