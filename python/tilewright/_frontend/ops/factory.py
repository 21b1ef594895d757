# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles from numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import dense, scalar
from tilewright._frontend.ir.types import tile_type
from tilewright._frontend.ops.conversions import broadcast, convert
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.values.arguments import check_shape, require_constant_int, require_dtype, require_shape
from tilewright._frontend.values.kinds import TileValue, describe, is_number
from tilewright.dtypes import DType, int32, int64
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


@implements("full")
def full(tracer: Tracer, shape: Any, fill_value: Any, dtype: Any) -> TileValue:
    target, extents = require_dtype(dtype), require_shape(shape)
    if is_number(fill_value):
        return tracer.constant(fill_value, target, extents)
    if not isinstance(fill_value, TileValue) or fill_value.shape:
        raise TileTypeError(f"fill_value is a {describe(fill_value)}; expected a scalar")
    return broadcast(tracer, convert(tracer, fill_value, target), extents)


@implements("ones")
def ones(tracer: Tracer, shape: Any, dtype: Any) -> TileValue:
    return full(tracer, shape, 1, dtype)


@implements("zeros")
def zeros(tracer: Tracer, shape: Any, dtype: Any) -> TileValue:
    return full(tracer, shape, 0, dtype)


@implements("arange")
def arange(tracer: Tracer, size: Any, dtype: Any, start: Any = 0, step: Any = 1) -> TileValue:
    target = require_dtype(dtype)
    extent = require_constant_int(size, "size")
    check_shape((extent,), "size")
    if target.is_bool:
        raise TileTypeError("arange() of bool_ is not defined; compare an integer range")
    if target.is_integral and extent > 1 << target.bitwidth:
        raise TileTypeError(
            f"arange() of {extent} elements: {target} has {1 << target.bitwidth} values; expected a wider dtype, from"
            " which astype() keeps the low bits"
        )
    base = target if target.is_integral else int32
    result = convert(tracer, tracer.emit_tile("iota", [], base, (extent,)), target)
    for value, identity, operation, what in ((step, 1, "mul", "step"), (start, 0, "add", "start")):
        if is_number(value) and value == identity:
            continue
        result = binary(tracer, operation, result, _scalar(tracer, value, target, what))
    return result


def _scalar(tracer: Tracer, value: Any, dtype: DType, what: str) -> TileValue:
    if is_number(value):
        return tracer.constant(value, dtype)
    if not isinstance(value, TileValue) or value.shape:
        raise TileTypeError(f"{what} is a {describe(value)}; expected a scalar")
    return convert(tracer, value, dtype)


@implements("astile")
def astile(tracer: Tracer, value: Any, dtype: Any) -> TileValue:
    target = require_dtype(dtype)
    shape = _nested_shape(value)
    check_shape(shape, "the shape of astile()")
    scalars = _scalars(value)
    if not all(is_number(scalar) for scalar in scalars):
        tiles = [_scalar(tracer, scalar, target, "an element of astile()") for scalar in scalars]
        return reshape_to(tracer, _joined(tracer, tiles), shape)
    if not shape:
        return tracer.constant(value, target)
    op = tracer.emit("constant", [], [tile_type(target, shape)], {"value": dense(value, target, shape)})
    return TileValue(op.results[0], target, shape)


def _nested_shape(value: Any) -> tuple[int, ...]:
    if is_number(value) or (isinstance(value, TileValue) and not value.shape):
        return ()
    if not isinstance(value, tuple):
        raise TileTypeError(f"astile() takes scalars in nested tuples, found a {describe(value)}")
    shapes = {_nested_shape(item) for item in value}
    if len(shapes) != 1:
        raise TileTypeError("the tuples of astile() are not of equal lengths")
    return (len(value), *shapes.pop())


def _scalars(value: Any) -> list[Any]:
    return [scalar for item in value for scalar in _scalars(item)] if isinstance(value, tuple) else [value]


def _joined(tracer: Tracer, tiles: list[TileValue]) -> TileValue:
    """A power of two of scalars as a tile of one dimension."""
    if len(tiles) == 1:
        return reshape_to(tracer, tiles[0], (1,))
    half = len(tiles) // 2
    left, right = _joined(tracer, tiles[:half]), _joined(tracer, tiles[half:])
    return tracer.emit_tile("cat", [left, right], left.dtype, (len(tiles),), {"dim": scalar(0, int64)})


def _grid_query(name: str, op: str) -> None:
    @implements(name)
    def query(tracer: Tracer, axis: Any) -> TileValue:
        position = require_constant_int(axis, "axis")
        if not 0 <= position <= 2:
            raise TileTypeError(f"{name}() of axis {position}; expected 0, 1 or 2")
        if position == 2 and tracer.grid:
            return tracer.grid[name]
        results = tracer.emit(op, [], [tile_type(int32, ())] * 3).results
        return TileValue(results[position], int32, ())


_grid_query("bid", "get_tile_block_id")
_grid_query("num_blocks", "get_num_tile_blocks")
