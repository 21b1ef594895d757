# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations of kernel parameters. All since 0.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from tilewright.dtypes import DType, int32, int64

T = TypeVar("T")


@dataclass(frozen=True)
class ConstantAnnotation:
    """The argument is compile-time: each value compiles its own code."""


def _check_index_dtype(what: str, dtype: Any) -> None:
    if dtype not in (int32, int64):
        raise ValueError(f"{what} is {dtype}, expected int32 or int64")


@dataclass(frozen=True, kw_only=True)
class ArrayAnnotation:
    """How an array argument is passed: ``index_dtype`` (int32 or int64) of extents and strides, and the axes whose
    extent or stride is compile-time; a negative axis counts from the last."""

    index_dtype: DType = int32
    static_shape_dims: tuple[int, ...] = ()
    static_stride_dims: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _check_index_dtype("index_dtype", self.index_dtype)
        for name in ("static_shape_dims", "static_stride_dims"):
            axes = getattr(self, name)
            if not isinstance(axes, tuple):
                raise TypeError(f"{name} is {axes!r}, expected a tuple of axes, as in (0, -1)")
            for i, axis in enumerate(axes):
                if isinstance(axis, bool) or not isinstance(axis, int):
                    raise TypeError(f"{name}[{i}] is {axis!r}, expected an integer")


@dataclass(frozen=True, kw_only=True)
class ScalarAnnotation:
    """The dtype, int32 or int64, in which a Python integer is passed."""

    dtype: DType

    def __post_init__(self) -> None:
        _check_index_dtype("dtype", self.dtype)


@dataclass(frozen=True, kw_only=True)
class ListAnnotation:
    """The argument is a list of arrays that share the annotation ``element``: an `ArrayAnnotation`, or a type that
    carries one, such as `IndexedWithInt64`."""

    element: Any

    def __post_init__(self) -> None:
        notes = getattr(self.element, "__metadata__", (self.element,))
        found = [note for note in notes if isinstance(note, ArrayAnnotation)]
        if len(found) != 1:
            raise TypeError(f"element is {self.element!r}, which has {len(found)} ArrayAnnotations, expected one")
        object.__setattr__(self, "element", found[0])


Constant = Annotated[T, ConstantAnnotation()]
"""``Constant`` or ``Constant[int]``: a compile-time parameter."""
IndexedWithInt64 = Annotated[T, ArrayAnnotation(index_dtype=int64)]
"""An array with more than 2**31 - 1 elements along an axis, or strides beyond that."""
ScalarInt64 = Annotated[T, ScalarAnnotation(dtype=int64)]
"""A Python int passed as int64."""
