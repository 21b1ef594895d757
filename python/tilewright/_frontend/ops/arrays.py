# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods of arrays and tiled views, and access to rows picked by a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import Value
from tilewright._frontend.ir.types import GatherScatterViewType, tile_type
from tilewright._frontend.ops.conversions import broadcast, coerce
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.ops.memory import (
    check_padding,
    emit_load,
    emit_store,
    hints_attribute,
    inbounds,
    index_operands,
    ordering_attributes,
    tile_shape_for,
    value_to_store,
)
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.ops.views import make_array, make_tensor_view, partition_view, strided_view
from tilewright._frontend.signature import ArraySpec
from tilewright._frontend.values.arguments import (
    require_array,
    require_axis,
    require_dtype,
    require_index,
    require_int_scalar,
    require_ints,
    require_shape,
    require_tile,
)
from tilewright._frontend.values.kinds import (
    ArrayValue,
    PointerValue,
    RawMemoryValue,
    TiledViewValue,
    TileValue,
    describe,
)
from tilewright.dtypes import DType, int32, int64, pointer_to
from tilewright.errors import TileTypeError
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode
from tilewright.tile import Slice

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


@implements("Array.slice")
def slice_array(tracer: Tracer, array: Any, axis: Any, start: Any, stop: Any) -> ArrayValue:
    array = require_array(array, "slice")
    position = require_axis(axis, array.ndim)
    start, stop = require_index(start, "start"), require_index(stop, "stop")
    begin, end = _known(start), _known(stop)
    static = begin is not None and end is not None
    if static and not 0 <= begin <= end:
        raise TileTypeError(f"slice from {begin} to {end}; expected 0 <= start <= stop")
    stride = coerce(tracer, array.strides[position], int64)
    offset = binary(tracer, "mul", coerce(tracer, start, int64), stride)
    pointer = tracer.emit("offset", [array.pointer, offset.value], [array.pointer.type]).results[0]
    extent = coerce(tracer, binary(tracer, "sub", stop, start), array.shape[position].dtype)

    def replaced(values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
        return (*values[:position], value, *values[position + 1 :])

    result = ArrayValue(
        array.name,
        array.dtype,
        pointer,
        replaced(array.shape, extent),
        array.strides,
        replaced(array.static_shape, end - begin if static else None),
        array.static_strides,
        array.alias,
    )
    make_tensor_view(tracer, result)
    return result


@implements("Array.tiled_view")
def tiled_view(tracer: Tracer, array: Any, tile_shape: Any, padding_mode: Any, traversal_steps: Any) -> TiledViewValue:
    array = require_array(array, "tiled_view")
    shape, extents = require_shape(tile_shape, "tile_shape"), tile_shape_for(array, tile_shape, "tile_shape")
    steps = extents if traversal_steps is None else require_ints(traversal_steps, "traversal_steps")
    if len(steps) != array.ndim or any(s <= 0 for s in steps):
        raise TileTypeError(f"traversal_steps {steps}; expected one positive step per axis: {array.ndim}")
    return TiledViewValue(array, shape, check_padding(padding_mode, array.dtype), steps)


def view_of(tracer: Tracer, view: TiledViewValue) -> Value:
    if view.traversal_steps == view.extents:
        return partition_view(tracer, view.array, view.extents, tuple(range(view.array.ndim)), view.padding)
    return strided_view(tracer, view.array, view.extents, view.traversal_steps, view.padding)


@implements("TiledView.num_tiles")
def tiled_view_num_tiles(tracer: Tracer, view: TiledViewValue, axis: Any) -> TileValue:
    position = require_axis(axis, view.array.ndim)
    results = tracer.emit("get_index_space_shape", [view_of(tracer, view)], [tile_type(int32, ())] * view.array.ndim)
    return TileValue(results.results[position], int32, ())


@implements("TiledView.load")
def tiled_view_load(
    tracer: Tracer, view: TiledViewValue, index: Any, check_bounds: Any, latency: Any, allow_tma: Any
) -> TileValue:
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    attributes |= hints_attribute(latency, allow_tma) | inbounds(check_bounds, view.array.ndim)
    indices = index_operands(tracer, index, view.array)
    tile = emit_load(tracer, view_of(tracer, view), indices, view.array, view.extents, attributes)
    return reshape_to(tracer, tile, view.tile_shape)


@implements("TiledView.store")
def tiled_view_store(
    tracer: Tracer, view: TiledViewValue, index: Any, tile: Any, check_bounds: Any, latency: Any, allow_tma: Any
) -> None:
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    attributes |= hints_attribute(latency, allow_tma) | inbounds(check_bounds, view.array.ndim)
    tile = broadcast(tracer, value_to_store(tracer, tile, view.array), view.tile_shape)
    tile = reshape_to(tracer, tile, view.extents)
    indices = index_operands(tracer, index, view.array)
    emit_store(tracer, tile, view_of(tracer, view), indices, view.array, attributes)


def _lengths(values: Any, what: str) -> tuple[Any, ...]:
    if not isinstance(values, tuple):
        raise TileTypeError(f"{what} is a {describe(values)}; expected a tuple of integer scalars")
    for i, value in enumerate(values):
        require_int_scalar(value, f"{what}[{i}]")
        if isinstance(value, TileValue) and not value.dtype.signed:
            raise TileTypeError(f"{what}[{i}] is a {describe(value)}; expected a signed integer: cast with astype()")
        if _known(value) is not None and _known(value) < 0:
            raise TileTypeError(f"{what}[{i}] is {_known(value)}; expected no negative number")
    return values


def _known(value: Any) -> int | None:
    return value.constant if isinstance(value, TileValue) else value


@implements("Array.from_foreign")
def from_foreign(tracer: Tracer, pointer: Any, shape: Any, strides: Any) -> ArrayValue:
    if not isinstance(pointer, TileValue) or not pointer.dtype.is_pointer or pointer.shape:
        raise TileTypeError(f"pointer is a {describe(pointer)}; expected what Array.foreign_pointer gives")
    shape, strides = _lengths(shape, "shape"), _lengths(strides, "strides")
    if len(shape) != len(strides):
        raise TileTypeError(f"{len(shape)} extents with {len(strides)} strides; expected one of each per axis")
    lengths = (*shape, *strides)
    index = int64 if any(isinstance(v, TileValue) and v.dtype.bitwidth > 32 for v in lengths) else int32
    values = [coerce(tracer, value, index).value for value in lengths]
    spec = ArraySpec(
        pointer.dtype.pointee,
        len(shape),
        index,
        static_shape=tuple(map(_known, shape)),
        static_strides=tuple(map(_known, strides)),
    )
    alias = pointer.alias if isinstance(pointer, PointerValue) else None
    return make_array(tracer, spec, "from_foreign()", alias, pointer.value, values[: len(shape)], values[len(shape) :])


@implements("foreign_pointer_dtype")
def foreign_pointer_dtype(tracer: Tracer, pointee_dtype: Any) -> DType:
    return pointer_to(require_dtype(pointee_dtype, "pointee_dtype"))


@implements("Array.get_raw_memory")
def get_raw_memory(tracer: Tracer, array: Any) -> RawMemoryValue:
    return RawMemoryValue(require_array(array, "get_raw_memory"))


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
    type = GatherScatterViewType(array.view_type, shape, sparse[0], padding)
    view = tracer.emit("make_gather_scatter_view", [array.view], [type])
    return view.results[0], operands, shape


@implements("load_advanced_indexing")
def load_advanced_indexing(
    tracer: Tracer, array: Any, indices: Any, padding_mode: Any, latency: Any, allow_tma: Any
) -> TileValue:
    array = require_array(array, "load_advanced_indexing")
    view, operands, shape = _gather_scatter_view(tracer, array, indices, check_padding(padding_mode, array.dtype))
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    return emit_load(tracer, view, operands, array, shape, attributes | hints_attribute(latency, allow_tma))


@implements("store_advanced_indexing")
def store_advanced_indexing(tracer: Tracer, array: Any, indices: Any, tile: Any, latency: Any, allow_tma: Any) -> None:
    array = require_array(array, "store_advanced_indexing")
    view, operands, shape = _gather_scatter_view(tracer, array, indices, PaddingMode.UNDETERMINED)
    tile = value_to_store(tracer, tile, array)
    if tile.shape != shape:
        raise TileTypeError(f"the tile has shape {tile.shape}; expected {shape}, the shape of the indices")
    attributes = ordering_attributes(MemoryOrder.WEAK, MemoryScope.NONE, (MemoryOrder.WEAK,))
    emit_store(tracer, tile, view, operands, array, attributes | hints_attribute(latency, allow_tma))
