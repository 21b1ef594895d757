# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on the rows of matrices, without gradients."""

import torch
from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import empty_by_row, empty_like, rows_of, vector_of
from tilewright.torch import launching, op

_reduce, _cumsum = kernel("row_reduce.kernel"), kernel("cumsum.kernel")
_embedding, _transpose = kernel("embedding.kernel"), kernel("transpose.kernel")


@op("tilewright::row_sum")
def row_sum(x: Tensor) -> Tensor:
    """The sum [T] of every row of x [T, H]. Since 0.1."""
    out = empty_by_row(x)
    with launching():
        if x.numel():
            _reduce.row_sum(rows_of(x), vector_of(out))
    return out


@op("tilewright::row_max")
def row_max(x: Tensor) -> Tensor:
    """The largest element [T] of every row of x [T, H]. Since 0.1."""
    out = empty_by_row(x)
    with launching():
        if x.numel():
            _reduce.row_max(rows_of(x), vector_of(out))
    return out


@op("tilewright::row_argmax")
def row_argmax(x: Tensor) -> Tensor:
    """The place int32 [T] of the first largest element of every row of x [T, H]. Since 0.1."""
    out = empty_by_row(x, torch.int32)
    with launching():
        if x.numel():
            _reduce.row_argmax(rows_of(x), vector_of(out))
    return out


@op("tilewright::cumsum")
def cumsum(x: Tensor) -> Tensor:
    """The running sums of every row of x [T, H]. Since 0.1."""
    out = empty_like(x)
    with launching():
        if x.numel():
            _cumsum.cumsum(rows_of(x), rows_of(out))
    return out


@op("tilewright::embedding")
def embedding(ids: Tensor, table: Tensor) -> Tensor:
    """The rows [T, H] of the table [V, H], of any dtype, that `ids` int32 [T] names; zero where there is none. Since
    0.1."""
    out = table.new_empty(*ids.shape, table.shape[1])
    with launching():
        if out.numel():
            _embedding.embedding(vector_of(ids), table, rows_of(out))
    return out


@op("tilewright::transpose")
def transpose(x: Tensor) -> Tensor:
    """The matrix x [M, N] with rows and columns exchanged [N, M], copied; of any dtype. Since 0.1."""
    out = x.new_empty(x.shape[1], x.shape[0])
    with launching():
        if x.numel():
            _transpose.transpose(x, out)
    return out
