# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores in tile space, and views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import Attributes, DivBy, Hints
from tilewright._frontend.ir.program import MemoryAccess, Value
from tilewright._frontend.ir.types import TOKEN, tile_type
from tilewright._frontend.ops.conversions import coerce, implicit
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.ops.views import partition_view
from tilewright._frontend.values.arguments import (
    require_array,
    require_axis,
    require_constant_bool,
    require_constant_int,
    require_enum,
    require_index,
    require_int_scalar,
    require_ints,
    require_shape,
)
from tilewright._frontend.values.kinds import ArrayValue, TileValue
from tilewright.dtypes import DType, int32, int64
from tilewright.errors import TileTypeError, TileValueError
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def hints_attribute(latency: Any, allow_tma: Any = None) -> Attributes:
    """The optimization_hints of an access, if there are any."""
    hints: dict[str, int | bool] = {}
    if allow_tma is not None:
        hints["allow_tma"] = require_constant_bool(allow_tma, "allow_tma")
    if latency is not None:
        value = require_constant_int(latency, "latency")
        if not 1 <= value <= 10:
            raise TileValueError(f"latency {value}; expected 1 to 10")
        hints["latency"] = value
    return {"optimization_hints": Hints({"default": hints})} if hints else {}


def ordering_attributes(order: Any, scope: Any, allowed: tuple[MemoryOrder, ...]) -> Attributes:
    require_enum(order, MemoryOrder, "memory_order")
    require_enum(scope, MemoryScope, "memory_scope")
    if order not in allowed:
        raise TileTypeError(f"memory_order {order.name}; expected {', '.join(o.name for o in allowed)}")
    if (order is MemoryOrder.WEAK) != (scope is MemoryScope.NONE):
        raise TileTypeError(
            f"memory_order {order.name} with memory_scope {scope.name}; WEAK takes no scope, others need one"
        )
    attributes: Attributes = {"memory_ordering_semantics": order}
    if scope is MemoryScope.CLUSTER:
        raise TileTypeError("memory_scope CLUSTER is not for tile code; expected BLOCK, DEVICE or SYS")
    if scope is not MemoryScope.NONE:
        attributes["memory_scope"] = scope
    return attributes


def check_padding(padding: Any, dtype: DType) -> PaddingMode:
    padding = require_enum(padding, PaddingMode, "padding_mode")
    if padding not in (PaddingMode.UNDETERMINED, PaddingMode.ZERO) and not dtype.is_float:
        raise TileTypeError(f"padding_mode {padding.name} is for floats; the array has dtype {dtype}: use ZERO")
    return padding


def _order_of(order: Any, rank: int) -> tuple[int, ...]:
    if order == "C":
        return tuple(range(rank))
    if order == "F":
        return tuple(reversed(range(rank)))
    if isinstance(order, str):
        raise TileTypeError(f"order {order!r}; expected 'C', 'F' or a tuple of axes")
    axes = tuple(require_axis(a, rank, "order") for a in require_ints(order, "order"))
    if sorted(axes) != list(range(rank)):
        raise TileTypeError(f"order {axes} is no order of the {rank} axes; expected each one once")
    return axes


def tile_shape_for(array: ArrayValue, shape: Any, what: str) -> tuple[int, ...]:
    """The extents of a tile in the array's rank; () stands for one element."""
    if not array.ndim:
        raise TileTypeError(
            f"array {array.name!r} has no axes; expected one or more: use gather() or scatter() with ()"
        )
    extents = require_shape(shape, what)
    if not extents:
        return (1,) * array.ndim
    if len(extents) != array.ndim:
        raise TileTypeError(f"{what} {extents} has {len(extents)} dimensions; array {array.name!r} has {array.ndim}:"
                            " expected one extent per axis")  # fmt: skip
    return extents


def index_operands(tracer: Tracer, index: Any, array: ArrayValue) -> list[Value]:
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) != array.ndim:
        raise TileTypeError(
            f"index has {len(parts)} entries; array {array.name!r} has {array.ndim} axes: expected one each"
        )
    scalars = [require_index(p, "index") for p in parts]
    wide = any(isinstance(s, TileValue) and s.dtype.bitwidth > 32 for s in scalars)
    return [coerce(tracer, s, int64 if wide else int32).value for s in scalars]


def inbounds(check_bounds: Any, rank: int) -> Attributes:
    if require_constant_bool(check_bounds, "check_bounds"):
        return {}
    return {"inbounds": (True,) * rank}


