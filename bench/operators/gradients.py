# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward of operators of PyTorch against PyTorch's own functions."""

import torch
from tilewright import ops
from torch.nn import functional

from bench.operators.clock import milliseconds


def gradients(dtype):
    """(label, operator, PyTorch's own, arguments)"""

    def numbers(*shape):
        return torch.randn(shape).to(dtype).requires_grad_()

    x, weight, labels = numbers(1024, 2048), numbers(2048), torch.randint(2048, (1024,))
    yield "rms_norm", ops.rms_norm, lambda x, w: functional.rms_norm(x, w.shape, w, 1e-6), (x, weight)
    yield "layer_norm", ops.layer_norm, lambda x, w, b: functional.layer_norm(x, w.shape, w, b), (x, weight, weight)
    yield "silu_and_mul", ops.silu_and_mul, lambda x: functional.silu(x[:, :1024]) * x[:, 1024:], (x,)
    yield "softmax", ops.softmax, lambda x: x.softmax(-1), (x,)
    yield (
        "cross_entropy",
        lambda x: ops.cross_entropy(x, labels),
        lambda x: functional.cross_entropy(x, labels, reduction="none"),
        (x,),
    )
    yield "linear", ops.linear, functional.linear, (x, numbers(2048, 2048))
    causal = lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
    yield "attention", ops.attention, causal, tuple(numbers(1, 8, 1024, 64) for _ in range(3))


def forward_and_backward(function, arguments):
    detached = [x.detach() for x in arguments]
    result = function(*arguments)
    grad = torch.randn_like(result)
    backward = lambda: torch.autograd.grad(result, arguments, grad, retain_graph=True)  # noqa: E731
    return milliseconds(lambda: function(*detached)), milliseconds(backward)


def compare():
    print(f"{'ms':24} {'forward':>8} {'PyTorch':>8} {'backward':>8} {'PyTorch':>8}")
    for dtype in (torch.float32, torch.bfloat16):
        for label, ours, theirs, arguments in gradients(dtype):
            (forward, backward), (forward2, backward2) = (forward_and_backward(f, arguments) for f in (ours, theirs))
            name = f"{label} {str(dtype).removeprefix('torch.')}"
            print(f"{name:24} {forward:8.2f} {forward2:8.2f} {backward:8.2f} {backward2:8.2f}", flush=True)
