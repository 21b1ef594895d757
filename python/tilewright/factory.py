# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles from numbers. ``shape`` is a compile-time power of two or a tuple of them. All since 0.1."""

from __future__ import annotations

from tilewright._intrinsic import intrinsic
from tilewright.dtypes import DType
from tilewright.tile import Scalar, Tile


@intrinsic
def arange(size: int, /, *, dtype: DType, start: Scalar = 0, step: Scalar = 1) -> Tile:
    """``start, start + step, ...``: a tile of shape ``(size,)``."""


@intrinsic
def full(shape, fill_value: Scalar, dtype: DType) -> Tile:
    """A tile whose elements all are ``fill_value`` cast to ``dtype``."""


@intrinsic
def ones(shape, dtype: DType) -> Tile:
    """A tile of ones."""


@intrinsic
def zeros(shape, dtype: DType) -> Tile:
    """A tile of zeros."""


@intrinsic
def astile(value, /, *, dtype: DType) -> Tile:
    """The compile-time number or nested tuple of numbers ``value`` as a tile."""
