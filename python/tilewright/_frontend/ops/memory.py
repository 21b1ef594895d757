# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores in tile space, and views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.arguments import (
    require_array,
    require_axis,
    require_constant_bool,
    require_constant_int,
    require_enum,
    require_int_scalar,
    require_ints,
    require_shape,
    require_tile,
)
from tilewright._frontend.ir import TOKEN, MemoryAccess, Value, tile_type
from tilewright._frontend.ops.conversions import broadcast, coerce, convert, implicit
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.values import ArrayValue, RawMemoryValue, TiledViewValue, TileValue, describe
from tilewright.dtypes import DType, int32, int64
from tilewright.errors import TileTypeError, TileValueError
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode
from tilewright.tile import Slice

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

SCOPES = {MemoryScope.BLOCK: "tl_blk", MemoryScope.DEVICE: "device", MemoryScope.SYS: "sys"}


def hints_attribute(latency: Any, allow_tma: Any = None) -> dict[str, str]:
    """The optimization_hints of an access, if there are any."""
    hints = []
    if allow_tma is not None and not require_constant_bool(allow_tma, "allow_tma"):
        hints.append("allow_tma = false")
    if latency is not None:
        value = require_constant_int(latency, "latency")
        if not 1 <= value <= 10:
            raise TileValueError(f"latency {value}; expected 1 to 10")
        hints.append(f"latency = {value} : i32")
    if not hints:
        return {}
    return {"optimization_hints": f"#cuda_tile.optimization_hints<default = {{{', '.join(hints)}}}>"}


def ordering_attributes(order: Any, scope: Any, allowed: tuple[MemoryOrder, ...]) -> dict[str, str]:
    require_enum(order, MemoryOrder, "memory_order")
    require_enum(scope, MemoryScope, "memory_scope")
    if order not in allowed:
        raise TileTypeError(f"memory_order {order.name}; expected {', '.join(o.name for o in allowed)}")
    if (order is MemoryOrder.WEAK) != (scope is MemoryScope.NONE):
        raise TileTypeError(
            f"memory_order {order.name} with memory_scope {scope.name}; WEAK takes no scope, others need one"
        )
    attributes = {"memory_ordering_semantics": f"#cuda_tile.memory_ordering_semantics<{order.value}>"}
    if scope is not MemoryScope.NONE:
        attributes["memory_scope"] = f"#cuda_tile.memory_scope<{SCOPES[scope]}>"
    return attributes


# ---- views ----


def tensor_view_type(array: ArrayValue) -> str:
    text = ["?" if e is None else str(e) for e in array.static_shape]
    strides = ", ".join("?" if s is None else str(s) for s in array.static_strides)
    shape = "".join(f"{e}x" for e in text)
    suffix = f", strides=[{strides}]" if text else ""
    return f"!cuda_tile.tensor_view<{shape}{array.dtype.ir_name}{suffix}>"


def make_tensor_view(tracer: Tracer, array: ArrayValue) -> None:
    """Emit the view of an array here; what does not use it is removed later."""
    shape = [e.value for e in array.shape if isinstance(e, TileValue)]
    strides = [s.value for s, known in zip(array.strides, array.static_strides, strict=True) if known is None]
    array.view_type = tensor_view_type(array)
    op = tracer.emit(
        "make_tensor_view", [array.pointer, *shape, *strides], [array.view_type], segments=[1, len(shape), len(strides)]
    )
    array.view = op.results[0]


def _inner_type(text: str) -> str:
    return text.removeprefix("!cuda_tile.")


def partition_view(
    tracer: Tracer, array: ArrayValue, tile: tuple[int, ...], order: tuple[int, ...], padding: PaddingMode
) -> tuple[Value, str]:
    parts = [f"tile=({'x'.join(map(str, tile))})"]
    if padding is not PaddingMode.UNDETERMINED:
        parts.append(f"padding_value = {padding.value}")
    parts.append(_inner_type(array.view_type))
    if order != tuple(range(len(order))):
        parts.append(f"dim_map=[{', '.join(map(str, order))}]")
    type = f"!cuda_tile.partition_view<{', '.join(parts)}>"
    return tracer.emit("make_partition_view", [array.view], [type]).results[0], type


