# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element, or of each row."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import empty_like, rows_of
from tilewright.torch import launching, op

_silu, _silu_backward = kernel("silu_and_mul.kernel"), kernel("silu_and_mul.backward")
_softmax = kernel("softmax.kernel")


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
    """exp(x) / sum(exp(x)) of every row of x [T, H], in float32. Its gradient is computed by PyTorch. Since 0.1."""
    out = empty_like(x)
    with launching():
        if out.numel():
            _softmax.softmax(rows_of(x), rows_of(out))
    return out


def _softmax_gradient(grad_out: Tensor, out: Tensor) -> Tensor:
    product = grad_out * out
    return product - out * product.sum(-1, keepdim=True)


softmax.register_autograd(_softmax_gradient)
