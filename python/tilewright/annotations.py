# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations of kernel parameters. All since 0.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from tilewright.dtypes import DType, int32, int64

T = TypeVar("T")


@dataclass(frozen=True)
class ConstantAnnotation:
    """The argument is compile-time: each value compiles its own code."""


@dataclass(frozen=True)
class ArrayAnnotation:
    """How an array argument is passed: ``index_dtype`` (int32 or int64) of extents and strides, and the axes whose
    extent or stride is compile-time."""

    index_dtype: DType = int32
    static_shape_dims: tuple[int, ...] = ()
    static_stride_dims: tuple[int, ...] = ()


@dataclass(frozen=True)
class ScalarAnnotation:
    """The dtype in which a Python number is passed."""

    dtype: DType = int32


@dataclass(frozen=True)
class ListAnnotation:
    """The argument is a list of arrays that share the annotation ``element``."""

    element: Any = None


if TYPE_CHECKING:
    Constant = Annotated[T, ConstantAnnotation()]
else:

    class Constant:
        """``Constant`` or ``Constant[int]``: a compile-time parameter."""

        def __class_getitem__(cls, item):
            return Annotated[item, ConstantAnnotation()]


IndexedWithInt64 = Annotated[Any, ArrayAnnotation(index_dtype=int64)]
"""An array with more than 2**31 - 1 elements along an axis, or strides beyond that."""
ScalarInt64 = Annotated[int, ScalarAnnotation(int64)]
"""A Python int passed as int64."""
