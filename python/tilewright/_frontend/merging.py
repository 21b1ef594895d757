# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that control flow carries: a value is taken apart into the tiles in it and put together again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tilewright._frontend.frame import UNASSIGNED, UNKNOWN, Frame, free_names
from tilewright._frontend.ops.views import make_tensor_view
from tilewright._frontend.values import (
    ArrayValue,
    BoundMethod,
    Closure,
    Number,
    RawMemoryValue,
    TiledViewValue,
    TileValue,
    is_number,
)
from tilewright.dtypes import dtype_of_literal, pointer_to

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer


class _Leaf:
    """Stands for a tile or a number in a skeleton."""


LEAF = _Leaf()


@dataclasses.dataclass(frozen=True, eq=False)
class _Composite:
    """A value with others inside. `facts` have to be the same on all paths; `like` is such a value, for the rest."""

    kind: type
    facts: tuple[Any, ...]
    items: tuple[Any, ...]
    like: Any = None


def flatten(value: Any) -> tuple[Any, list[TileValue | Number]]:
    """(skeleton, leaves): what stays the same whatever the tiles are, and the tiles and numbers in order."""
    leaves: list[TileValue | Number] = []
    closures: list[Closure] = []  # around the value: one may read itself

    def composite(kind: type, facts: tuple[Any, ...], items: Any, like: Any = None) -> _Composite:
        return _Composite(kind, facts, tuple(visit(item) for item in items), like)

    def visit(v: Any) -> Any:
        if isinstance(v, TileValue) or is_number(v):
            leaves.append(v)
            return LEAF
        if type(v) is tuple:
            return composite(tuple, (), v)
        if isinstance(v, ArrayValue):
            facts = (v.dtype, v.static_shape, v.static_strides)
            return composite(ArrayValue, facts, (_address(v), *_run_time_lengths(v)), v)
        if isinstance(v, TiledViewValue):
            return composite(TiledViewValue, (v.tile_shape, v.padding, v.traversal_steps), (v.array,))
        if isinstance(v, RawMemoryValue):
            return composite(RawMemoryValue, (), (v.array,))
        if isinstance(v, BoundMethod):
            return composite(BoundMethod, (v.function,), (v.receiver,))
        if isinstance(v, Closure):
            if any(v is outer for outer in closures):
                return v
            closures.append(v)
            frame, captured = _captures(v)
            facts = (v.source.node, frame, tuple(captured), tuple(v.defaults))
            result = composite(Closure, facts, (*captured.values(), *v.defaults.values()), v)
            closures.pop()
            return result
        if dataclasses.is_dataclass(v) and not isinstance(v, type) and v.__dataclass_params__.frozen:
            return composite(type(v), (), (getattr(v, f.name) for f in dataclasses.fields(v)))
        return v

    return visit(value), leaves


def unflatten(tracer: Tracer, skeleton: Any, leaves: Iterator[Any]) -> Any:
    """The value again, with other tiles; an array has its view made here."""
    if skeleton is LEAF:
        return next(leaves)
    if not isinstance(skeleton, _Composite):
        return skeleton
    kind, facts, like = skeleton.kind, skeleton.facts, skeleton.like
    values = [unflatten(tracer, item, leaves) for item in skeleton.items]
    if kind is tuple:
        return tuple(values)
    if kind is ArrayValue:
        return _array(tracer, like, values)
    if kind is TiledViewValue:
        return TiledViewValue(values[0], *facts)
    if kind is RawMemoryValue:
        return RawMemoryValue(values[0])
    if kind is BoundMethod:
        return BoundMethod(values[0], facts[0])
    if kind is Closure:
        _, frame, captured, defaults = facts
        names = dict(zip(captured, values, strict=False))
        given = dict(zip(defaults, values[len(captured) :], strict=True))
        return Closure(like.source, frame, given, like.globals, names)
    result = object.__new__(kind)  # __post_init__ has run when the value was made
    for field, value in zip(dataclasses.fields(kind), values, strict=True):
        object.__setattr__(result, field.name, value)
    return result


def _address(array: ArrayValue) -> TileValue:
    return TileValue(array.pointer, pointer_to(array.dtype), ())


def _run_time_lengths(array: ArrayValue) -> list[TileValue]:
    return [length for length in (*array.shape, *array.strides) if isinstance(length, TileValue)]


def _array(tracer: Tracer, like: ArrayValue, values: list[TileValue]) -> ArrayValue:
    """An array at a chosen address. Which memory that is, is not known."""
    pointer, *rest = values
    if pointer.value is like.pointer and all(a is b for a, b in zip(rest, _run_time_lengths(like), strict=True)):
        return like
    lengths = iter(rest)
    shape, strides = (
        tuple(next(lengths) if isinstance(length, TileValue) else length for length in known)
        for known in (like.shape, like.strides)
    )
    array = ArrayValue(
        like.name, like.dtype, pointer.value, shape, strides, like.static_shape, like.static_strides, None
    )
    make_tensor_view(tracer, array)
    return array


def _captures(closure: Closure) -> tuple[Frame | None, dict[str, Any]]:
    """The innermost frame around a closure that is still running, and what the closure reads from those that are not:
    they will not change."""
    frame, captured = closure.frame, dict(closure.captured)
    while frame is not None and not frame.is_live:
        for name in free_names(closure.source.node):
            if name not in captured:
                value = frame.names.get(name, UNASSIGNED if name in frame.local_names else UNKNOWN)
                value = frame.captured.get(name, UNKNOWN) if value is UNKNOWN else value
                if value is not UNKNOWN and value is not UNASSIGNED:
                    captured[name] = value
        frame = frame.parent
    return frame, captured


def same_skeleton(a: Any, b: Any) -> bool:
    if isinstance(a, _Composite) and isinstance(b, _Composite):
        return (
            a.kind is b.kind
            and len(a.items) == len(b.items)
            and all(x is y or (type(x) is type(y) and x == y) for x, y in zip(a.facts, b.facts, strict=True))
            and all(same_skeleton(x, y) for x, y in zip(a.items, b.items, strict=True))
        )
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, (str, type(None))) and a == b


def same_number(a: Any, b: Any) -> bool:
    """Equal compile-time numbers; 0.0 is not -0.0, and NaN is NaN."""
    return is_number(a) and is_number(b) and type(a) is type(b) and repr(a) == repr(b)


def same_constant(a: Any, b: Any) -> bool:
    """Equal strictly typed constants."""
    return (
        isinstance(a, TileValue)
        and isinstance(b, TileValue)
        and a.dtype is b.dtype
        and same_number(a.constant, b.constant)
    )


def as_tile(tracer: Tracer, leaf: TileValue | Number) -> TileValue:
    """A leaf as a run-time value; a Python number takes the dtype it has on its own."""
    return leaf if isinstance(leaf, TileValue) else tracer.constant(leaf, dtype_of_literal(leaf))


def type_of_leaf(leaf: TileValue | Number) -> tuple[Any, tuple[int, ...]]:
    return (leaf.dtype, leaf.shape) if isinstance(leaf, TileValue) else (dtype_of_literal(leaf), ())


def same_types(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(
        x[0] is y[0] and x[1] == y[1] for x, y in zip(map(type_of_leaf, a), map(type_of_leaf, b), strict=True)
    )
