# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise access through tiles of pointers: gather, scatter, raw memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import Attributes, ComparisonPredicate, Signedness
from tilewright._frontend.ir.program import MemoryAccess, Value
from tilewright._frontend.ir.types import TOKEN, tile_type
from tilewright._frontend.ops.conversions import broadcast, broadcast_shapes, coerce, convert, implicit
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.ops.memory import hints_attribute, value_to_store
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values.arguments import require_array, require_constant_bool, require_tile
from tilewright._frontend.values.kinds import ArrayValue, RawMemoryValue, TileValue, describe, is_number
from tilewright.dtypes import bool_, int32, int64, pointer_to
from tilewright.errors import TileTypeError
from tilewright.modes import MemoryOrder

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

WEAK: Attributes = {"memory_ordering_semantics": MemoryOrder.WEAK}


def index_tiles(tracer: Tracer, indices: Any, rank: int, name: str) -> tuple[list[TileValue], tuple[int, ...]]:
    """One integer tile per axis, and the shape they broadcast to."""
    parts = indices if isinstance(indices, tuple) else (indices,)
    if len(parts) != rank:
        raise TileTypeError(f"{len(parts)} indices; array {name!r} has {rank} axes: expected one each")
    tiles, shape = [], ()
    for part in parts:
        tile = require_tile(tracer, part, "an index")
        if not tile.dtype.is_integral:
            raise TileTypeError(f"an index is a {describe(tile)}; expected integers: convert with astype()")
        tiles.append(tile)
        shape = broadcast_shapes(shape, tile.shape)
    return tiles, shape


def _widened(tracer: Tracer, x: Any, shape: tuple[int, ...]) -> TileValue:
    return broadcast(tracer, coerce(tracer, x, int64), shape)


def offsets_and_bounds(
    tracer: Tracer, array: ArrayValue, tiles: list[TileValue], shape: tuple[int, ...], check: bool
) -> tuple[TileValue, TileValue | None]:
    """Element offsets from the array's first element, and where the indices lie inside of the array (None: all)."""
    offset: TileValue | None = None
    inside: TileValue | None = None
    for tile, extent, stride in zip(tiles, array.shape, array.strides, strict=True):
        # Work in the shape of this index: only the sum is of full shape.
        index = convert(tracer, tile, int64)
        if check:
            # As unsigned numbers, negative indices lie beyond every extent.
            within = unsigned_less(tracer, index, _widened(tracer, extent, index.shape))
            inside = within if inside is None else binary(tracer, "bitwise_and", inside, within)
        step = index if stride.constant == 1 else binary(tracer, "mul", index, _widened(tracer, stride, index.shape))
        offset = step if offset is None else binary(tracer, "add", offset, step)
    if offset is None:  # the one element of an array without axes
        offset = tracer.constant(0, int32)
    return broadcast(tracer, offset, shape), None if inside is None else broadcast(tracer, inside, shape)


def unsigned_less(tracer: Tracer, x: TileValue, y: TileValue) -> TileValue:
    attributes: Attributes = {
        "comparison_predicate": ComparisonPredicate.LESS,
        "signedness": Signedness.UNSIGNED,
    }
    return tracer.emit_tile("cmpi", [x, y], bool_, x.shape, attributes)


def pointers(tracer: Tracer, array: ArrayValue, offset: TileValue) -> Value:
    """Addresses of the elements at `offset`."""
    base = array.pointer
    if offset.shape and array.dtype.bitwidth == 4:
        raise TileTypeError(f"two {array.dtype} of array {array.name!r} share an address; expected load() or store()")
    if offset.shape:
        ones = tile_type(pointer_to(array.dtype), (1,) * len(offset.shape))
        base = tracer.emit("reshape", [base], [ones]).results[0]
        type = tile_type(pointer_to(array.dtype), offset.shape)
        if type != ones:
            base = tracer.emit("broadcast", [base], [type]).results[0]
    return tracer.emit("offset", [base, offset.value], [tile_type(pointer_to(array.dtype), offset.shape)]).results[0]


