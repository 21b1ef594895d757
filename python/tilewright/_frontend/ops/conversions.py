# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dtype conversion and broadcasting, the steps before every elementwise operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import Attributes, ComparisonOrdering, ComparisonPredicate, Signedness
from tilewright._frontend.values.kinds import Number, TileValue, describe, is_number
from tilewright.dtypes import (
    Category,
    DType,
    bool_,
    dtype_of_literal,
    float8_e8m0fnu,
    float32,
    promote,
    promote_with_literal,
)
from tilewright.errors import TileTypeError, TileValueError
from tilewright.modes import RoundingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def signedness(dtype: DType) -> Signedness:
    return Signedness.SIGNED if dtype.signed and not dtype.is_bool else Signedness.UNSIGNED


_IEEE = (RoundingMode.RN, RoundingMode.RZ, RoundingMode.RM, RoundingMode.RP)
# Bits of the significand, and the least and the greatest exponent, of the formats of floats.
_FORMATS = {
    "f4E2M1FN": (2, 0, 2), "f8E4M3FN": (4, -6, 8), "f8E5M2": (3, -14, 15), "fnv8E5M3FNU": (4, -14, 16),
    "f8E8M0FNU": (1, -127, 127), "f16": (11, -14, 15), "bf16": (8, -126, 127), "tf32": (11, -126, 127),
    "f32": (24, -126, 127), "f64": (53, -1022, 1023),
}  # fmt: skip


def conversion_modes(source: DType, target: DType) -> tuple[RoundingMode, ...]:
    """Rounding modes of a conversion between floats: those with an instruction on targets, or all if it is exact. The
    first is that of a conversion without a mode."""
    bits, least, most = _FORMATS[source.ir_name]
    wide_bits, wide_least, wide_most = _FORMATS[target.ir_name]
    if target.ir_name == "f8E8M0FNU":
        return (RoundingMode.RZ, RoundingMode.RP)
    if target.ir_name not in ("f16", "bf16", "tf32", "f32", "f64"):
        return (RoundingMode.RN,)
    if (source.ir_name, target.ir_name) == ("f64", "f32"):
        return _IEEE
    if (source.ir_name, target.ir_name) == ("f32", "tf32"):
        return (RoundingMode.RN, RoundingMode.RZ, RoundingMode.RA)
    if bits <= wide_bits and wide_least <= least and most <= wide_most:
        return (*_IEEE, RoundingMode.RA)
    return (RoundingMode.RN, RoundingMode.RZ)


def convert(tracer: Tracer, x: TileValue, dtype: DType, mode: RoundingMode | None = None) -> TileValue:
    """`x` in another dtype."""
    source = x.dtype
    if source is dtype:
        return x
    if source.is_pointer or dtype.is_pointer:
        raise TileTypeError(f"{source} does not convert to {dtype}; a pointer keeps its dtype")
    if x.constant is not None and mode in (None, RoundingMode.RN):
        return tracer.constant(x.constant, dtype)
    if dtype is float8_e8m0fnu and mode not in (RoundingMode.RZ, RoundingMode.RP):
        raise TileTypeError(f"{source} does not round to the nearest {dtype}; expected rounding_mode RZ or RP")
    if dtype.is_bool:
        return _is_nonzero(tracer, x)
    if not source.is_float and not dtype.is_float:
        return _between_integers(tracer, x, dtype)
    if source.is_float and dtype.is_float:
        attributes = {"rounding_mode": mode} if mode not in (None, RoundingMode.RN) else {}
        return tracer.emit_tile("ftof", [x], dtype, x.shape, attributes)
    if source.is_float:
        return tracer.emit_tile("ftoi", [x], dtype, x.shape, {"signedness": signedness(dtype)})
    if dtype.is_restricted:
        return convert(tracer, convert(tracer, x, float32), dtype)
    return tracer.emit_tile("itof", [x], dtype, x.shape, {"signedness": signedness(source)})


def _is_nonzero(tracer: Tracer, x: TileValue) -> TileValue:
    if x.dtype.is_restricted:
        x = convert(tracer, x, float32)
    zero = tracer.constant(0, x.dtype, x.shape)
    predicate: Attributes = {"comparison_predicate": ComparisonPredicate.NOT_EQUAL}
    if x.dtype.is_float:
        predicate["comparison_ordering"] = ComparisonOrdering.UNORDERED
        return tracer.emit_tile("cmpf", [x, zero], bool_, x.shape, predicate)
    predicate["signedness"] = signedness(x.dtype)
    return tracer.emit_tile("cmpi", [x, zero], bool_, x.shape, predicate)


