# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generalized Jensen-Shannon divergence of log-probabilities, its gradient in place of its input."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def jsd_kernel(x, y, dx, loss, beta: ct.Constant[float], scale: float, n: ConstInt, TILE: ConstInt):
    row = ct.bid(0)
    total = ct.zeros((1, TILE), ct.float32)
    for j in range(ct.cdiv(n, TILE)):
        log_q = ct.load(x, (row, j), (1, TILE), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        log_p = ct.load(y, (row, j), (1, TILE), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        inside = j * TILE + ct.arange(TILE, dtype=ct.int32)[None, :] < n
        q = ct.exp(log_q)
        p = ct.exp(log_p)
        if beta == 0.0:
            part = p * (log_p - log_q)
            gradient = -p
        elif beta == 1.0:
            part = q * (log_q - log_p)
            gradient = part + q
        else:
            m = beta * p + (1 - beta) * q
            log_m = ct.log(ct.where(inside, m, 1.0))
            part = beta * p * (log_p - log_m) + (1 - beta) * q * (log_q - log_m)
            gradient = (1 - beta) * q * (log_q - log_m)
        total += ct.where(inside, part, 0.0)
        ct.store(dx, (row, j), (gradient * scale).astype(dx.dtype))
    ct.store(loss, (row,), ct.sum(total, axis=1) * scale)


def jsd(x, y, beta):
    """The loss; x becomes its gradient."""
    rows, n = x.shape
    loss = torch.empty(rows, device=x.device)
    ct.launch(torch.cuda.current_stream(), (rows,), jsd_kernel, (x, y, x, loss, beta, 1.0 / rows, n, 64))
    return loss.sum(), x


def reference(x, y, beta):
    if beta == 0.0:
        return torch.nn.functional.kl_div(x, y, log_target=True, reduction="batchmean")
    if beta == 1.0:
        return torch.nn.functional.kl_div(y, x, log_target=True, reduction="batchmean")
    m = (beta * y.exp() + (1 - beta) * x.exp()).log()
    left = torch.nn.functional.kl_div(m, y, log_target=True, reduction="batchmean")
    return beta * left + (1 - beta) * torch.nn.functional.kl_div(m, x, log_target=True, reduction="batchmean")


def check():
    torch.manual_seed(12)
    for beta in (0.0, 0.3, 0.5, 1.0):
        x = torch.log_softmax(torch.randn(12, 100, device="cuda"), -1)
        y = torch.log_softmax(torch.randn(12, 100, device="cuda"), -1)
        leaf = x.clone().requires_grad_()
        expected = reference(leaf, y, beta)
        expected.backward()
        loss, gradient = jsd(x, y, beta)
        yield f"loss, beta {beta}", loss, expected.detach(), 1e-5
        yield f"gradient, beta {beta}", gradient, leaf.grad, 1e-5
