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


def check_shape(what: str, x: torch.Tensor, *shape: int) -> None:
    """ValueError if x has another shape."""
    if tuple(x.shape) != shape:
        raise ValueError(f"{what} has shape {list(x.shape)}, expected {list(shape)}")


def check_same_dtype(**tensors: torch.Tensor) -> None:
    """TypeError if the tensors have several dtypes."""
    dtypes = {name: x.dtype for name, x in tensors.items()}
    if len(set(dtypes.values())) > 1:
        found = ", ".join(f"{name} is {str(dtype).removeprefix('torch.')}" for name, dtype in dtypes.items())
        raise TypeError(f"expected one dtype, but {found}")
