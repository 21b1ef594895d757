# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cross-entropy that leaves the gradient in place of the logits: ignored labels, smoothing, a soft cap."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def cross_entropy_kernel(
    logits,
    labels,
    loss,
    vocabulary: ConstInt,
    ignore: ConstInt,
    smoothing: ct.Constant[float],
    cap: ct.Constant[float],
    inverse_count: float,
    TILE: ConstInt,
):
    row = ct.bid(0)
    label = ct.gather(labels, row).item()
    pieces = ct.cdiv(vocabulary, TILE)
    if label == ignore:
        for j in range(pieces):
            columns = j * TILE + ct.arange(TILE, dtype=ct.int32)
            ct.scatter(logits, (row, columns), ct.zeros((TILE,), logits.dtype))
        ct.scatter(loss, row, 0.0)
        return

    largest = ct.full((1,), float("-inf"), ct.float32)
    total = ct.zeros((1,), ct.float32)
    plain_sum = ct.zeros((1,), ct.float32)
    for j in range(pieces):
        columns = j * TILE + ct.arange(TILE, dtype=ct.int32)
        values = ct.gather(logits, (row, columns), padding_value=float("-inf")).astype(ct.float32)
        if cap > 0:
            values = ct.where(columns < vocabulary, cap * ct.tanh(values / cap), float("-inf"))
        larger = ct.maximum(largest, ct.max(values, keepdims=True))
        total = total * ct.exp(largest - larger) + ct.sum(ct.exp(values - larger), keepdims=True)
        plain_sum += ct.sum(ct.where(columns < vocabulary, values, 0.0), keepdims=True)
        largest = larger
    log_sum = largest + ct.log(total)

    at_label = ct.gather(logits, (row, label)).astype(ct.float32)
    if cap > 0:
        at_label = cap * ct.tanh(at_label / cap)
    result = log_sum - at_label * (1 - smoothing) - plain_sum * (smoothing / vocabulary)
    ct.scatter(loss, row, result.item() * inverse_count)

    for j in range(pieces):
        columns = j * TILE + ct.arange(TILE, dtype=ct.int32)
        values = ct.gather(logits, (row, columns), padding_value=float("-inf")).astype(ct.float32)
        slope = ct.full((TILE,), 1.0, ct.float32)
        if cap > 0:
            bent = ct.tanh(values / cap)
            slope = 1 - bent * bent
            values = ct.where(columns < vocabulary, cap * bent, float("-inf"))
        gradient = ct.exp(values - log_sum) - smoothing / vocabulary
        gradient = ct.where(columns == label, gradient - (1 - smoothing), gradient)
        ct.scatter(logits, (row, columns), (gradient * slope * inverse_count).astype(logits.dtype))


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, labels, ignore, smoothing, cap):
        rows, vocabulary = logits.shape
        loss = torch.zeros(rows, device=logits.device)
        count = int((labels != ignore).sum())
        arguments = (logits, labels, loss, vocabulary, ignore, smoothing, cap, 1.0 / max(count, 1), 64)
        ct.launch(torch.cuda.current_stream(), (rows,), cross_entropy_kernel, arguments)
        ctx.save_for_backward(logits.detach())
        return loss.sum()

    @staticmethod
    def backward(ctx, dy):
        (gradient,) = ctx.saved_tensors
        return gradient * dy, None, None, None, None


def check():
    torch.manual_seed(11)
    rows, vocabulary = 20, 150
    labels = torch.randint(0, vocabulary, (rows,), device="cuda", dtype=torch.int32)
    labels[3] = labels[7] = -100
    for smoothing, cap in ((0.0, 0.0), (0.1, 0.0), (0.0, 5.0)):
        start = torch.randn(rows, vocabulary, device="cuda") * 3
        x = start.clone().requires_grad_()
        loss = CrossEntropy.apply(x * 1, labels, -100, smoothing, cap)
        (loss * 2).backward()
        ours, gradient = loss.detach(), x.grad
        x = start.clone().requires_grad_()
        bent = cap * torch.tanh(x / cap) if cap else x
        loss = torch.nn.functional.cross_entropy(bent, labels.long(), ignore_index=-100, label_smoothing=smoothing)
        (loss * 2).backward()
        yield f"loss, smoothing {smoothing}, cap {cap}", ours, loss.detach(), 1e-5
        yield f"gradient, smoothing {smoothing}, cap {cap}", gradient, x.grad, 1e-5
