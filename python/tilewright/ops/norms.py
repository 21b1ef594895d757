# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of one length."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import check_shape, empty_like, rows_of, wide
from tilewright.torch import launching, op

_rms, _rms_backward = kernel("rms_norm.kernel"), kernel("rms_norm.backward")
_layer, _layer_backward = kernel("layer_norm.kernel"), kernel("layer_norm.backward")


@op("tilewright::rms_norm")
def rms_norm(x: Tensor, weight: Tensor, epsilon: float = 1e-6) -> Tensor:
    """x [T, H] / sqrt(mean(x**2) + epsilon) * weight [H], with means of rows. The weight may have another dtype.

    ValueError for another shape of the weight. Its gradients are for rows of at most 16384 elements. Since 0.1.
    """
    check_shape("weight", weight, x.shape[-1:])
    out = empty_like(x)
    with launching():
        if x.numel():
            _rms.rms_norm(rows_of(x), weight, rows_of(out), epsilon=epsilon)
    return out


@op("tilewright::rms_norm_backward")
def rms_norm_backward(grad_out: Tensor, x: Tensor, weight: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """The gradients of x and weight in `rms_norm`."""
    grad_x, grad_weight = empty_like(x), empty_like(weight)
    with launching():
        if not x.numel():
            grad_weight.zero_()
            return grad_x, grad_weight
        matrix = rows_of(x)
        sums = x.new_empty(_rms_backward.num_blocks(matrix.shape[0]), x.shape[-1], dtype=wide(x))
        _rms_backward.rms_norm_backward(
            rows_of(grad_out), matrix, weight, rows_of(grad_x), grad_weight, sums, epsilon=epsilon
        )
    return grad_x, grad_weight


rms_norm.register_autograd(rms_norm_backward)


@op("tilewright::add_rms_norm", mutates=("residual",))
def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor, epsilon: float = 1e-6) -> Tensor:
    """Add x [T, H] to the residual [T, H] in place, and return `rms_norm` of the sum. It has no gradient. Since 0.1."""
    check_shape("residual", residual, x.shape)
    check_shape("weight", weight, x.shape[-1:])
    out = empty_like(x)
    with launching():
        if x.numel():
            view = residual.view(-1, x.shape[-1])
            _rms.add_rms_norm(rows_of(x), view, weight, rows_of(out), epsilon=epsilon)
    return out


@op("tilewright::layer_norm")
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, epsilon: float = 1e-5) -> Tensor:
    """(x [T, H] - mean) / sqrt(variance + epsilon) * weight [H] + bias [H], with means and variances of rows. Weight
    and bias may have another dtype.

    ValueError for another shape of weight or bias. Its gradients are for rows of at most 16384 elements. Since 0.1.
    """
    check_shape("weight", weight, x.shape[-1:])
    check_shape("bias", bias, x.shape[-1:])
    out = empty_like(x)
    with launching():
        if x.numel():
            _layer.layer_norm(rows_of(x), weight, bias, rows_of(out), epsilon=epsilon)
    return out


@op("tilewright::layer_norm_backward")
def layer_norm_backward(
    grad_out: Tensor, x: Tensor, weight: Tensor, bias: Tensor, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of x, weight and bias in `layer_norm`."""
    grad_x, grad_weight, grad_bias = empty_like(x), empty_like(weight), empty_like(bias)
    with launching():
        if not x.numel():
            grad_weight.zero_()
            grad_bias.zero_()
            return grad_x, grad_weight, grad_bias
        matrix = rows_of(x)
        sums = x.new_empty(2, _rms_backward.num_blocks(matrix.shape[0]), x.shape[-1], dtype=wide(x))
        _layer_backward.layer_norm_backward(
            rows_of(grad_out), matrix, weight, rows_of(grad_x), grad_weight, grad_bias, sums, epsilon=epsilon
        )
    return grad_x, grad_weight, grad_bias


layer_norm.register_autograd(layer_norm_backward)
