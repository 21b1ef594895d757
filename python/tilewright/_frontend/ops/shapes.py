# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shape, dtype and part of a tile."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import scalar
from tilewright._frontend.ops.conversions import broadcast, coerce, conversion_modes, convert
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values.arguments import (
    check_shape,
    require_axis,
    require_dtype,
    require_enum,
    require_index,
    require_ints,
    require_shape,
    require_tile,
)
from tilewright._frontend.values.kinds import TileValue, describe
from tilewright.dtypes import DType, int32, int64, tfloat32, uint8
from tilewright.errors import TileTypeError
from tilewright.modes import RoundingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def reshape_to(tracer: Tracer, x: TileValue, shape: tuple[int, ...]) -> TileValue:
    return x if x.shape == shape else tracer.emit_tile("reshape", [x], x.dtype, shape)


@implements("reshape")
def reshape(tracer: Tracer, x: Any, shape: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of reshape()")
    extents = list(require_ints(shape, "shape"))
    size = math.prod(x.shape)
    if extents.count(-1) > 1:
        raise TileTypeError(f"shape {tuple(extents)} has several -1; expected at most one")
    if -1 in extents:
        rest = math.prod(e for e in extents if e != -1)
        if rest == 0 or size % rest:
            raise TileTypeError(f"{size} elements do not fill shape {tuple(extents)}")
        extents[extents.index(-1)] = size // rest
    check_shape(tuple(extents), "shape")
    if math.prod(extents) != size:
        raise TileTypeError(
            f"shape {tuple(extents)} has {math.prod(extents)} elements; expected the {size} of {x.shape}"
        )
    return reshape_to(tracer, x, tuple(extents))


@implements("expand_dims")
def expand_dims(tracer: Tracer, x: Any, axis: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of expand_dims()")
    if not isinstance(axis, int) and not isinstance(axis, TileValue):
        from tilewright._frontend.values.arguments import slice_of

        return slice_of(tracer, x, axis)
    position = require_axis(axis, len(x.shape) + 1)
    return reshape_to(tracer, x, (*x.shape[:position], 1, *x.shape[position:]))


@implements("broadcast_to")
def broadcast_to(tracer: Tracer, x: Any, shape: Any) -> TileValue:
    return broadcast(tracer, require_tile(tracer, x, "the argument of broadcast_to()"), require_shape(shape))


@implements("permute")
def permute(tracer: Tracer, x: Any, axes: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of permute()")
    rank = len(x.shape)
    order = tuple(require_axis(a, rank, "axes") for a in require_ints(axes, "axes"))
    if sorted(order) != list(range(rank)):
        raise TileTypeError(f"axes {order} is no order of the {rank} dimensions; expected each one once")
    if order == tuple(range(rank)):
        return x
    return tracer.emit_tile("permute", [x], x.dtype, tuple(x.shape[a] for a in order), {"permutation": order})


@implements("transpose")
def transpose(tracer: Tracer, x: Any, axis0: Any, axis1: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of transpose()")
    rank = len(x.shape)
    if axis0 is None and axis1 is None:
        if rank != 2:
            raise TileTypeError(
                f"transpose() of a {describe(x)} needs axis0 and axis1; without them it takes 2 dimensions"
            )
        axis0, axis1 = 0, 1
    elif axis0 is None or axis1 is None:
        raise TileTypeError("transpose() takes both axis0 and axis1, or neither")
    order = list(range(rank))
    first, second = require_axis(axis0, rank, "axis0"), require_axis(axis1, rank, "axis1")
    order[first], order[second] = order[second], order[first]
    return permute(tracer, x, tuple(order))


@implements("cat")
def cat(tracer: Tracer, tiles: Any, axis: Any) -> TileValue:
    if not isinstance(tiles, tuple) or len(tiles) not in (1, 2) or not all(isinstance(t, TileValue) for t in tiles):
        raise TileTypeError(f"cat() takes a tuple of two tiles, found a {describe(tiles)}")
    if len(tiles) == 1:
        return tiles[0]
    x, y = tiles
    if x.dtype is not y.dtype:
        raise TileTypeError(f"cat() of {x.dtype} and {y.dtype}; expected one dtype: cast one side with astype()")
    if len(x.shape) != len(y.shape):
        raise TileTypeError(f"cat() of shapes {x.shape} and {y.shape}; expected equal ranks")
    position = require_axis(axis, len(x.shape))
    if any(a != b for i, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)) if i != position):
        raise TileTypeError(f"cat() of shapes {x.shape} and {y.shape}; expected equal extents but at axis {position}")
    shape = tuple(a + b if i == position else a for i, (a, b) in enumerate(zip(x.shape, y.shape, strict=True)))
    check_shape(shape, "the shape of cat()")
    return tracer.emit_tile("cat", [x, y], x.dtype, shape, {"dim": scalar(position, int64)})


@implements("astype")
def astype(tracer: Tracer, x: Any, dtype: Any, rounding_mode: Any = None) -> TileValue:
    x = require_tile(tracer, x, "the argument of astype()")
    target = require_dtype(dtype)
    if rounding_mode is not None:
        require_enum(rounding_mode, RoundingMode, "rounding_mode")
        if not x.dtype.is_float or not target.is_float:
            raise TileTypeError(f"rounding_mode is for conversions between floats; found {x.dtype} to {target}")
        modes = conversion_modes(x.dtype, target)
        if x.dtype is not target and rounding_mode not in modes:
            expected = ", ".join(mode.name for mode in modes)
            raise TileTypeError(f"rounding_mode {rounding_mode.name} of {x.dtype} to {target}; expected {expected}")
    return convert(tracer, x, target, rounding_mode)


@implements("bitcast")
def bitcast(tracer: Tracer, x: Any, dtype: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of bitcast()")
    target: DType = require_dtype(dtype)
    if x.dtype.is_bool or target.is_bool or x.dtype.bitwidth != target.bitwidth:
        raise TileTypeError(
            f"bitcast() from {x.dtype} ({x.dtype.bitwidth} bits) to {target} ({target.bitwidth} bits); expected equal"
            " widths and no bool_"
        )
    if x.dtype is not target and tfloat32 in (x.dtype, target):
        raise TileTypeError(
            f"bitcast() from {x.dtype} to {target}; expected no tfloat32, whose 19 bits have no set place: use astype()"
        )
    return _reread(tracer, x, target)


def _reread(tracer: Tracer, x: TileValue, target: DType) -> TileValue:
    if x.dtype is target:
        return x
    if x.dtype.ir_name == target.ir_name:
        return TileValue(x.value, target, x.shape)
    return tracer.emit_tile("bitcast", [x], target, x.shape)


@implements("pack_to_bytes")
def pack_to_bytes(tracer: Tracer, x: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of pack_to_bytes()")
    flat = reshape_to(tracer, x, (math.prod(x.shape),))
    bits = flat.shape[0] * x.dtype.bitwidth
    if x.dtype.is_bool or bits % 8:
        raise TileTypeError(f"pack_to_bytes() of a {describe(x)}; expected whole bytes and no bool_")
    if x.dtype.bitwidth == 8:
        return _reread(tracer, flat, uint8)
    return tracer.emit_tile("pack", [flat], uint8, (bits // 8,))


@implements("unpack_from_bytes")
def unpack_from_bytes(tracer: Tracer, x: Any, dtype: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of unpack_from_bytes()")
    target = require_dtype(dtype)
    if len(x.shape) != 1 or x.dtype is not uint8:
        raise TileTypeError(f"unpack_from_bytes() of a {describe(x)}; expected a 1-D uint8 tile")
    bits = x.shape[0] * 8
    if target.is_bool or bits % target.bitwidth:
        raise TileTypeError(f"{x.shape[0]} bytes are no whole number of {target} elements")
    if target.bitwidth == 8:
        return _reread(tracer, x, target)
    return tracer.emit_tile("unpack", [x], target, (bits // target.bitwidth,))


def _grid_index(
    tracer: Tracer, index: Any, part: tuple[int, ...], whole: tuple[int, ...], function: str
) -> list[TileValue]:
    """The index of a part of a tile, which has to lie inside if it is known."""
    if len(part) != len(whole):
        raise TileTypeError(f"{function}() of shape {part} with a tile of shape {whole}; expected equal ranks")
    if any(w % p for p, w in zip(part, whole, strict=True)):
        raise TileTypeError(f"{function}() of shape {part} does not divide the tile of shape {whole}")
    items = index if isinstance(index, tuple) else (index,)
    if len(items) != len(whole):
        raise TileTypeError(f"index has {len(items)} entries; expected one per dimension: {len(whole)}")
    tiles = [coerce(tracer, require_index(i, "index"), int32) for i in items]
    for axis, (tile, p, w) in enumerate(zip(tiles, part, whole, strict=True)):
        if tile.constant is not None and not 0 <= tile.constant < w // p:
            raise TileTypeError(
                f"index {tile.constant} at dimension {axis}; expected 0 to {w // p - 1}: {function}() counts parts of"
                f" shape {part} in the tile of shape {whole}, not elements"
            )
    return tiles


@implements("extract")
def extract(tracer: Tracer, x: Any, index: Any, shape: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of extract()")
    extents = require_shape(shape)
    part = extents or (1,) * len(x.shape)
    result = tracer.emit_tile("extract", [x, *_grid_index(tracer, index, part, x.shape, "extract")], x.dtype, part)
    return reshape_to(tracer, result, extents)


@implements("insert")
def insert(tracer: Tracer, x: Any, index: Any, value: Any) -> TileValue:
    x = require_tile(tracer, x, "the argument of insert()")
    value = require_tile(tracer, value, "the inserted value")
    if value.dtype is not x.dtype:
        raise TileTypeError(f"insert() of {value.dtype} into a tile of {x.dtype}; expected {x.dtype}: use astype()")
    if not value.shape:
        value = broadcast(tracer, value, (1,) * len(x.shape))
    tiles = _grid_index(tracer, index, value.shape, x.shape, "insert")
    return tracer.emit_tile("insert", [value, x, *tiles], x.dtype, x.shape)
