# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of operators of PyTorch.

    python -m bench.operators             # against the bare launches of their kernels, on one thread of the CPU
    python -m bench.operators gradients   # forward and backward against PyTorch's own functions, on all threads

Arrays are small for the first: the times are those of the call, each the least of eleven means over 4,000 calls.
"""

import sys
import time

import tilewright as ct
import torch
from tilewright import ops
from tilewright._runtime.observed import launches_go_to
from tilewright.torch import op
from torch.nn import functional

CALLS, ROUNDS = 4000, 11
SECONDS = 0.6  # of one measurement of gradients


@ct.kernel
def scale_kernel(x, y, factor: float, TILE: ct.Constant[int]):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    y = torch.empty_like(x)
    ct.launch(None, (1,), scale_kernel, (x, y, factor, 1024))
    return y


def scale_in_place(x: torch.Tensor, factor: float) -> None:
    ct.launch(None, (1,), scale_kernel, (x, x, factor, 1024))


def made(make, function, mutates=()):
    name = f"bench::{make.__name__}_{function.__name__}"
    return op(name, mutates=mutates)(function) if make is op else make(name, function, mutates_args=mutates)


def microseconds(call):
    means = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        means.append((time.perf_counter() - start) / CALLS * 1e6)
    return min(means)


def calls():
    """(label, call) of one kernel of 1024 numbers, the bare launch first."""
    x = torch.randn(1024)
    y, leaf = torch.empty_like(x), x.clone().requires_grad_()
    ours, theirs = made(op, scale), made(torch.library.custom_op, scale)
    ours.register_autograd(lambda grad_out, factor: scale(grad_out, factor), of=("x",))
    theirs.register_autograd(lambda ctx, grad: (scale(grad, 2.0), None))
    yield "bare launch", lambda: ct.launch(None, (1,), scale_kernel, (x, y, 2.0, 1024))
    yield "empty_like and the launch", lambda: scale(x, 2.0)
    for label, operator in (("operator", ours), ("torch.library.custom_op", theirs)):
        operator(leaf, 2.0).sum().backward()
        yield label, lambda operator=operator: operator(x, 2.0)
        yield f"{label}, recording a gradient", lambda operator=operator: operator(leaf, 2.0)
        in_place = made(op if operator is ours else torch.library.custom_op, scale_in_place, ("x",))
        yield f"{label} in place", lambda in_place=in_place: in_place(x, 1.0)


def operators():
    """(operator, arguments, which of them have gradients) of one row each."""
    x, weight, q = torch.randn(1, 64), torch.randn(64), torch.randn(1, 2, 1, 16)
    positions, labels = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int64)
    yield ops.rms_norm, (x, weight), (0, 1)
    yield ops.layer_norm, (x, weight, weight.clone()), (0, 1, 2)
    yield ops.silu_and_mul, (x,), (0,)
    yield ops.rope, (torch.randn(1, 4, 16), positions, torch.randn(4, 16)), (0,)
    yield ops.linear, (x, torch.randn(64, 64)), (0, 1)
    yield ops.cross_entropy, (x, labels), (0,)
    yield ops.attention, (q, q.clone(), q.clone()), (0, 1, 2)
    yield ops.softmax, (x,), (0,)


def first_launch(operator, arguments):
    seen = []
    with launches_go_to(lambda kernel, grid, args, stream: seen.append((stream, grid, kernel, args))):
        operator.function(*arguments)
    return seen[0]


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


def milliseconds(call):
    call()
    least, end = float("inf"), time.perf_counter() + SECONDS
    while (start := time.perf_counter()) < end:
        call()
        least = min(least, time.perf_counter() - start)
    return least * 1e3


def forward_and_backward(function, arguments):
    detached = [x.detach() for x in arguments]
    result = function(*arguments)
    grad = torch.randn_like(result)
    backward = lambda: torch.autograd.grad(result, arguments, grad, retain_graph=True)  # noqa: E731
    return milliseconds(lambda: function(*detached)), milliseconds(backward)


def compare_gradients():
    print(f"{'ms':24} {'forward':>8} {'PyTorch':>8} {'backward':>8} {'PyTorch':>8}")
    for dtype in (torch.float32, torch.bfloat16):
        for label, ours, theirs, arguments in gradients(dtype):
            (forward, backward), (forward2, backward2) = (forward_and_backward(f, arguments) for f in (ours, theirs))
            name = f"{label} {str(dtype).removeprefix('torch.')}"
            print(f"{name:24} {forward:8.2f} {forward2:8.2f} {backward:8.2f} {backward2:8.2f}", flush=True)


def compare_calls():
    torch.set_num_threads(1)
    ct.set_num_threads(1)
    bare = None
    for label, call in calls():
        taken = microseconds(call)
        bare = taken if bare is None else bare
        print(f"{label:45} {taken:5.1f} us  {taken - bare:+5.1f}")
    print(f"\n{'':14} {'launch':>8} {'function':>8} {'operator':>8} {'gradient':>8}")
    for operator, arguments, of in operators():
        leaves = [x.clone().requires_grad_() if i in of else x for i, x in enumerate(arguments)]
        operator(*leaves).sum().backward()
        launch = first_launch(operator, arguments)
        taken = microseconds(lambda launch=launch: ct.launch(*launch))
        above = [microseconds(lambda f=f, a=a: f(*a)) - taken
                 for f, a in ((operator.function, arguments), (operator, arguments), (operator, leaves))]  # fmt: skip
        print(f"{operator.__name__:14} {taken:8.1f} " + " ".join(f"{each:+8.1f}" for each in above))


if __name__ == "__main__":
    compare_gradients() if sys.argv[1:] == ["gradients"] else compare_calls()