def strided_view(
    tracer: Tracer, array: ArrayValue, tile: tuple[int, ...], steps: tuple[int, ...], padding: PaddingMode
) -> Value:
    parts = [f"tile=({'x'.join(map(str, tile))})", f"traversal_strides=[{','.join(map(str, steps))}]"]
    if padding is not PaddingMode.UNDETERMINED:
        parts.append(f"padding_value = {padding.value}")
    type = f"!cuda_tile.strided_view<{', '.join([*parts, _inner_type(array.view_type)])}>"
    return tracer.emit("make_strided_view", [array.view], [type]).results[0]


def _check_padding(padding: Any, dtype: DType) -> PaddingMode:
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
        raise TileValueError(f"order {order!r}; expected 'C', 'F' or a tuple of axes")
    axes = tuple(require_axis(a, rank, "order") for a in require_ints(order, "order"))
    if sorted(axes) != list(range(rank)):
        raise TileValueError(f"order {axes} is no order of the {rank} axes; expected each one once")
    return axes


def _tile_shape_for(array: ArrayValue, shape: Any, what: str) -> tuple[int, ...]:
    """The extents of a tile in the array's rank; () stands for one element."""
    extents = require_shape(shape, what)
    if not extents:
        return (1,) * array.ndim
    if len(extents) != array.ndim:
        raise TileTypeError(f"{what} {extents} has {len(extents)} dimensions; array {array.name!r} has {array.ndim}:"
                            " expected one extent per axis")  # fmt: skip
    return extents


def _index_operands(tracer: Tracer, index: Any, array: ArrayValue) -> list[Value]:
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) != array.ndim:
        raise TileTypeError(
            f"index has {len(parts)} entries; array {array.name!r} has {array.ndim} axes: expected one each"
        )
    scalars = [require_int_scalar(p, "index") for p in parts]
    wide = any(isinstance(s, TileValue) and s.dtype.bitwidth > 32 for s in scalars)
    return [coerce(tracer, s, int64 if wide else int32).value for s in scalars]


def _inbounds(check_bounds: Any, rank: int) -> dict[str, str]:
    if require_constant_bool(check_bounds, "check_bounds"):
        return {}
    return {"inbounds": f"array<i1: {', '.join(['true'] * rank)}>"}


def _emit_load(
    tracer: Tracer,
    view: Value,
    index: list[Value],
    array: ArrayValue,
    shape: tuple[int, ...],
    attributes: dict[str, str],
) -> TileValue:
    order = attributes["memory_ordering_semantics"].split("<")[1][:-1]
    op = tracer.emit(
        "load_view_tko",
        [view, *index],
        [tile_type(array.dtype, shape), TOKEN],
        attributes,
        segments=[1, len(index), 0],
        memory=MemoryAccess(array.alias, False, order),
    )
    return TileValue(op.results[0], array.dtype, shape)


