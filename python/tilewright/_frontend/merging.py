# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that control flow carries: a value is taken apart into the tiles in it and put together again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tilewright._frontend.values import Number, TileValue, is_number
from tilewright.dtypes import dtype_of_literal

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer


class _Leaf:
    """Stands for a tile or a number in a skeleton."""


LEAF = _Leaf()


def flatten(value: Any) -> tuple[Any, list[TileValue | Number]]:
    """(skeleton, leaves): what stays the same whatever the tiles are, and the tiles and numbers in order."""
    leaves: list[TileValue | Number] = []

    def visit(v: Any) -> Any:
        if isinstance(v, TileValue) or is_number(v):
            leaves.append(v)
            return LEAF
        if type(v) is tuple:
            return (tuple, *(visit(item) for item in v))
        if dataclasses.is_dataclass(v) and not isinstance(v, type) and v.__dataclass_params__.frozen:
            return (type(v), *(visit(getattr(v, f.name)) for f in dataclasses.fields(v)))
        return v

    return visit(value), leaves


def unflatten(skeleton: Any, leaves: Iterator[Any]) -> Any:
    if skeleton is LEAF:
        return next(leaves)
    if type(skeleton) is tuple:
        kind, *items = skeleton
        values = [unflatten(item, leaves) for item in items]
        if kind is tuple:
            return tuple(values)
        result = object.__new__(kind)  # __post_init__ has run when the value was made
        for field, value in zip(dataclasses.fields(kind), values, strict=True):
            object.__setattr__(result, field.name, value)
        return result
    return skeleton


def same_skeleton(a: Any, b: Any) -> bool:
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(same_skeleton(x, y) for x, y in zip(a, b, strict=True))
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, (str, type(None))) and a == b


def same_number(a: Any, b: Any) -> bool:
    """Equal compile-time numbers; 0.0 is not -0.0, and NaN is NaN."""
    return is_number(a) and is_number(b) and type(a) is type(b) and repr(a) == repr(b)


def as_tile(tracer: Tracer, leaf: TileValue | Number) -> TileValue:
    """A leaf as a run-time value; a Python number takes the dtype it has on its own."""
    return leaf if isinstance(leaf, TileValue) else tracer.constant(leaf, dtype_of_literal(leaf))


def type_of_leaf(leaf: TileValue | Number) -> tuple[Any, tuple[int, ...]]:
    return (leaf.dtype, leaf.shape) if isinstance(leaf, TileValue) else (dtype_of_literal(leaf), ())


def same_types(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(
        x[0] is y[0] and x[1] == y[1] for x, y in zip(map(type_of_leaf, a), map(type_of_leaf, b), strict=True)
    )
