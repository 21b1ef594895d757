# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as the kernels take them: matrices, and memory for results."""

import functools

import torch

empty_like = functools.partial(torch.empty_like, memory_format=torch.contiguous_format)
"""Memory for a contiguous tensor of that shape and dtype."""


def rows_of(x: torch.Tensor) -> torch.Tensor:
    """A matrix of its last axis; a view where strides allow it."""
    return x if x.dim() == 2 else x.reshape(-1, x.shape[-1])


def vector_of(x: torch.Tensor) -> torch.Tensor:
    """All its elements in one axis."""
    return x if x.dim() == 1 else x.reshape(-1)


def empty_by_row(x: torch.Tensor, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Memory for a number of each row. One extent after the other is taken in half the time of a shape."""
    extents = x.shape[:-1]
    return x.new_empty(*extents, dtype=dtype) if extents else x.new_empty((), dtype=dtype)


def wide(x: torch.Tensor) -> torch.dtype:
    """That of the kernels' sums."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def check_shape(what: str, x: torch.Tensor, shape: tuple[int, ...]) -> None:
    """ValueError if x has another shape."""
    if x.shape != shape:
        raise ValueError(f"{what} has shape {list(x.shape)}, expected {list(shape)}")


def check_same_dtype(a: torch.Tensor, b: torch.Tensor, names: tuple[str, str]) -> None:
    """TypeError if the dtypes differ."""
    if a.dtype != b.dtype:
        found = (f"{name} is {str(x.dtype).removeprefix('torch.')}" for name, x in zip(names, (a, b), strict=True))
        raise TypeError(f"expected one dtype, but {', '.join(found)}")
