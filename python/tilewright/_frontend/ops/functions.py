# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one tile, driven by a table."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import UNIT
from tilewright._frontend.ops.conversions import convert
from tilewright._frontend.ops.elementwise import BASIC_MODES, binary, check_numerics, evaluate_numbers
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values.arguments import require_constant_bool, require_enum
from tilewright._frontend.values.kinds import TileValue, describe, is_number
from tilewright.dtypes import bool_, float32, int32
from tilewright.errors import TileTypeError
from tilewright.modes import RoundingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def logical_not(tracer: Tracer, x: Any) -> Any:
    if not isinstance(x, TileValue):
        return not x
    x = convert(tracer, x, bool_)
    if x.constant is not None:
        return tracer.constant(not x.constant, bool_)
    return tracer.emit_tile("xori", [x, tracer.constant(True, bool_, x.shape)], bool_, x.shape)


@dataclass(frozen=True)
class Unary:
    """A function of one tile. `integers` is the treatment of integers: "float" (float32), "keep", or "refuse"."""

    float_op: str
    int_op: str | None
    evaluate: Callable[[Any], Any]
    integers: str = "float"
    modes: tuple[RoundingMode, ...] = ()
    flushes: bool = False


_UNARY: dict[str, Unary] = {
    "exp": Unary("exp", None, math.exp, modes=(RoundingMode.FULL, RoundingMode.APPROX)),
    "exp2": Unary("exp2", None, lambda x: 2.0**x, flushes=True),
    "log": Unary("log", None, math.log),
    "log2": Unary("log2", None, math.log2),
    "sqrt": Unary("sqrt", None, math.sqrt, modes=(*BASIC_MODES, RoundingMode.APPROX), flushes=True),
    "rsqrt": Unary("rsqrt", None, lambda x: x**-0.5, flushes=True),
    "sin": Unary("sin", None, math.sin),
    "cos": Unary("cos", None, math.cos),
    "tan": Unary("tan", None, math.tan),
    "sinh": Unary("sinh", None, math.sinh),
    "cosh": Unary("cosh", None, math.cosh),
    "tanh": Unary("tanh", None, math.tanh, modes=(RoundingMode.FULL, RoundingMode.APPROX)),
    "floor": Unary("floor", None, math.floor, integers="refuse"),
    "ceil": Unary("ceil", None, math.ceil, integers="refuse"),
    "abs": Unary("absf", "absi", abs, integers="keep"),
    "negative": Unary("negf", "negi", operator.neg, integers="keep"),
}


def unary(
    tracer: Tracer, name: str, x: Any, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Any:
    record = _UNARY[name]
    if is_number(x):
        return evaluate_numbers(record.evaluate, x)
    if not isinstance(x, TileValue):
        raise TileTypeError(f"{name}() of a {describe(x)} is not defined; expected a tile or a number")
    if x.dtype.is_restricted:
        raise TileTypeError(f"{name}() of {x.dtype} is not defined; cast to float32 with astype()")
    if not x.dtype.is_float:
        if record.integers == "refuse":
            raise TileTypeError(f"{name}() of {x.dtype} is not defined; expected floats")
        if record.integers == "float":
            x = convert(tracer, x, float32)
        elif x.dtype.is_bool:
            if name == "abs":
                return x
            x = convert(tracer, x, int32)
    check_numerics(name, record.modes, record.flushes, rounding_mode, flush_to_zero, x.dtype)
    if x.constant is not None and rounding_mode is None and not flush_to_zero:
        return tracer.constant(evaluate_numbers(record.evaluate, x.constant), x.dtype)
    if not x.dtype.is_float:
        return x if name == "abs" and not x.dtype.signed else tracer.emit_tile(record.int_op, [x], x.dtype, x.shape)
    attributes = {}
    if rounding_mode is not None:
        attributes["rounding_mode"] = rounding_mode
    if flush_to_zero:
        attributes["flush_to_zero"] = UNIT
    return tracer.emit_tile(record.float_op, [x], x.dtype, x.shape, attributes)


def bitwise_not(tracer: Tracer, x: Any) -> Any:
    if is_number(x):
        return (not x) if isinstance(x, bool) else evaluate_numbers(operator.invert, x)
    if not isinstance(x, TileValue) or x.dtype.is_float:
        raise TileTypeError(f"~ of a {describe(x)} is not defined; expected integers or bool_")
    if x.constant is not None:
        return tracer.constant(not x.constant if x.dtype.is_bool else ~x.constant, x.dtype)
    ones = tracer.constant(True if x.dtype.is_bool else -1, x.dtype, x.shape)
    return tracer.emit_tile("xori", [x, ones], x.dtype, x.shape)


def unary_operator(tracer: Tracer, name: str, x: Any) -> Any:
    """A Python operator by the name of its syntax node, or "abs"."""
    if name == "Invert":
        if isinstance(x, bool):
            raise TileTypeError("~ of a bool constant is not defined; use 'not'")
        return bitwise_not(tracer, x)
    if name == "UAdd":
        if is_number(x):
            return +x
        if not isinstance(x, TileValue):
            raise TileTypeError(f"unary + of a {describe(x)} is not defined; expected a tile or a number")
        return convert(tracer, x, int32) if x.dtype.is_bool else x
    return unary(tracer, "negative" if name == "USub" else name, x)


@implements("isnan")
def isnan(tracer: Tracer, x: Any) -> Any:
    if is_number(x):
        return math.isnan(x)
    if not isinstance(x, TileValue) or not x.dtype.is_float:
        raise TileTypeError(f"isnan() of a {describe(x)} is not defined; expected floats")
    return binary(tracer, "not_equal", x, x)


implements("bitwise_not")(bitwise_not)


def _register(name: str) -> None:
    @implements(name)
    def implementation(tracer: Tracer, x: Any, rounding_mode: Any = None, flush_to_zero: Any = False) -> Any:
        if rounding_mode is not None:
            require_enum(rounding_mode, RoundingMode, "rounding_mode")
        return unary(tracer, name, x, rounding_mode, require_constant_bool(flush_to_zero, "flush_to_zero"))


for _name in _UNARY:
    _register(_name)
