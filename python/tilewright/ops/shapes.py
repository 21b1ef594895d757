# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as the kernels take them: matrices, and memory for results."""

import torch


def rows_of(x: torch.Tensor) -> torch.Tensor:
    """A matrix of its last axis; a view where strides allow it."""
    return x if x.dim() == 2 else x.reshape(-1, x.shape[-1])


def empty_like(x: torch.Tensor) -> torch.Tensor:
    """Memory for a contiguous tensor of that shape and dtype."""
    return torch.empty_like(x, memory_format=torch.contiguous_format)


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
