# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise arithmetic, comparisons, bit operations and mathematical functions, driven by tables."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import UNIT, Attribute, Attributes, ComparisonOrdering, ComparisonPredicate
from tilewright._frontend.ops.conversions import (
    broadcast,
    broadcast_shapes,
    coerce,
    coerce_to,
    common_dtype,
    convert,
    dtype_of,
    shape_of,
    signedness,
)
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values.arguments import require_constant_bool, require_enum
from tilewright._frontend.values.kinds import TileValue, describe, is_number
from tilewright.dtypes import DType, bool_, float32, int8, int16, int32
from tilewright.errors import TileTypeError, TileValueError
from tilewright.modes import RoundingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

BASIC_MODES = (RoundingMode.RN, RoundingMode.RZ, RoundingMode.RM, RoundingMode.RP)


@dataclass(frozen=True)
class Arithmetic:
    """How a binary operation is written for floats and for integers (None: not defined), and its value on numbers."""

    symbol: str
    float_op: str | None
    int_op: str | None
    evaluate: Callable[[Any, Any], Any]
    attributes: tuple[tuple[str, Attribute], ...] = ()  # of the integer operation
    signed: bool = False  # the integer operation depends on the sign
    modes: tuple[RoundingMode, ...] = ()
    flushes: bool = False


@dataclass(frozen=True)
class Comparison:
    symbol: str
    predicate: ComparisonPredicate
    evaluate: Callable[[Any, Any], Any]


