# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of arguments, each with an error that names the parameter and says what it expects."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, TypeVar

from tilewright._frontend.values.kinds import ArrayValue, TileValue, describe, is_number
from tilewright.dtypes import DType, dtype_of_literal, find_dtype
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

E = TypeVar("E", bound=enum.Enum)

MAX_TILE_ELEMENTS = 1 << 24


def require_array(value: Any, function: str) -> ArrayValue:
    if not isinstance(value, ArrayValue):
        raise TileTypeError(f"{function}() takes an array first, found a {describe(value)}")
    return value


def require_tile(tracer: Tracer, value: Any, what: str) -> TileValue:
    """A tile; a Python number becomes a scalar tile."""
    if isinstance(value, TileValue):
        return value
    if is_number(value):
        return tracer.constant(value, dtype_of_literal(value))
    raise TileTypeError(f"{what} is a {describe(value)}; expected a tile or a number")


def require_tuple(value: Any, what: str) -> tuple[Any, ...]:
    if not isinstance(value, (tuple, range)):
        raise TileTypeError(f"{what} is a {describe(value)}; expected a tuple")
    return tuple(value)


def require_constant_int(value: Any, what: str) -> int:
    if isinstance(value, TileValue) and isinstance(value.constant, int):
        value = value.constant
    if isinstance(value, TileValue):
        raise TileTypeError(
            f"{what} is known at run time only; expected a compile-time integer: annotate the kernel parameter with"
            " Constant[int]"
        )
    if isinstance(value, bool) or not isinstance(value, int):
        raise TileTypeError(f"{what} is a {describe(value)}; expected a compile-time integer")
    return value


def require_constant_bool(value: Any, what: str) -> bool:
    if isinstance(value, TileValue) and isinstance(value.constant, bool):
        value = value.constant
    if not isinstance(value, bool):
        raise TileTypeError(f"{what} is a {describe(value)}; expected a compile-time bool")
    return value


def require_enum(value: Any, kind: type[E], what: str) -> E:
    if not isinstance(value, kind):
        raise TileTypeError(
            f"{what} is a {describe(value)}; expected a {kind.__name__}, for example {next(iter(kind))}"
        )
    return value


def require_dtype(value: Any, what: str = "dtype") -> DType:
    dtype = find_dtype(value)
    if dtype is None:
        raise TileTypeError(f"{what} is a {describe(value)}; expected a dtype, for example tilewright.float32")
    if dtype.is_pointer:
        raise TileTypeError(f"{what} is {dtype}; expected a dtype of numbers")
    return dtype


def require_int_scalar(value: Any, what: str) -> Any:
    """An integer: a Python int, or a scalar tile of integers."""
    if isinstance(value, TileValue):
        if value.shape:
            raise TileTypeError(f"{what} is a {describe(value)}; expected an integer scalar: use item() on one element")
        if not value.dtype.is_integral:
            raise TileTypeError(f"{what} is a {describe(value)}; expected an integer scalar: convert with astype()")
        return value
    return require_constant_int(value, what)


def require_index(value: Any, what: str) -> Any:
    """An integer that counts from the start of something: no unsigned tile, which would hide what is negative."""
    value = require_int_scalar(value, what)
    if isinstance(value, TileValue) and not value.dtype.signed:
        raise TileTypeError(f"{what} is a {describe(value)}; expected a signed integer: convert with astype()")
    return value


def require_ints(value: Any, what: str) -> tuple[int, ...]:
    """A compile-time integer or tuple of them, as a tuple."""
    items = value if isinstance(value, tuple) else (value,)
    return tuple(require_constant_int(item, what) for item in items)


def require_shape(value: Any, what: str = "shape") -> tuple[int, ...]:
    """A tile shape: every extent a power of two."""
    shape = require_ints(value, what)
    check_shape(shape, what)
    return shape


def check_shape(shape: tuple[int, ...], what: str) -> None:
    elements = 1
    for axis, extent in enumerate(shape):
        if extent <= 0 or extent & (extent - 1):
            larger = 1 << max(extent, 1).bit_length() if extent > 0 else 1
            raise TileTypeError(
                f"{what} {shape} has extent {extent} at axis {axis}; expected a power of two, for example {larger}:"
                " pad the tile (loads fill the rest with padding_mode)"
            )
        elements *= extent
    if elements > MAX_TILE_ELEMENTS:
        raise TileTypeError(f"{what} {shape} has {elements} elements; expected at most {MAX_TILE_ELEMENTS}")


def require_axis(value: Any, rank: int, what: str = "axis") -> int:
    axis = require_constant_int(value, what)
    if not -rank <= axis < rank:
        raise TileTypeError(f"{what} {axis} is out of range for {rank} dimensions; expected {-rank} to {rank - 1}")
    return axis % rank


def slice_of(tracer: Tracer, tile: TileValue, index: Any) -> TileValue:
    """`tile[:, None]`: insertion of dimensions of size 1."""
    from tilewright._frontend.ops.shapes import reshape_to

    parts = index if isinstance(index, tuple) else (index,)
    rank = len(tile.shape)
    explicit = sum(1 for p in parts if p is not None and p is not Ellipsis)
    if sum(p is Ellipsis for p in parts) > 1 or explicit > rank:
        raise TileTypeError(f"{explicit} indices for a {describe(tile)}; expected at most {rank}")
    shape: list[int] = []
    axes = iter(tile.shape)
    for part in parts:
        if part is None:
            shape.append(1)
        elif part is Ellipsis:
            shape.extend(next(axes) for _ in range(rank - explicit))
        elif isinstance(part, slice) and part.start is part.stop is part.step is None:
            shape.append(next(axes))
        else:
            raise TileTypeError(
                "a tile is indexed by ':' and None only, which insert dimensions; take parts with extract(), elements"
                " with gather() or a masked sum"
            )
    return reshape_to(tracer, tile, (*shape, *axes))
