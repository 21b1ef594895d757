# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of operators of PyTorch against the bare launches of their kernels. Arrays are small: the times are those of a
call."""

import functools

import tilewright as ct
import torch
from tilewright import ops
from tilewright._runtime.observed import launches_go_to
from tilewright.torch import op

from bench.operators.clock import microseconds


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


def operators(device="cpu"):
    """(operator, arguments, which of them have gradients) of one row each."""
    numbers = functools.partial(torch.randn, device=device)
    x, weight, q = numbers(1, 64), numbers(64), numbers(1, 2, 1, 16)
    positions, labels = (torch.zeros(1, dtype=dtype, device=device) for dtype in (torch.int32, torch.int64))
    yield ops.rms_norm, (x, weight), (0, 1)
    yield ops.layer_norm, (x, weight, weight.clone()), (0, 1, 2)
    yield ops.silu_and_mul, (x,), (0,)
    yield ops.rope, (numbers(1, 4, 16), positions, numbers(4, 16)), (0,)
    yield ops.linear, (x, numbers(64, 64)), (0, 1)
    yield ops.cross_entropy, (x, labels), (0,)
    yield ops.attention, (q, q.clone(), q.clone()), (0, 1, 2)
    yield ops.softmax, (x,), (0,)


def first_launch(operator, arguments):
    seen = []
    with launches_go_to(lambda kernel, grid, args, stream: seen.append((stream, grid, kernel, args))):
        operator.function(*arguments)
    return seen[0]


def compare():
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