ARITHMETIC: dict[str, Arithmetic] = {
    "add": Arithmetic("+", "addf", "addi", operator.add, modes=BASIC_MODES, flushes=True),
    "sub": Arithmetic("-", "subf", "subi", operator.sub, modes=BASIC_MODES, flushes=True),
    "mul": Arithmetic("*", "mulf", "muli", operator.mul, modes=BASIC_MODES, flushes=True),
    "truediv": Arithmetic(
        "/", "divf", None, operator.truediv, modes=(*BASIC_MODES, RoundingMode.FULL, RoundingMode.APPROX), flushes=True
    ),
    "floordiv": Arithmetic("//", "divf", "divi", operator.floordiv, (("rounding", RoundingMode.RM),), signed=True),
    "cdiv": Arithmetic("cdiv", None, "divi", lambda x, y: -(-x // y), (("rounding", RoundingMode.RP),), signed=True),
    "mod": Arithmetic("%", "remf", "remi", operator.mod, signed=True),
    "pow": Arithmetic("**", "fpowf", None, operator.pow),
    "atan2": Arithmetic("atan2", "atan2", None, math.atan2),
    "minimum": Arithmetic("minimum", "minf", "mini", min, signed=True, flushes=True),
    "maximum": Arithmetic("maximum", "maxf", "maxi", max, signed=True, flushes=True),
}
COMPARISONS: dict[str, Comparison] = {
    "equal": Comparison("==", ComparisonPredicate.EQUAL, operator.eq),
    "not_equal": Comparison("!=", ComparisonPredicate.NOT_EQUAL, operator.ne),
    "less": Comparison("<", ComparisonPredicate.LESS, operator.lt),
    "less_equal": Comparison("<=", ComparisonPredicate.LESS_EQUAL, operator.le),
    "greater": Comparison(">", ComparisonPredicate.GREATER, operator.gt),
    "greater_equal": Comparison(">=", ComparisonPredicate.GREATER_EQUAL, operator.ge),
}
_BITWISE = {
    "bitwise_and": ("&", "andi", operator.and_),
    "bitwise_or": ("|", "ori", operator.or_),
    "bitwise_xor": ("^", "xori", operator.xor),
}
_SHIFTS = {"bitwise_lshift": ("<<", "shli", operator.lshift), "bitwise_rshift": (">>", "shri", operator.rshift)}


def binary(
    tracer: Tracer,
    name: str,
    x: Any,
    y: Any,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
    propagate_nan: bool = False,
) -> Any:
    """The operation `name` of two tiles or numbers, with promotion and broadcasting."""
    if name == "matmul":
        from tilewright._frontend.ops.matrix import matmul

        return matmul(tracer, x, y)
    _check_operands(name, x, y)
    if is_number(x) and is_number(y):
        return evaluate_numbers(_python_of(name), x, y)
    if name in COMPARISONS:
        return _compare(tracer, name, x, y)
    if name in _BITWISE:
        return _bitwise(tracer, name, x, y)
    if name in _SHIFTS:
        return _shift(tracer, name, x, y)
    if name == "pow" and (result := _integer_power(tracer, x, y)) is not None:
        return result
    return _arithmetic(tracer, name, x, y, rounding_mode, flush_to_zero, propagate_nan)


def _symbol(name: str) -> str:
    record = ARITHMETIC.get(name) or COMPARISONS.get(name)
    return record.symbol if record else (_BITWISE.get(name) or _SHIFTS[name])[0]


def _python_of(name: str) -> Callable[[Any, Any], Any]:
    record = ARITHMETIC.get(name) or COMPARISONS.get(name)
    return record.evaluate if record else (_BITWISE.get(name) or _SHIFTS[name])[2]


def _check_operands(name: str, x: Any, y: Any) -> None:
    for value, side in ((x, "left"), (y, "right")):
        if not isinstance(value, TileValue) and not is_number(value):
            raise TileTypeError(
                f"the {side} side of {_symbol(name)} is a {describe(value)}; expected a tile or a number"
            )
        if isinstance(value, TileValue) and value.dtype.is_pointer:
            raise TileTypeError(
                f"the {side} side of {_symbol(name)} is a {describe(value)}, which has no arithmetic; make an array of"
                " it with Array.from_foreign()"
            )


def evaluate_numbers(function: Callable[..., Any], *numbers: Any) -> Any:
    try:
        return function(*numbers)
    except TypeError as error:
        raise TileTypeError(str(error)) from None
    except (ValueError, ArithmeticError) as error:
        raise TileValueError(str(error)) from None


def _folded(tracer: Tracer, name: str, x: TileValue, y: TileValue, dtype: DType) -> TileValue | None:
    """The operation on two strictly typed constants of one dtype, evaluated by Python and wrapped or rounded to
    `dtype`; None if it is left to run time."""
    a, b = x.constant, y.constant
    if a is None or b is None or (name in ("minimum", "maximum") and (a != a or b != b)):
        return None
    if name in _SHIFTS:
        b = min(b, x.dtype.bitwidth)
    if name == "pow" and x.dtype.is_integral and b >= 0:
        return tracer.constant(pow(a, b, 1 << x.dtype.bitwidth), dtype)
    result = evaluate_numbers(_python_of(name), a, b)
    if isinstance(result, complex):
        raise TileValueError(f"{a} ** {b} is a complex number; expected a base of 0 or more, or an integer exponent")
    return tracer.constant(result, dtype)


def _arithmetic(
    tracer: Tracer, name: str, x: Any, y: Any, mode: RoundingMode | None, flush: bool, propagate_nan: bool
) -> TileValue:
    record = ARITHMETIC[name]
    for value in (x, y):
        if dtype_of(value).is_restricted:
            raise TileTypeError(f"{record.symbol} of {dtype_of(value)} is not defined; cast to float32 with astype()")
    dtype = common_dtype(x, y, to_float=record.int_op is None)
    shape = broadcast_shapes(shape_of(x), shape_of(y))
    if dtype.is_bool:
        raise TileTypeError(f"{record.symbol} of two bool_ values is not defined; use &, |, ^, or cast to int32")
    check_numerics(name, record.modes, record.flushes, mode, flush, dtype)
    x, y = coerce_to(tracer, x, dtype, shape), coerce_to(tracer, y, dtype, shape)
    if mode in (None, RoundingMode.RN) and not flush and (folded := _folded(tracer, name, x, y, dtype)) is not None:
        return folded
    if dtype.is_float:
        return _float_arithmetic(tracer, name, record, x, y, mode, flush, propagate_nan)
    if record.int_op is None:
        raise TileTypeError(f"{record.symbol} of {dtype} is not defined; cast to a float with astype()")
    attributes = dict(record.attributes)
    if record.signed:
        attributes["signedness"] = signedness(dtype)
    if name == "floordiv" and not dtype.signed:
        del attributes["rounding"]  # towards zero, the default, is the same
    result = tracer.emit_tile(record.int_op, [x, y], dtype, shape, attributes)
    return _with_sign_of(tracer, result, y) if name == "mod" and dtype.signed else result


def _float_arithmetic(
    tracer: Tracer,
    name: str,
    record: Arithmetic,
    x: TileValue,
    y: TileValue,
    mode: RoundingMode | None,
    flush: bool,
    propagate_nan: bool,
) -> TileValue:
    if record.float_op is None:
        raise TileTypeError(f"{record.symbol} of {x.dtype} is not defined; expected integers")
    attributes = {}
    if mode not in (None, RoundingMode.RN):
        attributes["rounding_mode"] = mode
    if flush:
        attributes["flush_to_zero"] = UNIT
    if propagate_nan:
        attributes["propagate_nan"] = UNIT
    result = tracer.emit_tile(record.float_op, [x, y], x.dtype, x.shape, attributes)
    if name == "floordiv":
        return tracer.emit_tile("floor", [result], x.dtype, x.shape)
    return _with_sign_of(tracer, result, y) if name == "mod" else result


def _with_sign_of(tracer: Tracer, remainder: TileValue, divisor: TileValue) -> TileValue:
    """Python's remainder has the sign of the divisor; the operation's has that of the dividend."""
    zero = tracer.constant(0, remainder.dtype, remainder.shape)
    signs_differ = binary(
        tracer, "bitwise_xor", binary(tracer, "less", remainder, zero), binary(tracer, "less", divisor, zero)
    )
    fix = binary(tracer, "bitwise_and", signs_differ, binary(tracer, "not_equal", remainder, zero))
    return select(tracer, fix, binary(tracer, "add", remainder, divisor), remainder)


def _integer_power(tracer: Tracer, x: Any, y: Any) -> TileValue | None:
    """A float to an integer that fits in int32: the exponent stays an integer. Integers of constants stay so, too."""
    base, exponent = dtype_of(x), dtype_of(y)
    if base.is_integral and exponent.is_integral:
        common = common_dtype(x, y)
        return _folded(tracer, "pow", coerce(tracer, x, common), coerce(tracer, y, common), common)
    if not base.is_float or base.is_restricted or not exponent.is_integral:
        return None
    low, high = exponent.integer_range
    fits = [t for t in (int8, int16, int32) if t.integer_range[0] <= low and high <= t.integer_range[1]]
    if not fits:
        return None
    shape = broadcast_shapes(shape_of(x), shape_of(y))
    operands = [coerce_to(tracer, x, base, shape), coerce_to(tracer, y, fits[0], shape)]
    if (folded := _folded(tracer, "pow", *operands, base)) is not None:
        return folded
    return tracer.emit_tile("fpowi", operands, base, shape)


def _compare(tracer: Tracer, name: str, x: Any, y: Any) -> TileValue:
    record = COMPARISONS[name]
    dtype = common_dtype(x, y)
    if dtype.is_restricted:
        raise TileTypeError(f"{record.symbol} of {dtype} is not defined; cast to float32 with astype()")
    shape = broadcast_shapes(shape_of(x), shape_of(y))
    operands = [coerce_to(tracer, x, dtype, shape), coerce_to(tracer, y, dtype, shape)]
    if (folded := _folded(tracer, name, *operands, bool_)) is not None:
        return folded
    attributes: Attributes = {"comparison_predicate": record.predicate}
    if dtype.is_float:
        is_unordered = record.predicate is ComparisonPredicate.NOT_EQUAL
        attributes["comparison_ordering"] = ComparisonOrdering.UNORDERED if is_unordered else ComparisonOrdering.ORDERED
        return tracer.emit_tile("cmpf", operands, bool_, shape, attributes)
    attributes["signedness"] = signedness(dtype)
    return tracer.emit_tile("cmpi", operands, bool_, shape, attributes)


def _bitwise(tracer: Tracer, name: str, x: Any, y: Any) -> TileValue:
    symbol, op, _ = _BITWISE[name]
    _check_bit_operands(symbol, x, y, allow_bool=True)
    if isinstance(x, TileValue) and isinstance(y, TileValue) and x.dtype is not y.dtype:
        raise TileTypeError(f"{symbol} of {x.dtype} and {y.dtype}; expected one dtype: cast one side with astype()")
    dtype = common_dtype(x, y)
    shape = broadcast_shapes(shape_of(x), shape_of(y))
    operands = [coerce_to(tracer, x, dtype, shape), coerce_to(tracer, y, dtype, shape)]
    if (folded := _folded(tracer, name, *operands, dtype)) is not None:
        return folded
    return tracer.emit_tile(op, operands, dtype, shape)


def _shift(tracer: Tracer, name: str, x: Any, y: Any) -> TileValue:
    symbol, op, _ = _SHIFTS[name]
    _check_bit_operands(symbol, x, y, allow_bool=False)
    dtype = common_dtype(x, y)
    shape = broadcast_shapes(shape_of(x), shape_of(y))
    attributes = {"signedness": signedness(dtype)} if op == "shri" else {}
    operands = [coerce_to(tracer, x, dtype, shape), coerce_to(tracer, y, dtype, shape)]
    if (folded := _folded(tracer, name, *operands, dtype)) is not None:
        return folded
    return tracer.emit_tile(op, operands, dtype, shape, attributes)


def _check_bit_operands(symbol: str, x: Any, y: Any, allow_bool: bool) -> None:
    for value in (x, y):
        dtype = dtype_of(value)
        if not dtype.is_integral and not (allow_bool and dtype.is_bool):
            raise TileTypeError(f"{symbol} of a {describe(value)} is not defined; expected integers: use bitcast()")


def check_numerics(
    name: str, modes: tuple[RoundingMode, ...], flushes: bool, mode: RoundingMode | None, flush: bool, dtype: DType
) -> None:
    """Refuse a rounding mode or flush_to_zero that the operation does not have for `dtype`."""
    if mode is not None:
        if mode not in modes:
            allowed = ", ".join(m.name for m in modes) or "none"
            raise TileTypeError(f"{name}() has no rounding mode {mode.name}; expected one of: {allowed}")
        if not dtype.is_float or dtype.is_restricted:
            raise TileTypeError(f"rounding_mode is for float16, bfloat16, float32 and float64; found {dtype}")
        if mode in (RoundingMode.APPROX, RoundingMode.FULL) and dtype is not float32:
            raise TileTypeError(f"rounding mode {mode.name} is for float32; found {dtype}")
    if flush and not flushes:
        raise TileTypeError(f"{name}() has no flush_to_zero")
    if flush and dtype is not float32:
        raise TileTypeError(f"flush_to_zero is for float32; found {dtype}")


def select(tracer: Tracer, condition: TileValue, x: TileValue, y: TileValue) -> TileValue:
    return tracer.emit_tile("select", [condition, x, y], x.dtype, x.shape)


def where(tracer: Tracer, condition: Any, x: Any, y: Any) -> TileValue:
    for value, what in ((condition, "condition"), (x, "second argument"), (y, "third argument")):
        if not isinstance(value, TileValue) and not is_number(value):
            raise TileTypeError(f"the {what} of where() is a {describe(value)}; expected a tile or a number")
    dtype = common_dtype(x, y)
    shape = broadcast_shapes(shape_of(condition), broadcast_shapes(shape_of(x), shape_of(y)))
    condition = broadcast(tracer, convert(tracer, coerce(tracer, condition, None), bool_), shape)
    return select(tracer, condition, coerce_to(tracer, x, dtype, shape), coerce_to(tracer, y, dtype, shape))


implements("where")(where)


@implements("divmod")
def divmod_of(tracer: Tracer, x: Any, y: Any) -> tuple[Any, Any]:
    _check_operands("floordiv", x, y)
    is_constant = all(is_number(value) or value.constant is not None for value in (x, y))
    if not is_constant and (dtype_of(x).is_float or dtype_of(y).is_float):
        raise TileTypeError("divmod() is for integers; use // and % of floats")
    return binary(tracer, "floordiv", x, y), binary(tracer, "mod", x, y)


def _register(name: str) -> None:
    @implements(name)
    def implementation(
        tracer: Tracer,
        x: Any,
        y: Any,
        rounding_mode: Any = None,
        flush_to_zero: Any = False,
        propagate_nan: Any = False,
    ) -> Any:
        if rounding_mode is not None:
            require_enum(rounding_mode, RoundingMode, "rounding_mode")
        flush = require_constant_bool(flush_to_zero, "flush_to_zero")
        nan = require_constant_bool(propagate_nan, "propagate_nan")
        return binary(tracer, name, x, y, rounding_mode, flush, nan)


for _name in (*ARITHMETIC, *COMPARISONS, *_BITWISE, *_SHIFTS):
    _register(_name)
