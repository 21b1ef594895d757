# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes of operations of Tile IR. The enumerations of `tilewright.modes`, booleans, strings, and tuples of
attributes are some, too; a tuple of booleans or integers is an array of them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple, Union

from tilewright._frontend.ir.numbers import Number, convert_number
from tilewright._frontend.ir.types import Type
from tilewright.dtypes import DType
from tilewright.modes import MemoryOrder, MemoryScope, RoundingMode


class Unit(enum.Enum):
    """Attributes that are there or not."""

    UNIT = "unit"


UNIT = Unit.UNIT


class Signedness(enum.Enum):
    """How an operation reads integers, which have no sign of their own."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"


class ComparisonPredicate(enum.Enum):
    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS = "less_than"
    LESS_EQUAL = "less_than_or_equal"
    GREATER = "greater_than"
    GREATER_EQUAL = "greater_than_or_equal"


class ComparisonOrdering(enum.Enum):
    """The result of a comparison with NaN: false or true."""

    ORDERED = "ordered"
    UNORDERED = "unordered"


class AtomicMode(enum.Enum):
    """How an atomic operation combines the value in memory with its operand."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    ADDF = "addf"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    XCHG = "xchg"


class DivBy(NamedTuple):
    """An assumption: a multiple of `divisor`, a power of two."""

    divisor: int


class Bounded(NamedTuple):
    """An assumption: from `low` on."""

    low: int


class Scalar(NamedTuple):
    """A number of a dtype."""

    number: Number
    dtype: DType


class Dense(NamedTuple):
    """The elements of a tile: a nested tuple of numbers, or one number that all of them are."""

    elements: Any
    dtype: DType
    shape: tuple[int, ...]


class Hints(NamedTuple):
    """Optimization hints by target, as "sm_90" or "default", then by name."""

    by_target: Mapping[str, Mapping[str, int | bool]]


Attribute = Union[  # noqa: UP007
    Unit, Signedness, ComparisonPredicate, ComparisonOrdering, AtomicMode, RoundingMode, MemoryOrder, MemoryScope,
    DivBy, Bounded, Scalar, Dense, Hints, bool, str, tuple["Attribute", ...], Type,
]  # fmt: skip
Attributes = dict[str, Attribute]


def scalar(number: Number, dtype: DType) -> Scalar:
    """Raises if the dtype has no such value: here, where the program has it."""
    convert_number(number, dtype)
    return Scalar(number, dtype)


def dense(elements: Any, dtype: DType, shape: tuple[int, ...]) -> Dense:
    """Raises if the dtype lacks the value of an element."""
    open_elements = [elements]
    while open_elements:
        element = open_elements.pop()
        if isinstance(element, tuple):
            open_elements.extend(reversed(element))
        else:
            convert_number(element, dtype)
    return Dense(elements, dtype, shape)