def emit_load(
    tracer: Tracer,
    view: Value,
    index: list[Value],
    array: ArrayValue,
    shape: tuple[int, ...],
    attributes: Attributes,
) -> TileValue:
    op = tracer.emit(
        "load_view_tko",
        [view, *index],
        [tile_type(array.dtype, shape), TOKEN],
        attributes,
        segments=[1, len(index), 0],
        memory=MemoryAccess(array.alias, False, attributes["memory_ordering_semantics"]),
    )
    return TileValue(op.results[0], array.dtype, shape)


def emit_store(
    tracer: Tracer, tile: TileValue, view: Value, index: list[Value], array: ArrayValue, attributes: Attributes
) -> None:
    tracer.emit(
        "store_view_tko",
        [tile.value, view, *index],
        [TOKEN],
        attributes,
        segments=[1, 1, len(index), 0],
        memory=MemoryAccess(array.alias, True, attributes["memory_ordering_semantics"]),
    )


@implements("load")
def load(
    tracer: Tracer,
    array: Any,
    index: Any,
    shape: Any,
    order: Any,
    padding_mode: Any,
    check_bounds: Any,
    latency: Any,
    allow_tma: Any,
    memory_order: Any,
    memory_scope: Any,
) -> TileValue:
    array = require_array(array, "load")
    extents = tile_shape_for(array, shape, "shape")
    axes = _order_of(order, array.ndim)
    padding = check_padding(padding_mode, array.dtype)
    attributes = ordering_attributes(
        memory_order, memory_scope, (MemoryOrder.WEAK, MemoryOrder.RELAXED, MemoryOrder.ACQUIRE)
    )
    attributes |= hints_attribute(latency, allow_tma) | inbounds(check_bounds, array.ndim)
    indices = index_operands(tracer, index, array)
    view = partition_view(tracer, array, extents, axes, padding)
    tile = emit_load(tracer, view, indices, array, extents, attributes)
    return tile if shape != () else reshape_to(tracer, tile, ())


@implements("store")
def store(
    tracer: Tracer,
    array: Any,
    index: Any,
    tile: Any,
    order: Any,
    check_bounds: Any,
    latency: Any,
    allow_tma: Any,
    memory_order: Any,
    memory_scope: Any,
) -> None:
    array = require_array(array, "store")
    tile = value_to_store(tracer, tile, array)
    if not tile.shape:
        tile = reshape_to(tracer, tile, (1,) * array.ndim)
    tile_shape_for(array, tile.shape, "the tile's shape")
    attributes = ordering_attributes(
        memory_order, memory_scope, (MemoryOrder.WEAK, MemoryOrder.RELAXED, MemoryOrder.RELEASE)
    )
    attributes |= hints_attribute(latency, allow_tma) | inbounds(check_bounds, array.ndim)
    indices = index_operands(tracer, index, array)
    view = partition_view(tracer, array, tile.shape, _order_of(order, array.ndim), PaddingMode.UNDETERMINED)
    emit_store(tracer, tile, view, indices, array, attributes)


def value_to_store(tracer: Tracer, value: Any, array: ArrayValue) -> TileValue:
    """A tile of the array's dtype; a cast that is not a promotion has to be written by the program."""
    return implicit(tracer, value, array.dtype, f"the value stored to array {array.name!r}")


@implements("num_tiles")
def num_tiles(tracer: Tracer, array: Any, axis: Any, shape: Any, order: Any) -> TileValue:
    array = require_array(array, "num_tiles")
    extents = tile_shape_for(array, shape, "shape")
    position = require_axis(axis, array.ndim)
    view = partition_view(tracer, array, extents, _order_of(order, array.ndim), PaddingMode.UNDETERMINED)
    results = tracer.emit("get_index_space_shape", [view], [tile_type(int32, ())] * array.ndim).results
    return TileValue(results[position], int32, ())


@implements("assume_divisible_by")
def assume_divisible_by(tracer: Tracer, x: Any, divisor: Any) -> Any:
    amount = require_constant_int(divisor, "divisor")
    if amount <= 0:
        raise TileTypeError(f"divisor {amount}; expected a positive number")
    x = require_int_scalar(x, "the argument of assume_divisible_by()")
    if isinstance(x, int):
        if x % amount:
            raise TileTypeError(f"{x} is not divisible by {amount}")
        return x
    power = amount & -amount  # Tile IR knows powers of two
    if power == 1:
        return x
    return tracer.emit_tile("assume", [x], x.dtype, (), {"predicate": DivBy(power)})
