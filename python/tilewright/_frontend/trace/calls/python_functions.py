# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built-in functions of Python, and those of its module `operator`, that tile code knows."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.conversions import convert
from tilewright._frontend.ops.elementwise import binary, divmod_of
from tilewright._frontend.ops.functions import logical_not, unary_operator
from tilewright._frontend.trace.calls.static import run_python
from tilewright._frontend.trace.expressions.comprehensions import static_items
from tilewright._frontend.trace.expressions.members import attribute, subscript
from tilewright._frontend.trace.expressions.operators import apply_operator
from tilewright._frontend.trace.expressions.records import replace_fields
from tilewright._frontend.trace.expressions.truth import both
from tilewright._frontend.values.arguments import require_int_scalar, require_tuple
from tilewright._frontend.values.kinds import ArrayValue, ListValue, RangeValue, TileValue, describe
from tilewright._frontend.values.records import is_record, method_of
from tilewright._frontend.values.text import representation, text_of
from tilewright.dtypes import bool_
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def _range(tracer: Tracer, *bounds: Any) -> RangeValue:
    if not 1 <= len(bounds) <= 3:
        raise TileTypeError(f"range() takes one to three integers, found {len(bounds)}")
    values = [require_int_scalar(b, "a bound of range()") for b in bounds]
    for value in values:
        if isinstance(value, TileValue) and not value.dtype.signed:
            raise TileTypeError(f"a bound of range() is a {describe(value)}; expected a signed integer: use astype()")
    start, stop, step = (0, values[0], 1) if len(values) == 1 else (*values, 1)[:3]
    if isinstance(step, int) and step <= 0:
        raise TileTypeError(f"range() with step {step}; expected a positive step: reverse the index in the body")
    return RangeValue(start, stop, step)


def _len(tracer: Tracer, value: Any) -> int | TileValue:
    if isinstance(value, RangeValue):
        return len(static_items(tracer, value))
    if isinstance(value, ArrayValue):
        raise TileTypeError(f"array {value.name!r} has no len(); use shape[0]")
    if isinstance(value, ListValue):
        return value.length
    if isinstance(value, TileValue):
        if not value.shape:
            raise TileTypeError("a scalar has no len()")
        return value.shape[0]
    if is_record(value) and (method := method_of(value, "__len__")) is not None:
        return tracer.call(method, (value,), {})
    return len(value)


def _extremum(name: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def call(tracer: Tracer, *values: Any) -> Any:
        items = require_tuple(values[0], f"the argument of {python.__name__}()") if len(values) == 1 else values
        if not any(isinstance(i, TileValue) for i in items):
            return python(items)
        return functools.reduce(lambda x, y: binary(tracer, name, x, y), items)

    return call


def _number_of(kind: type) -> Callable[..., Any]:
    def call(tracer: Tracer, value: Any = 0) -> Any:
        if isinstance(value, TileValue):
            if value.constant is None:
                raise TileTypeError(
                    f"{kind.__name__}() of a {describe(value)}; expected a compile-time number: convert with astype()"
                )
            value = value.constant
        try:
            return kind(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise TileTypeError(str(error)) from None

    return call


def _bool(tracer: Tracer, value: Any = False) -> Any:
    return convert(tracer, value, bool_) if isinstance(value, TileValue) else bool(value)


def _tuple(tracer: Tracer, value: Any = ()) -> tuple[Any, ...]:
    return static_items(tracer, value)


def _sum(tracer: Tracer, value: Any, start: Any = 0) -> Any:
    return functools.reduce(lambda x, y: binary(tracer, "add", x, y), static_items(tracer, value), start)


def _isinstance(tracer: Tracer, value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds)


def _print(tracer: Tracer, *args: Any, **kwargs: Any) -> None:
    from tilewright._frontend.ops.debugging import print_values

    print_values(tracer, *args, **kwargs)


def _python(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda tracer, *args, **kwargs: run_python(tracer, function, args, kwargs)


def _operator(name: str) -> Callable[..., Any]:
    return lambda tracer, x, y: apply_operator(tracer, name, x, y)


def _static_over(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda tracer, *values: tuple(function(*(static_items(tracer, v) for v in values)))


_BUILTINS: dict[Any, Callable[..., Any]] = {
    range: _range,
    len: _len,
    min: _extremum("minimum", min),
    max: _extremum("maximum", max),
    abs: lambda tracer, x: unary_operator(tracer, "abs", x),
    int: _number_of(int),
    float: _number_of(float),
    bool: _bool,
    tuple: _tuple,
    sum: _sum,
    divmod: divmod_of,
    pow: _operator("pow"),
    print: _print,
    isinstance: _isinstance,
    slice: _python(slice),
    str: text_of,
    repr: representation,
    hasattr: _python(hasattr),
    getattr: lambda tracer, value, name: attribute(tracer, value, name),
    enumerate: _static_over(enumerate),
    zip: _static_over(zip),
    reversed: lambda tracer, value: tuple(reversed(static_items(tracer, value))),
    dataclasses.replace: lambda tracer, value, /, **changes: replace_fields(tracer, value, changes),
    all: lambda tracer, value: functools.reduce(lambda x, y: both(tracer, x, y), static_items(tracer, value), True),
    operator.neg: lambda tracer, x: unary_operator(tracer, "USub", x),
    operator.pos: lambda tracer, x: unary_operator(tracer, "UAdd", x),
    operator.invert: lambda tracer, x: unary_operator(tracer, "Invert", x),
    operator.not_: logical_not,
    operator.getitem: lambda tracer, x, i: subscript(tracer, x, i),
    operator.abs: lambda tracer, x: unary_operator(tracer, "abs", x),
} | {
    getattr(operator, python): _operator(name)
    for python, name in {
        "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod",
        "pow": "pow", "matmul": "matmul", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor",
        "lshift": "bitwise_lshift", "rshift": "bitwise_rshift", "eq": "equal", "ne": "not_equal", "lt": "less",
        "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    }.items()
}  # fmt: skip


def find_builtin(function: Any) -> Callable[..., Any] | None:
    try:
        return _BUILTINS.get(function)
    except TypeError:
        return None