def _emit_store(
    tracer: Tracer, tile: TileValue, view: Value, index: list[Value], array: ArrayValue, attributes: dict[str, str]
) -> None:
    order = attributes["memory_ordering_semantics"].split("<")[1][:-1]
    tracer.emit(
        "store_view_tko",
        [tile.value, view, *index],
        [TOKEN],
        attributes,
        segments=[1, 1, len(index), 0],
        memory=MemoryAccess(array.alias, True, order),
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
    extents = _tile_shape_for(array, shape, "shape")
    axes = _order_of(order, array.ndim)
    padding = _check_padding(padding_mode, array.dtype)
    attributes = ordering_attributes(
        memory_order, memory_scope, (MemoryOrder.WEAK, MemoryOrder.RELAXED, MemoryOrder.ACQUIRE)
    )
    attributes |= hints_attribute(latency, allow_tma) | _inbounds(check_bounds, array.ndim)
    indices = _index_operands(tracer, index, array)
    view, _ = partition_view(tracer, array, extents, axes, padding)
    tile = _emit_load(tracer, view, indices, array, extents, attributes)
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
    _tile_shape_for(array, tile.shape, "the tile's shape")
    attributes = ordering_attributes(
        memory_order, memory_scope, (MemoryOrder.WEAK, MemoryOrder.RELAXED, MemoryOrder.RELEASE)
    )
    attributes |= hints_attribute(latency, allow_tma) | _inbounds(check_bounds, array.ndim)
    indices = _index_operands(tracer, index, array)
    view, _ = partition_view(tracer, array, tile.shape, _order_of(order, array.ndim), PaddingMode.UNDETERMINED)
    _emit_store(tracer, tile, view, indices, array, attributes)


def value_to_store(tracer: Tracer, value: Any, array: ArrayValue) -> TileValue:
    """A tile of the array's dtype; a cast that is not a promotion has to be written by the program."""
    return implicit(tracer, value, array.dtype, f"the value stored to array {array.name!r}")


@implements("num_tiles")
def num_tiles(tracer: Tracer, array: Any, axis: Any, shape: Any, order: Any) -> TileValue:
    array = require_array(array, "num_tiles")
    extents = _tile_shape_for(array, shape, "shape")
    position = require_axis(axis, array.ndim)
    view, _ = partition_view(tracer, array, extents, _order_of(order, array.ndim), PaddingMode.UNDETERMINED)
    results = tracer.emit("get_index_space_shape", [view], [tile_type(int32, ())] * array.ndim).results
    return TileValue(results[position], int32, ())


# ---- Array, TiledView ----


@implements("Array.slice")
def slice_array(tracer: Tracer, array: Any, axis: Any, start: Any, stop: Any) -> ArrayValue:
    array = require_array(array, "slice")
    position = require_axis(axis, array.ndim)
    start, stop = require_int_scalar(start, "start"), require_int_scalar(stop, "stop")
    static = isinstance(start, int) and isinstance(stop, int)
    if static and not 0 <= start <= stop:
        raise TileValueError(f"slice from {start} to {stop}; expected 0 <= start <= stop")
    stride = coerce(tracer, array.strides[position], int64)
    offset = binary(tracer, "mul", coerce(tracer, start, int64), stride)
    pointer = tracer.emit("offset", [array.pointer, offset.value], [array.pointer.type]).results[0]
    extent = binary(tracer, "sub", stop, start)
    if isinstance(extent, TileValue):
        dtype = next((e.dtype for e in (*array.shape, *array.strides) if isinstance(e, TileValue)), int32)
        extent = convert(tracer, extent, dtype)

    def replaced(values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
        return (*values[:position], value, *values[position + 1 :])

    result = ArrayValue(
        array.name,
        array.dtype,
        pointer,
        replaced(array.shape, extent),
        array.strides,
        replaced(array.static_shape, extent if static else None),
        array.static_strides,
        array.alias,
    )
    make_tensor_view(tracer, result)
    return result


@implements("Array.tiled_view")
def tiled_view(tracer: Tracer, array: Any, tile_shape: Any, padding_mode: Any, traversal_steps: Any) -> TiledViewValue:
    array = require_array(array, "tiled_view")
    extents = _tile_shape_for(array, tile_shape, "tile_shape")
    steps = extents if traversal_steps is None else require_ints(traversal_steps, "traversal_steps")
    if len(steps) != array.ndim or any(s <= 0 for s in steps):
        raise TileValueError(f"traversal_steps {steps}; expected one positive step per axis: {array.ndim}")
    return TiledViewValue(array, extents, _check_padding(padding_mode, array.dtype), steps)


def _view_of(tracer: Tracer, view: TiledViewValue) -> Value:
    if view.traversal_steps == view.tile_shape:
        return partition_view(tracer, view.array, view.tile_shape, tuple(range(view.array.ndim)), view.padding)[0]
    return strided_view(tracer, view.array, view.tile_shape, view.traversal_steps, view.padding)


@implements("TiledView.num_tiles")
def tiled_view_num_tiles(tracer: Tracer, view: TiledViewValue, axis: Any) -> TileValue:
    position = require_axis(axis, view.array.ndim)
    results = tracer.emit("get_index_space_shape", [_view_of(tracer, view)], [tile_type(int32, ())] * view.array.ndim)
    return TileValue(results.results[position], int32, ())


@implements("TiledView.load")
def tiled_view_load(
    tracer: Tracer, view: TiledViewValue, index: Any, check_bounds: Any, latency: Any, allow_tma: Any
) -> TileValue:
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    attributes |= hints_attribute(latency, allow_tma) | _inbounds(check_bounds, view.array.ndim)
    indices = _index_operands(tracer, index, view.array)
    return _emit_load(tracer, _view_of(tracer, view), indices, view.array, view.tile_shape, attributes)


@implements("TiledView.store")
def tiled_view_store(
    tracer: Tracer, view: TiledViewValue, index: Any, tile: Any, check_bounds: Any, latency: Any, allow_tma: Any
) -> None:
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    attributes |= hints_attribute(latency, allow_tma) | _inbounds(check_bounds, view.array.ndim)
    tile = broadcast(tracer, value_to_store(tracer, tile, view.array), view.tile_shape)
    indices = _index_operands(tracer, index, view.array)
    _emit_store(tracer, tile, _view_of(tracer, view), indices, view.array, attributes)


@implements("Array.get_raw_memory")
def get_raw_memory(tracer: Tracer, array: Any) -> RawMemoryValue:
    return RawMemoryValue(require_array(array, "get_raw_memory"))


# ---- rows picked by a tile ----


def _gather_scatter_view(
    tracer: Tracer, array: ArrayValue, indices: Any, padding: PaddingMode
) -> tuple[Value, list[Value], tuple[int, ...]]:
    parts = indices if isinstance(indices, tuple) else (indices,)
    if len(parts) != array.ndim:
        raise TileTypeError(f"{len(parts)} indices; array {array.name!r} has {array.ndim} axes: expected one each")
    sparse = [i for i, p in enumerate(parts) if not isinstance(p, Slice)]
    if len(sparse) != 1:
        raise TileTypeError(
            f"{len(sparse)} index tiles; expected exactly one 1-D tile, and a Slice for every other axis"
        )
    rows = require_tile(tracer, parts[sparse[0]], "the index tile")
    if len(rows.shape) != 1 or not rows.dtype.is_integral:
        raise TileTypeError(f"the index tile is a {describe(rows)}; expected a 1-D tile of integers")
    shape = tuple(rows.shape[0] if i == sparse[0] else require_shape(p.length, "the length of a Slice")[0]
                  for i, p in enumerate(parts))  # fmt: skip
    operands = [
        rows.value
        if i == sparse[0]
        else coerce(tracer, require_int_scalar(p.start, "the start of a Slice"), int32).value
        for i, p in enumerate(parts)
    ]
    text = [f"tile=({'x'.join(map(str, shape))})"]
    if padding is not PaddingMode.UNDETERMINED:
        text.append(f"padding_value = {padding.value}")
    text += [_inner_type(array.view_type), f"sparse_dim={sparse[0]}"]
    view = tracer.emit("make_gather_scatter_view", [array.view], [f"!cuda_tile.gather_scatter_view<{', '.join(text)}>"])
    return view.results[0], operands, shape


@implements("load_advanced_indexing")
def load_advanced_indexing(
    tracer: Tracer, array: Any, indices: Any, padding_mode: Any, latency: Any, allow_tma: Any
) -> TileValue:
    array = require_array(array, "load_advanced_indexing")
    view, operands, shape = _gather_scatter_view(tracer, array, indices, _check_padding(padding_mode, array.dtype))
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    return _emit_load(tracer, view, operands, array, shape, attributes | hints_attribute(latency, allow_tma))


@implements("store_advanced_indexing")
def store_advanced_indexing(tracer: Tracer, array: Any, indices: Any, tile: Any, latency: Any, allow_tma: Any) -> None:
    array = require_array(array, "store_advanced_indexing")
    view, operands, shape = _gather_scatter_view(tracer, array, indices, PaddingMode.UNDETERMINED)
    tile = value_to_store(tracer, tile, array)
    if tile.shape != shape:
        raise TileTypeError(f"the tile has shape {tile.shape}; expected {shape}, the shape of the indices")
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    _emit_store(tracer, tile, view, operands, array, attributes | hints_attribute(latency, allow_tma))


@implements("assume_divisible_by")
def assume_divisible_by(tracer: Tracer, x: Any, divisor: Any) -> Any:
    amount = require_constant_int(divisor, "divisor")
    if amount <= 0 or amount & (amount - 1):
        raise TileValueError(f"divisor {amount}; expected a power of two")
    x = require_int_scalar(x, "the argument of assume_divisible_by()")
    if isinstance(x, int):
        if x % amount:
            raise TileValueError(f"{x} is not divisible by {amount}")
        return x
    return tracer.emit_tile("assume", [x], x.dtype, (), {"predicate": f"#cuda_tile.div_by<{amount}>"})