def combined_mask(tracer: Tracer, inside: TileValue | None, mask: Any, shape: tuple[int, ...]) -> TileValue | None:
    if mask is None:
        return inside
    if is_number(mask) and not isinstance(mask, bool):
        raise TileTypeError(f"mask is {describe(mask)}; expected a value of dtype bool_: compare it")
    tile = implicit(tracer, mask, bool_, "mask")
    tile = broadcast(tracer, tile, shape)
    return tile if inside is None else binary(tracer, "bitwise_and", inside, tile)


def load_pointers(
    tracer: Tracer,
    array: ArrayValue,
    offset: TileValue,
    mask: TileValue | None,
    padding_value: Any,
    hints: Attributes,
) -> TileValue:
    shape = offset.shape
    operands, segments = [pointers(tracer, array, offset)], [1, 0, 0, 0]
    if mask is not None:
        padding = implicit(tracer, padding_value, array.dtype, "padding_value")
        operands += [mask.value, broadcast(tracer, padding, shape).value]
        segments[1] = segments[2] = 1
    op = tracer.emit(
        "load_ptr_tko",
        operands,
        [tile_type(array.dtype, shape), TOKEN],
        WEAK | hints,
        segments=segments,
        memory=MemoryAccess(array.alias, False),
    )
    return TileValue(op.results[0], array.dtype, shape)


def store_pointers(
    tracer: Tracer, array: ArrayValue, offset: TileValue, value: Any, mask: TileValue | None, hints: Attributes
) -> None:
    tile = broadcast(tracer, value_to_store(tracer, value, array), offset.shape)
    operands = [pointers(tracer, array, offset), tile.value]
    if mask is not None:
        operands.append(mask.value)
    tracer.emit(
        "store_ptr_tko",
        operands,
        [TOKEN],
        WEAK | hints,
        segments=[1, 1, int(mask is not None), 0],
        memory=MemoryAccess(array.alias, True),
    )


@implements("gather")
def gather(
    tracer: Tracer, array: Any, indices: Any, mask: Any, padding_value: Any, check_bounds: Any, latency: Any
) -> TileValue:
    array = require_array(array, "gather")
    check = require_constant_bool(check_bounds, "check_bounds")
    tiles, shape = index_tiles(tracer, indices, array.ndim, array.name)
    offset, inside = offsets_and_bounds(tracer, array, tiles, shape, check)
    return load_pointers(
        tracer, array, offset, combined_mask(tracer, inside, mask, shape), padding_value, hints_attribute(latency)
    )


@implements("scatter")
def scatter(tracer: Tracer, array: Any, indices: Any, value: Any, mask: Any, check_bounds: Any, latency: Any) -> None:
    array = require_array(array, "scatter")
    check = require_constant_bool(check_bounds, "check_bounds")
    tiles, shape = index_tiles(tracer, indices, array.ndim, array.name)
    offset, inside = offsets_and_bounds(tracer, array, tiles, shape, check)
    store_pointers(tracer, array, offset, value, combined_mask(tracer, inside, mask, shape), hints_attribute(latency))


def raw_offset(tracer: Tracer, offset: Any) -> TileValue:
    tile = require_tile(tracer, offset, "offset")
    if not tile.dtype.is_integral:
        raise TileTypeError(f"offset is a {describe(tile)}; expected integers")
    return tile if tile.dtype in (int32, int64) else convert(tracer, tile, int64)


@implements("RawArrayMemory.load_offset")
def load_offset(
    tracer: Tracer, memory: RawMemoryValue, offset: Any, mask: Any, padding_value: Any, latency: Any
) -> TileValue:
    tile = raw_offset(tracer, offset)
    lanes = combined_mask(tracer, None, mask, tile.shape)
    return load_pointers(tracer, memory.array, tile, lanes, padding_value, hints_attribute(latency))


@implements("RawArrayMemory.store_offset")
def store_offset(tracer: Tracer, memory: RawMemoryValue, offset: Any, value: Any, mask: Any, latency: Any) -> None:
    tile = raw_offset(tracer, offset)
    lanes = combined_mask(tracer, None, mask, tile.shape)
    store_pointers(tracer, memory.array, tile, value, lanes, hints_attribute(latency))
