# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import Attributes, scalar
from tilewright._frontend.ir.program import Block
from tilewright._frontend.ir.types import tile_type
from tilewright._frontend.ops.conversions import broadcast, broadcast_shapes, convert, implicit
from tilewright._frontend.ops.elementwise import ARITHMETIC, binary, check_numerics, select
from tilewright._frontend.ops.functions import logical_not
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.values.arguments import (
    require_axis,
    require_constant_bool,
    require_constant_int,
    require_enum,
    require_ints,
    require_tile,
)
from tilewright._frontend.values.kinds import Number, TileValue, describe, is_number
from tilewright.dtypes import DType, int32
from tilewright.errors import TileSyntaxError, TileTypeError
from tilewright.modes import RoundingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

Combine = Callable[[list[TileValue], list[TileValue]], list[TileValue]]


def fold(
    tracer: Tracer,
    op_name: str,
    tiles: list[TileValue],
    identities: list[Number],
    axis: int,
    combine: Combine,
    attributes: Attributes,
) -> list[TileValue]:
    """Emit a reduce or scan of `tiles` (one shape) along `axis`."""
    body = Block([tile_type(t.dtype, ()) for t in tiles for _ in (0, 1)])
    sides = [[TileValue(body.arguments[2 * i + side], t.dtype, ()) for i, t in enumerate(tiles)] for side in (0, 1)]
    with tracer.inserting_into(body):
        results = combine(sides[0], sides[1])
        tracer.emit("yield", [r.value for r in results], [])
    if any(op.blocks or op.memory for op in body.ops):
        raise TileSyntaxError(
            f"the function of {op_name}() has an 'if', a loop or a memory access; use where() instead"
        )
    shape = tiles[0].shape
    if op_name == "reduce":
        shape = (*shape[:axis], *shape[axis + 1 :])
    scalars = tuple(scalar(number, tile.dtype) for number, tile in zip(identities, tiles, strict=True))
    op = tracer.emit(
        op_name,
        [t.value for t in tiles],
        [tile_type(t.dtype, shape) for t in tiles],
        {"dim": scalar(axis, int32), "identities": scalars, **attributes},
        [body],
    )
    return [TileValue(value, t.dtype, shape) for value, t in zip(op.results, tiles, strict=True)]


def _with_kept_dims(tracer: Tracer, x: TileValue, shape: tuple[int, ...], axes: tuple[int, ...]) -> TileValue:
    return reshape_to(tracer, x, tuple(1 if i in axes else e for i, e in enumerate(shape)))


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    axes = tuple(require_axis(a, rank) for a in require_ints(axis, "axis"))
    if len(set(axes)) != len(axes):
        raise TileTypeError(f"axis {axis} names a dimension twice")
    return axes


def _require_arithmetic(tracer: Tracer, x: Any, function: str) -> TileValue:
    x = require_tile(tracer, x, f"the argument of {function}()")
    if x.dtype.is_restricted:
        raise TileTypeError(f"{function}() of {x.dtype} is not defined; cast to float32 with astype()")
    return convert(tracer, x, int32) if x.dtype.is_bool else x


def extreme(dtype: DType, largest: bool) -> Number:
    """The largest or smallest value of a dtype; infinities for floats."""
    if dtype.is_float:
        return math.inf if largest else -math.inf
    return dtype.integer_range[1 if largest else 0]


_IDENTITY: dict[str, Callable[[DType], Number]] = {
    "add": lambda dtype: 0,
    "mul": lambda dtype: 1,
    "maximum": lambda dtype: extreme(dtype, largest=False),
    "minimum": lambda dtype: extreme(dtype, largest=True),
}


def _combine_with(tracer: Tracer, operation: str, mode: Any, flush: bool, nan: bool) -> Combine:
    return lambda left, right: [binary(tracer, operation, left[0], right[0], mode, flush, nan)]


def _register_reduction(name: str, operation: str) -> None:
    @implements(name)
    def reduction(
        tracer: Tracer,
        x: Any,
        axis: Any,
        *,
        keepdims: Any,
        rounding_mode: Any = None,
        flush_to_zero: Any = False,
        propagate_nan: Any = False,
    ) -> TileValue:
        x = _require_arithmetic(tracer, x, name)
        if rounding_mode is not None:
            require_enum(rounding_mode, RoundingMode, "rounding_mode")
        flush = require_constant_bool(flush_to_zero, "flush_to_zero")
        nan = require_constant_bool(propagate_nan, "propagate_nan")
        record = ARITHMETIC[operation]
        check_numerics(name, record.modes, record.flushes, rounding_mode, flush, x.dtype)
        axes = _axes(axis, len(x.shape))
        result = x
        for position in sorted(axes):
            removed = sum(1 for a in axes if a < position)
            [result] = fold(tracer, "reduce", [result], [_IDENTITY[operation](x.dtype)], position - removed,
                            _combine_with(tracer, operation, rounding_mode, flush, nan), {})  # fmt: skip
        return _with_kept_dims(tracer, result, x.shape, axes) if require_constant_bool(keepdims, "keepdims") else result


def _register_scan(name: str, operation: str) -> None:
    @implements(name)
    def scan_of(tracer: Tracer, x: Any, axis: Any, reverse: Any, rounding_mode: Any, flush_to_zero: Any) -> TileValue:
        x = _require_arithmetic(tracer, x, name)
        flush = require_constant_bool(flush_to_zero, "flush_to_zero")
        record = ARITHMETIC[operation]
        check_numerics(name, record.modes, record.flushes, rounding_mode, flush, x.dtype)
        combine = _combine_with(tracer, operation, rounding_mode, flush, False)
        [result] = fold(tracer, "scan", [x], [_IDENTITY[operation](x.dtype)], require_axis(axis, len(x.shape)), combine,
                        _reverse(reverse))  # fmt: skip
        return result


