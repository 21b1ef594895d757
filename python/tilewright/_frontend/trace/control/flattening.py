# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that control flow carries: a value is taken apart into the tiles in it and put together again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

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
    if isinstance(value, TileValue) or is_number(value):
        return LEAF, [value]
    flattening = _Flattening()
    return flattening.visit(value, list(others)), flattening.leaves


class _Flattening:
    def __init__(self) -> None:
        self.leaves: list[TileValue | Number] = []
        self.closures: list[Closure] = []  # around the value: one may read itself

    def visit(self, value: Any, others: list[Any]) -> Any:
        """The skeleton of a value."""
        if isinstance(value, TileValue) or is_number(value):
            self.leaves.append(value)
            return LEAF
        kind = _KINDS.get(type(value)) or (_RECORD if _is_frozen_dataclass(value) else None)
        if kind is None or any(value is closure for closure in self.closures):
            return value
        parts = kind.take_apart(value, [other for other in others if type(other) is type(value)])
        if isinstance(value, Closure):
            self.closures.append(value)
        items = tuple(self.visit(part, rest) for part, *rest in parts.items)
        if isinstance(value, Closure):
            self.closures.pop()
        return _Composite(type(value), parts.facts, items, parts.like)


def unflatten(tracer: Tracer, skeleton: Any, leaves: Iterator[Any]) -> Any:
    """The value again, with other tiles; an array has its view made here."""
    if skeleton is LEAF:
        return next(leaves)
    if not isinstance(skeleton, _Composite):
        return skeleton
    values = [unflatten(tracer, item, leaves) for item in skeleton.items]
    return _KINDS.get(skeleton.kind, _RECORD).put_together(tracer, skeleton, values)


class _Parts(NamedTuple):
    """A value that was taken apart: what `_Composite` says of it, and each value inside followed by those in its place
    in the other values."""

    facts: tuple[Any, ...]
    items: Iterable[tuple[Any, ...]]
    like: Any = None


class _Kind(NamedTuple):
    """How values of a class are taken apart and put together again."""

    take_apart: Callable[[Any, list[Any]], _Parts]
    put_together: Callable[[Tracer, _Composite, list[Any]], Any]


def _take_tuple(value: tuple[Any, ...], others: list[Any]) -> _Parts:
    return _Parts((), zip(value, *(other for other in others if len(other) == len(value)), strict=True))


def _take_array(value: ArrayValue, others: list[ArrayValue]) -> _Parts:
    array = _with_common_lengths(value, [other for other in others if other.ndim == value.ndim])
    facts = (value.dtype, array.static_shape, array.static_strides)
    return _Parts(facts, ((leaf,) for leaf in (_address(value), *_unknown_lengths(array))), array)


def _take_view(value: TiledViewValue, others: list[TiledViewValue]) -> _Parts:
    facts = (value.tile_shape, value.padding, value.traversal_steps)
    return _Parts(facts, [(value.array, *(other.array for other in others))])


def _take_memory(value: RawMemoryValue, others: list[RawMemoryValue]) -> _Parts:
    return _Parts((), [(value.array, *(other.array for other in others))])


def _take_method(value: BoundMethod, others: list[BoundMethod]) -> _Parts:
    return _Parts((value.function,), [(value.receiver, *(other.receiver for other in others))])


def _take_closure(value: Closure, others: list[Closure]) -> _Parts:
    frame, captured = _captures(value)
    facts = (value.source.node, frame, tuple(captured), tuple(value.defaults))
    return _Parts(facts, ((item,) for item in (*captured.values(), *value.defaults.values())), value)


def _make_closure(tracer: Tracer, skeleton: _Composite, values: list[Any]) -> Closure:
    _, frame, captured, defaults = skeleton.facts
    names = dict(zip(captured, values, strict=False))
    given = dict(zip(defaults, values[len(captured) :], strict=True))
    return Closure(skeleton.like.source, frame, given, skeleton.like.globals, names)


def _is_frozen_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen


def _take_record(value: Any, others: list[Any]) -> _Parts:
    fields = dataclasses.fields(value)
    return _Parts((), (tuple(getattr(each, field.name) for each in (value, *others)) for field in fields))


def _make_record(tracer: Tracer, skeleton: _Composite, values: list[Any]) -> Any:
    result = object.__new__(skeleton.kind)  # __post_init__ has run when the value was made
    for field, value in zip(dataclasses.fields(skeleton.kind), values, strict=True):
        object.__setattr__(result, field.name, value)
    return result


_KINDS = {
    tuple: _Kind(_take_tuple, lambda tracer, skeleton, values: tuple(values)),
    ArrayValue: _Kind(_take_array, lambda tracer, skeleton, values: _array(tracer, skeleton.like, values)),
    TiledViewValue: _Kind(_take_view, lambda tracer, skeleton, values: TiledViewValue(values[0], *skeleton.facts)),
    RawMemoryValue: _Kind(_take_memory, lambda tracer, skeleton, values: RawMemoryValue(values[0])),
    BoundMethod: _Kind(_take_method, lambda tracer, skeleton, values: BoundMethod(values[0], skeleton.facts[0])),
    Closure: _Kind(_take_closure, _make_closure),
}
_RECORD = _Kind(_take_record, _make_record)


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