def _between_integers(tracer: Tracer, x: TileValue, dtype: DType) -> TileValue:
    if x.dtype.bitwidth == dtype.bitwidth and not x.dtype.is_bool:
        return TileValue(x.value, dtype, x.shape)  # integers of the IR have no sign
    if x.dtype.is_bool or x.dtype.bitwidth < dtype.bitwidth:
        return tracer.emit_tile("exti", [x], dtype, x.shape, {"signedness": signedness(x.dtype)})
    return tracer.emit_tile("trunci", [x], dtype, x.shape)


def coerce(tracer: Tracer, x: TileValue | Number, dtype: DType | None) -> TileValue:
    """A tile of `dtype` (None: of its own) from a tile or a number."""
    if isinstance(x, TileValue):
        return x if dtype is None else convert(tracer, x, dtype)
    return tracer.constant(x, dtype or dtype_of_literal(x))


def broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    rank = max(len(a), len(b))
    left, right = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    if any(x != y and x != 1 and y != 1 for x, y in zip(left, right, strict=True)):
        raise TileTypeError(
            f"shapes {a} and {b} do not broadcast; expected equal extents or 1 in each dimension, counted from the"
            " last: insert dimensions with t[:, None]"
        )
    return tuple(max(x, y) for x, y in zip(left, right, strict=True))


def broadcast(tracer: Tracer, x: TileValue, shape: tuple[int, ...]) -> TileValue:
    """`x` repeated to `shape`, to which it must broadcast."""
    if x.shape == shape:
        return x
    if broadcast_shapes(x.shape, shape) != shape:
        raise TileTypeError(f"a tile of shape {x.shape} does not broadcast to {shape}")
    if x.constant is not None:
        return tracer.constant(x.constant, x.dtype, shape)
    if len(x.shape) < len(shape):
        x = tracer.emit_tile("reshape", [x], x.dtype, (1,) * (len(shape) - len(x.shape)) + x.shape)
    return x if x.shape == shape else tracer.emit_tile("broadcast", [x], x.dtype, shape)


def coerce_to(tracer: Tracer, x: TileValue | Number, dtype: DType, shape: tuple[int, ...]) -> TileValue:
    """A tile of `dtype` and `shape` from a tile or a number."""
    if not isinstance(x, TileValue):
        return tracer.constant(x, dtype, shape)
    return broadcast(tracer, convert(tracer, x, dtype), shape)


def shape_of(x: Any) -> tuple[int, ...]:
    return x.shape if isinstance(x, TileValue) else ()


def dtype_of(x: Any) -> DType:
    return x.dtype if isinstance(x, TileValue) else dtype_of_literal(x)


def common_dtype(x: TileValue | Number, y: TileValue | Number, to_float: bool = False) -> DType:
    """Dtype of an operation on both; a number adapts to a tile."""
    if isinstance(x, TileValue) and isinstance(y, TileValue):
        return promote(x.dtype, y.dtype, to_float)
    if isinstance(x, TileValue):
        return promote_with_literal(x.dtype, y, to_float)
    if isinstance(y, TileValue):
        return promote_with_literal(y.dtype, x, to_float)
    return promote(dtype_of_literal(x), dtype_of_literal(y), to_float)


def implicit(tracer: Tracer, x: Any, dtype: DType, what: str) -> TileValue:
    """`x` converted to `dtype` if its kind loses no information, as for indices, masks and atomics."""
    if is_number(x):
        literal = dtype_of_literal(x)
        is_flag = dtype.is_bool and literal.is_integral and x in (0, 1)
        if literal.category > min(dtype.category, Category.FLOAT) and not is_flag:
            raise TileTypeError(f"{what} is {describe(x)}; expected a value of dtype {dtype}: cast it explicitly")
        if dtype.is_integral and not dtype.is_bool:
            low, high = dtype.integer_range
            if not low <= x <= high:
                raise TileValueError(f"{what} is {x}, out of range of {dtype}; expected {low} to {high}")
        return tracer.constant(x, dtype)
    if not isinstance(x, TileValue):
        raise TileTypeError(f"{what} is a {describe(x)}; expected a tile or number of dtype {dtype}")
    if x.dtype is not dtype and (x.dtype.is_restricted or dtype.is_restricted or promote(x.dtype, dtype) is not dtype):
        raise TileTypeError(f"{what} has dtype {x.dtype}; expected {dtype}: cast it with astype()")
    return convert(tracer, x, dtype)
