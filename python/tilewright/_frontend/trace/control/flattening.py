# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that control flow carries: a value is taken apart into the tiles in it and put together again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.views import make_tensor_view
from tilewright._frontend.trace.frame import UNASSIGNED, UNKNOWN, Frame, free_names
from tilewright._frontend.values.kinds import (
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
    from tilewright._frontend.trace.tracer import Tracer


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


def flatten(value: Any, *others: Any) -> tuple[Any, list[TileValue | Number]]:
    """(skeleton, leaves): the structure without the tiles, and the tiles and numbers in order. The extents
    and strides that are known of an array are in the skeleton, if the arrays of `others` have the same."""
    leaves: list[TileValue | Number] = []
    closures: list[Closure] = []  # around the value: one may read itself

    def visit(v: Any, others: list[Any]) -> Any:
        if isinstance(v, TileValue) or is_number(v):
            leaves.append(v)
            return LEAF
        others = [other for other in others if type(other) is type(v)]

        def composite(facts: tuple[Any, ...], parts: Iterable[tuple[Any, ...]], like: Any = None) -> _Composite:
            return _Composite(type(v), facts, tuple(visit(part, rest) for part, *rest in parts), like)

        if type(v) is tuple:
            return composite((), zip(v, *(other for other in others if len(other) == len(v)), strict=True))
        if isinstance(v, ArrayValue):
            array = _with_common_lengths(v, [other for other in others if other.ndim == v.ndim])
            facts = (v.dtype, array.static_shape, array.static_strides)
            return composite(facts, ((leaf,) for leaf in (_address(v), *_unknown_lengths(array))), array)
        if isinstance(v, TiledViewValue):
            facts = (v.tile_shape, v.padding, v.traversal_steps)
            return composite(facts, [(v.array, *(other.array for other in others))])
        if isinstance(v, RawMemoryValue):
            return composite((), [(v.array, *(other.array for other in others))])
        if isinstance(v, BoundMethod):
            return composite((v.function,), [(v.receiver, *(other.receiver for other in others))])
        if isinstance(v, Closure):
            if any(v is outer for outer in closures):
                return v
            closures.append(v)
            frame, captured = _captures(v)
            facts = (v.source.node, frame, tuple(captured), tuple(v.defaults))
            result = composite(facts, ((item,) for item in (*captured.values(), *v.defaults.values())), v)
            closures.pop()
            return result
        if dataclasses.is_dataclass(v) and not isinstance(v, type) and v.__dataclass_params__.frozen:
            fields = dataclasses.fields(v)
            return composite((), (tuple(getattr(each, field.name) for each in (v, *others)) for field in fields))
        return v

    return visit(value, list(others)), leaves


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


def _unknown_lengths(array: ArrayValue) -> list[TileValue]:
    lengths = zip((*array.shape, *array.strides), (*array.static_shape, *array.static_strides), strict=True)
    return [length for length, known in lengths if known is None]


def _with_common_lengths(array: ArrayValue, others: list[ArrayValue]) -> ArrayValue:
    """The array without the knowledge of extents and strides that not all others have too, and without a view."""

    def common(lengths: str) -> tuple[int | None, ...]:
        own, *rest = (getattr(each, lengths) for each in (array, *others))
        return tuple(known if all(other[i] == known for other in rest) else None for i, known in enumerate(own))

    shape, strides = common("static_shape"), common("static_strides")
    if (shape, strides) == (array.static_shape, array.static_strides):
        return array
    return ArrayValue(array.name, array.dtype, array.pointer, array.shape, array.strides, shape, strides, array.alias)


def _array(tracer: Tracer, like: ArrayValue, values: list[TileValue]) -> ArrayValue:
    """An array at a chosen address. Which memory that is, is not known."""
    pointer, *rest = values
    lengths = iter(rest)

    def again(old: tuple[TileValue, ...], static: tuple[int | None, ...]) -> tuple[TileValue, ...]:
        pairs = zip(old, static, strict=True)
        return tuple(next(lengths) if n is None else tracer.constant(n, length.dtype) for length, n in pairs)

    shape, strides = again(like.shape, like.static_shape), again(like.strides, like.static_strides)
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
