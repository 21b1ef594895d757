# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gated activations, GEGLU and SwiGLU: forward, and backward into the memory of the inputs."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]
ROOT_2_OVER_PI = 0.7978845608028654


def gelu_parts(x):
    """tanh-approximated GELU and its derivative."""
    bent = ct.tanh(ROOT_2_OVER_PI * (x + 0.044715 * x * x * x))
    value = 0.5 * x * (1 + bent)
    slope = 0.5 * (1 + bent) + 0.5 * x * (1 - bent * bent) * ROOT_2_OVER_PI * (1 + 3 * 0.044715 * x * x)
    return value, slope


def silu_parts(x):
    sigmoid = 1.0 / (1.0 + ct.exp(-x))
    return x * sigmoid, sigmoid * (1 + x * (1 - sigmoid))


def make_kernels(activation):
    @ct.kernel
    def forward(a, b, c, TILE: ConstInt):
        row, column = ct.bid(0), ct.bid(1)
        offsets = column * TILE + ct.arange(TILE, dtype=ct.int32)
        gate = ct.gather(a, (row, offsets)).astype(ct.float32)
        value, _ = activation(gate)
        ct.scatter(c, (row, offsets), value.astype(c.dtype) * ct.gather(b, (row, offsets)))

    @ct.kernel
    def backward(dc, a, b, TILE: ConstInt):
        row, column = ct.bid(0), ct.bid(1)
        offsets = column * TILE + ct.arange(TILE, dtype=ct.int32)
        gradient = ct.gather(dc, (row, offsets)).astype(ct.float32)
        gate = ct.gather(a, (row, offsets)).astype(ct.float32)
        linear = ct.gather(b, (row, offsets)).astype(ct.float32)
        value, slope = activation(gate)
        ct.scatter(a, (row, offsets), (gradient * linear * slope).astype(a.dtype))
        ct.scatter(b, (row, offsets), (gradient * value).astype(b.dtype))

    return forward, backward


GEGLU, SWIGLU = make_kernels(gelu_parts), make_kernels(silu_parts)


@ct.kernel
def fused_halves(x, out, TM: ConstInt, TN: ConstInt):
    """Both inputs are halves of one matrix."""
    row, column = ct.bid(0), ct.bid(1)
    half = ct.cdiv(x.shape[1], 2) // TN
    gate = ct.load(x, (row, column), (TM, TN)).astype(ct.float32)
    linear = ct.load(x, (row, column + half), (TM, TN)).astype(ct.float32)
    ct.store(out, (row, column), (silu_parts(gate)[0] * linear).astype(out.dtype))


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, kernels):
        c = torch.empty_like(a)
        ctx.kernels = kernels
        ctx.save_for_backward(a, b)
        grid = (a.shape[0], ct.cdiv(a.shape[1], 64))
        ct.launch(torch.cuda.current_stream(), grid, kernels[0], (a, b, c, 64))
        return c

    @staticmethod
    def backward(ctx, dc):
        a, b = (t.detach() for t in ctx.saved_tensors)
        grid = (a.shape[0], ct.cdiv(a.shape[1], 64))
        ct.launch(torch.cuda.current_stream(), grid, ctx.kernels[1], (dc.contiguous(), a, b, 64))
        return a, b, None


def check():
    torch.manual_seed(13)
    functions = {
        "geglu": (GEGLU, lambda a, b: torch.nn.functional.gelu(a, approximate="tanh") * b),
        "swiglu": (SWIGLU, lambda a, b: torch.nn.functional.silu(a) * b),
    }
    for name, (kernels, reference) in functions.items():
        start = [torch.randn(20, 150, device="cuda") for _ in range(2)]
        dc = torch.randn(20, 150, device="cuda")
        results = []
        for function in (lambda a, b, kernels=kernels: Gated.apply(a * 1, b * 1, kernels), reference):
            a, b = (t.clone().requires_grad_() for t in start)
            c = function(a, b)
            c.backward(dc)
            results.append((c.detach(), a.grad, b.grad))
        for what, ours, theirs in zip(("c", "da", "db"), *results, strict=True):
            yield f"{name}, {what}", ours, theirs, 1e-5
    x = torch.randn(40, 128, device="cuda", dtype=torch.float16)
    out = torch.empty(40, 64, device="cuda", dtype=torch.float16)
    ct.launch(torch.cuda.current_stream(), (3, 2), fused_halves, (x, out, 16, 32))
    gate, linear = x.float().chunk(2, 1)
    yield "halves", out, torch.nn.functional.silu(gate) * linear, 2e-3
