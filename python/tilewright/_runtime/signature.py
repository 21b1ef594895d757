# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled kernel may rely on about its arguments; two launches with equal signatures run the same code."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter as its annotation describes it; what is None is taken from the argument."""

    name: str
    constant: bool = False
    dtype: str | None = None  # required dtype of an array or scalar, "float32"
    ndim: int | None = None  # required rank of an array
    index_bits: int = 32  # width of an array's shape and stride values
    scalar_bits: int = 32  # width of a Python int
    static_shape_dims: tuple[int, ...] = ()  # dimensions whose length is part of the signature
    static_stride_dims: tuple[int, ...] = ()


@dataclass(frozen=True)
class ArrayArgument:
    """An array. Divisors are 1 where nothing is known; a constant is None where the value may change between launches."""

    dtype: str
    ndim: int
    index_bits: int
    base_divisible_by: int  # bytes
    shape_constant: tuple[int | None, ...]
    shape_divisible_by: tuple[int, ...]  # elements
    stride_constant: tuple[int | None, ...]
    stride_divisible_by: tuple[int, ...]  # elements


@dataclass(frozen=True)
class ScalarArgument:
    """A number passed by value; a dtype name such as "int32" or "bool_"."""

    dtype: str


@dataclass(frozen=True)
class ConstantArgument:
    """A value known when the kernel is compiled; no entry parameter."""

    value: Any


@dataclass(frozen=True)
class TupleArgument:
    """A tuple; its items follow one another in the entry parameters."""

    items: tuple
