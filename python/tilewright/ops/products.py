# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices. The gradient of a product is two products, so it may be differentiated any number of times."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import check_same_dtype, rows_of
from tilewright.torch import launching, op

_gemm, _linear = kernel("gemm.kernel"), kernel("linear.kernel")


@op("tilewright::gemm")
def gemm(a: Tensor, b: Tensor, transposed_a: bool = False, transposed_b: bool = False) -> Tensor:
    """a @ b [M, N] for a [M, K] and b [K, N]; a transposed one is given as [K, M] or [N, K].

    ValueError for matrices that do not fit, TypeError for two dtypes. Since 0.1.
    """
    check_same_dtype(a, b, ("a", "b"))
    (rows, depth), (depth_b, columns) = a.shape[:: -1 if transposed_a else 1], b.shape[:: -1 if transposed_b else 1]
    if depth != depth_b:
        raise ValueError(f"a has {depth} columns but b has {depth_b} rows")
    out = a.new_empty(rows, columns)
    with launching():
        if not depth:
            return out.zero_()
        if out.numel():
            tile = _linear.tile_of_many(a if not transposed_a else a.T)
            _gemm.gemm(a, b, out, transposed_a=transposed_a, transposed_b=transposed_b, tile=tile)
    return out


def _gradient_of_a(grad_out: Tensor, b: Tensor, transposed_a: bool, transposed_b: bool) -> Tensor:
    return gemm(b, grad_out, transposed_b, True) if transposed_a else gemm(grad_out, b, False, not transposed_b)


def _gradient_of_b(grad_out: Tensor, a: Tensor, transposed_a: bool, transposed_b: bool) -> Tensor:
    return gemm(grad_out, a, True, transposed_a) if transposed_b else gemm(a, grad_out, not transposed_a, False)


gemm.register_autograd(a=_gradient_of_a, b=_gradient_of_b)


@op("tilewright::linear")
def linear(x: Tensor, weight: Tensor) -> Tensor:
    """x [T, K] @ weight.T [T, N] for weight [N, K].

    ValueError for a weight of rows of another length, TypeError for two dtypes. Since 0.1.
    """
    check_same_dtype(x, weight, ("x", "weight"))
    *rows, columns = x.shape
    features, columns_of_weight = weight.shape
    if columns != columns_of_weight:
        raise ValueError(f"x has {columns} columns but weight has {columns_of_weight}")
    out = x.new_empty(*rows, features)
    with launching():
        if not columns:
            return out.zero_()
        if out.numel():
            _linear.linear(rows_of(x), weight, rows_of(out))
    return out


def _gradient_of_x(grad_out: Tensor, weight: Tensor) -> Tensor:
    return gemm(rows_of(grad_out), weight).view(*grad_out.shape[:-1], weight.shape[1])


def _gradient_of_weight(grad_out: Tensor, x: Tensor) -> Tensor:
    return gemm(rows_of(grad_out), rows_of(x), True, False)


linear.register_autograd(x=_gradient_of_x, weight=_gradient_of_weight)
