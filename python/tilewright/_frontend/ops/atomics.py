# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic read-modify-write of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import AtomicMode, Attributes
from tilewright._frontend.ir.program import MemoryAccess
from tilewright._frontend.ir.types import TOKEN, tile_type
from tilewright._frontend.ops.arrays import view_of
from tilewright._frontend.ops.conversions import broadcast, implicit
from tilewright._frontend.ops.memory import index_operands, ordering_attributes
from tilewright._frontend.ops.pointers import combined_mask, index_tiles, offsets_and_bounds, pointers, raw_offset
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.ops.shapes import reshape_to
from tilewright._frontend.values.arguments import require_array, require_constant_bool, require_tile
from tilewright._frontend.values.kinds import ArrayValue, RawMemoryValue, TiledViewValue, TileValue
from tilewright.dtypes import DType, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from tilewright.errors import TileTypeError
from tilewright.modes import MemoryOrder, MemoryScope

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

_ORDERS = (MemoryOrder.RELAXED, MemoryOrder.ACQUIRE, MemoryOrder.RELEASE, MemoryOrder.ACQ_REL)


_INTEGERS = (int32, uint32, int64, uint64)
_WORDS = (*_INTEGERS, float32, float64)
_DTYPES = {"add": (*_WORDS, float16, bfloat16), "xchg": _WORDS, "cas": _WORDS}


def _require_dtype(name: str, dtype: DType) -> None:
    legal = _DTYPES.get(name, _INTEGERS)
    if dtype not in legal:
        raise TileTypeError(
            f"atomic_{name} of {dtype} is not defined; expected an array of {', '.join(str(each) for each in legal)}"
        )


def _mode(name: str, dtype: DType) -> AtomicMode:
    _require_dtype(name, dtype)
    if name == "add":
        return AtomicMode.ADDF if dtype.is_float else AtomicMode.ADD
    return AtomicMode("u" + name if name in ("max", "min") and not dtype.signed else name)


def _operand(tracer: Tracer, name: str, value: Any, dtype: DType) -> TileValue:
    """The operand that an atomic combines with elements of `dtype`. Bits are combined with those of the same dtype."""
    if name in ("and", "or", "xor"):
        value = require_tile(tracer, value, f"the update of atomic_{name}")
        if value.dtype is not dtype:
            raise TileTypeError(f"atomic_{name} of {dtype} with {value.dtype}; expected {dtype}: use astype()")
    return implicit(tracer, value, dtype, f"the value of atomic_{name}")


def _emit(
    tracer: Tracer,
    op_name: str,
    array: ArrayValue,
    offset: TileValue,
    values: list[TileValue],
    mask: TileValue | None,
    attributes: Attributes,
) -> TileValue:
    shape = offset.shape
    tiles = [broadcast(tracer, value, shape) for value in values]
    operands = [pointers(tracer, array, offset), *(t.value for t in tiles)]
    if mask is not None:
        operands.append(mask.value)
    op = tracer.emit(
        op_name,
        operands,
        [tile_type(array.dtype, shape), TOKEN],
        attributes,
        segments=[1] * (1 + len(tiles)) + [int(mask is not None), 0],
        memory=MemoryAccess(array.alias, True, attributes["memory_ordering_semantics"]),
    )
    return TileValue(op.results[0], array.dtype, shape)


def _register(name: str) -> None:
    @implements(f"atomic_{name}")
    def indexed(
        tracer: Tracer, array: Any, indices: Any, update: Any, check_bounds: Any, memory_order: Any, memory_scope: Any
    ) -> TileValue:
        array = require_array(array, f"atomic_{name}")
        attributes = ordering_attributes(memory_order, memory_scope, _ORDERS)
        attributes["mode"] = _mode(name, array.dtype)
        tiles, shape = index_tiles(tracer, indices, array.ndim, array.name)
        check = require_constant_bool(check_bounds, "check_bounds")
        offset, inside = offsets_and_bounds(tracer, array, tiles, shape, check)
        value = _operand(tracer, name, update, array.dtype)
        return _emit(tracer, "atomic_rmw_tko", array, offset, [value], inside, attributes)

    @implements(f"RawArrayMemory.atomic_{name}_offset")
    def raw(
        tracer: Tracer,
        memory: RawMemoryValue,
        offset: Any,
        update: Any,
        mask: Any,
        memory_order: Any,
        memory_scope: Any,
    ) -> TileValue:
        attributes = ordering_attributes(memory_order, memory_scope, _ORDERS)
        attributes["mode"] = _mode(name, memory.dtype)
        tile = raw_offset(tracer, offset)
        lanes = combined_mask(tracer, None, mask, tile.shape)
        value = _operand(tracer, name, update, memory.dtype)
        return _emit(tracer, "atomic_rmw_tko", memory.array, tile, [value], lanes, attributes)


for _name in ("xchg", "add", "max", "min", "and", "or", "xor"):
    _register(_name)


@implements("atomic_cas")
def atomic_cas(
    tracer: Tracer,
    array: Any,
    indices: Any,
    expected: Any,
    desired: Any,
    check_bounds: Any,
    memory_order: Any,
    memory_scope: Any,
) -> TileValue:
    array = require_array(array, "atomic_cas")
    _require_dtype("cas", array.dtype)
    attributes = ordering_attributes(memory_order, memory_scope, _ORDERS)
    tiles, shape = index_tiles(tracer, indices, array.ndim, array.name)
    check = require_constant_bool(check_bounds, "check_bounds")
    offset, inside = offsets_and_bounds(tracer, array, tiles, shape, check)
    values = [_operand(tracer, "cas", value, array.dtype) for value in (expected, desired)]
    return _emit(tracer, "atomic_cas_tko", array, offset, values, inside, attributes)


@implements("RawArrayMemory.atomic_cas_offset")
def atomic_cas_offset(
    tracer: Tracer,
    memory: RawMemoryValue,
    offset: Any,
    expected: Any,
    desired: Any,
    mask: Any,
    memory_order: Any,
    memory_scope: Any,
) -> TileValue:
    _require_dtype("cas", memory.dtype)
    attributes = ordering_attributes(memory_order, memory_scope, _ORDERS)
    tile = raw_offset(tracer, offset)
    lanes = combined_mask(tracer, None, mask, tile.shape)
    values = [_operand(tracer, "cas", value, memory.dtype) for value in (expected, desired)]
    return _emit(tracer, "atomic_cas_tko", memory.array, tile, values, lanes, attributes)


def _register_store(name: str) -> None:
    @implements(f"TiledView.atomic_store_{name}")
    def store(tracer: Tracer, view: TiledViewValue, index: Any, update: Any) -> None:
        attributes = ordering_attributes(MemoryOrder.RELAXED, MemoryScope.DEVICE, _ORDERS)
        attributes["mode"] = _mode(name, view.dtype)
        tile = broadcast(tracer, _operand(tracer, name, update, view.dtype), view.tile_shape)
        tile = reshape_to(tracer, tile, view.extents)
        indices = index_operands(tracer, index, view.array)
        tracer.emit(
            "atomic_red_view_tko",
            [view_of(tracer, view), *indices, tile.value],
            [TOKEN],
            attributes,
            segments=[1, len(indices), 1, 0],
            memory=MemoryAccess(view.array.alias, True, MemoryOrder.RELAXED),
        )


for _name in ("add", "max", "min", "and", "or", "xor"):
    _register_store(_name)
