# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element, or of each row."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import empty_like, rows_of
from tilewright.torch import launching, op

_silu, _silu_backward = kernel("silu_and_mul.kernel"), kernel("silu_and_mul.backward")
_softmax, _softmax_backward = kernel("softmax.kernel"), kernel("softmax.backward")


@op("tilewright::silu_and_mul")
def silu_and_mul(gate_up: Tensor) -> Tensor:
    """silu(gate) * up [T, I] for gate_up [T, 2 I], whose rows have the gate first.

    ValueError for rows of an odd length. Since 0.1.
    """
    columns = gate_up.shape[-1]
    if columns % 2:
        raise ValueError(f"gate_up has {columns} columns, expected two halves")
    out = gate_up.new_empty(*gate_up.shape[:-1], columns // 2)
    with launching():
        if out.numel():
            _silu.silu_and_mul(rows_of(gate_up), rows_of(out))
    return out


@op("tilewright::silu_and_mul_backward")
def silu_and_mul_backward(grad_out: Tensor, gate_up: Tensor) -> Tensor:
    """The gradient of gate_up in `silu_and_mul`."""
    grad = empty_like(gate_up)
    with launching():
        if grad.numel():
            _silu_backward.silu_and_mul_backward(rows_of(grad_out), rows_of(gate_up), rows_of(grad))
    return grad


silu_and_mul.register_autograd(silu_and_mul_backward)


@op("tilewright::softmax")
def softmax(x: Tensor) -> Tensor:
    """exp(x) / sum(exp(x)) of every row of x [T, H], in float32. Since 0.1."""
    out = empty_like(x)
    with launching():
        if out.numel():
            _softmax.softmax(rows_of(x), rows_of(out))
    return out


@op("tilewright::softmax_backward")
def softmax_backward(grad_out: Tensor, out: Tensor) -> Tensor:
    """The gradient of x in `softmax`, of which `out` is the result."""
    grad = empty_like(out)
    with launching():
        if out.numel():
            _softmax_backward.softmax_backward(rows_of(grad_out), rows_of(out), rows_of(grad))
    return grad


softmax.register_autograd(softmax_backward)


def _second_gradient(grad_result: Tensor, grad_out: Tensor, out: Tensor) -> Tensor:
    """Of `out` in `softmax_backward`; that of the other argument is the same function again."""
    own, given = (each.sum(-1, keepdim=True) for each in (grad_result * out, grad_out * out))
    return grad_result * (grad_out - given) - grad_out * own


softmax_backward.register_autograd(
    grad_out=lambda grad_result, out: softmax_backward(grad_result, out), out=_second_gradient, results=("result",)
)