def _reverse(reverse: Any) -> Attributes:
    return {"reverse": require_constant_bool(reverse, "reverse")}


for _name, _operation in {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}.items():
    _register_reduction(_name, _operation)
_register_scan("cumsum", "add")
_register_scan("cumprod", "mul")


def _register_arg(name: str, better: str) -> None:
    @implements(name)
    def arg_of(tracer: Tracer, x: Any, axis: Any, keepdims: Any, propagate_nan: Any) -> TileValue:
        x = _require_arithmetic(tracer, x, name)
        nan = require_constant_bool(propagate_nan, "propagate_nan")
        keep = require_constant_bool(keepdims, "keepdims")
        shape = x.shape
        if axis is None:
            x, position, axes = reshape_to(tracer, x, (math.prod(shape),)), 0, tuple(range(len(shape)))
        else:
            position = require_axis(axis, len(shape))
            axes = (position,)
        count = x.shape[position]
        index = tracer.emit_tile("iota", [], int32, (count,))
        index = reshape_to(tracer, index, tuple(count if i == position else 1 for i in range(len(x.shape))))
        worst = extreme(x.dtype, largest=better == "less")
        identities = [math.nan if x.dtype.is_float and not nan else worst, int32.integer_range[1]]
        tiles = [x, broadcast(tracer, index, x.shape)]
        result = fold(tracer, "reduce", tiles, identities, position, _better_index(tracer, better, nan), {})[1]
        return _with_kept_dims(tracer, result, shape, axes) if keep else result


def _better_index(tracer: Tracer, better: str, propagate_nan: bool) -> Combine:
    """Keep the better element, of equal ones the first; NaN is the best or the worst of all."""

    def both(a: TileValue, b: TileValue) -> TileValue:
        return binary(tracer, "bitwise_and", a, b)

    def either(a: TileValue, b: TileValue) -> TileValue:
        return binary(tracer, "bitwise_or", a, b)

    def combine(left: list[TileValue], right: list[TileValue]) -> list[TileValue]:
        (x, i), (y, j) = left, right
        wins = binary(tracer, better, x, y)
        same = binary(tracer, "equal", x, y)
        if x.dtype.is_float:
            x_nan, y_nan = binary(tracer, "not_equal", x, x), binary(tracer, "not_equal", y, y)
            best, worst = (x_nan, y_nan) if propagate_nan else (y_nan, x_nan)
            wins = either(wins, both(best, logical_not(tracer, worst)))
            same = either(same, both(x_nan, y_nan))
        take_left = either(wins, both(same, binary(tracer, "less", i, j)))
        return [select(tracer, take_left, x, y), select(tracer, take_left, i, j)]

    return combine


_register_arg("argmax", "greater")
_register_arg("argmin", "less")


def _general(
    tracer: Tracer, op_name: str, x: Any, axis: Any, func: Any, identity: Any, attributes: Attributes
) -> tuple[list[TileValue], bool, int, tuple[int, ...]]:
    several = isinstance(x, tuple)
    items = list(x) if several else [x]
    if not items or not all(isinstance(t, TileValue) for t in items):
        raise TileTypeError(f"{op_name}() of a {describe(x)}; expected a tile or a tuple of tiles")
    shape: tuple[int, ...] = ()
    for tile in items:
        shape = broadcast_shapes(shape, tile.shape)
    tiles = [broadcast(tracer, t, shape) for t in items]
    numbers = list(identity) if isinstance(identity, tuple) else [identity]
    numbers = [n.constant if isinstance(n, TileValue) and n.constant is not None else n for n in numbers]
    if len(numbers) != len(tiles) or not all(is_number(n) for n in numbers) or isinstance(identity, tuple) != several:
        raise TileTypeError(
            f"identity is a {describe(identity)}; expected one compile-time number per tile: {len(tiles)}"
        )
    position = require_axis(require_constant_int(axis, "axis"), len(shape))

    def combine(left: list[TileValue], right: list[TileValue]) -> list[TileValue]:
        result = tracer.call(func, (*left, *right), {})
        results = list(result) if isinstance(result, tuple) else [result]
        if len(results) != len(tiles) or isinstance(result, tuple) != several:
            raise TileTypeError(
                f"the function of {op_name}() returns a {describe(result)}; expected {len(tiles)} scalars"
            )
        values = [
            implicit(tracer, r, t.dtype, f"the result of the function of {op_name}()")
            for r, t in zip(results, tiles, strict=True)
        ]
        if any(v.shape for v in values):
            raise TileTypeError(f"the function of {op_name}() returns a tile; expected scalars")
        return values

    return fold(tracer, op_name, tiles, numbers, position, combine, attributes), several, position, shape


@implements("reduce")
def reduce(tracer: Tracer, x: Any, axis: Any, func: Any, identity: Any, keepdims: Any) -> Any:
    results, several, position, shape = _general(tracer, "reduce", x, axis, func, identity, {})
    if require_constant_bool(keepdims, "keepdims"):
        results = [_with_kept_dims(tracer, r, shape, (position,)) for r in results]
    return tuple(results) if several else results[0]


@implements("scan")
def scan(tracer: Tracer, x: Any, axis: Any, func: Any, identity: Any, reverse: Any) -> Any:
    results, several, _, _ = _general(tracer, "scan", x, axis, func, identity, _reverse(reverse))
    return tuple(results) if several else results[0]
