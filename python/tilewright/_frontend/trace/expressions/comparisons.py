# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of values of all kinds."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.elementwise import COMPARISONS, binary
from tilewright._frontend.ops.functions import logical_not
from tilewright._frontend.trace.expressions.truth import both, either, truth
from tilewright._frontend.values.arguments import require_tuple
from tilewright._frontend.values.kinds import RUN_TIME_VALUES, BoundMethod, TileValue, describe, is_numeric
from tilewright._frontend.values.records import is_generated, is_record, method_of
from tilewright._frontend.values.text import FormattedText
from tilewright.dtypes import DType, find_dtype
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

_OPERATORS = {
    ast.Eq: "equal", ast.NotEq: "not_equal", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater",
    ast.GtE: "greater_equal",
}  # fmt: skip
_METHODS = {
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip


def comparison(tracer: Tracer, node: ast.Compare) -> Any:
    left = tracer.eval(node.left)
    result: Any = None
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = tracer.eval(right_node)
        value = _compare(tracer, operator, left, right)
        if len(node.ops) > 1:
            value = truth(tracer, value, "a comparison in a chain")
        result = value if result is None else both(tracer, result, value)
        if result is False:
            return False
        left = right
    return result


def _compare(tracer: Tracer, operator: ast.cmpop, x: Any, y: Any) -> Any:
    if isinstance(operator, (ast.Is, ast.IsNot)):
        if x is not None and y is not None and (is_numeric(x) or is_numeric(y)):
            raise TileTypeError(f"'is' of a {describe(x)} and a {describe(y)}; expected None on one side: use ==")
        return (x is y) == isinstance(operator, ast.Is)
    if isinstance(operator, (ast.In, ast.NotIn)):
        if isinstance(y, str) and isinstance(x, str):
            found = x in y
        else:
            items = y if isinstance(y, dict) else require_tuple(y, "the right side of 'in'")
            found = _is_one_of(tracer, x, items)
        return found if isinstance(operator, ast.In) else logical_not(tracer, found)
    return compare_values(tracer, _OPERATORS[type(operator)], x, y)


def compare_values(tracer: Tracer, name: str, x: Any, y: Any) -> Any:
    if is_record(x) or is_record(y):
        return compare_records(tracer, name, x, y)
    if isinstance(x, FormattedText) or isinstance(y, FormattedText):
        raise TileTypeError("text with tiles in it is known at run time only; expected a compile-time string")
    if isinstance(x, DType) or isinstance(y, DType):
        x, y = find_dtype(x) or x, find_dtype(y) or y
    if isinstance(x, TileValue) or isinstance(y, TileValue):
        return binary(tracer, name, x, y)
    if isinstance(x, RUN_TIME_VALUES) or isinstance(y, RUN_TIME_VALUES):
        raise TileTypeError(f"cannot compare a {describe(x)} with a {describe(y)}")
    if isinstance(x, tuple) and isinstance(y, tuple):
        if name not in ("equal", "not_equal"):
            raise TileTypeError(f"tuples have no {COMPARISONS[name].symbol}; expected == or !=")
        same: Any = len(x) == len(y)
        for a, b in zip(x, y, strict=True) if same else ():
            same = both(tracer, same, truth(tracer, compare_values(tracer, "equal", a, b), "a comparison of tuples"))
        return same if name == "equal" else logical_not(tracer, same)
    try:
        return COMPARISONS[name].evaluate(x, y)
    except TypeError as error:
        raise TileTypeError(str(error)) from None


def _is_one_of(tracer: Tracer, x: Any, items: Iterable[Any]) -> Any:
    """`x in items`: a bool, or a bool_ scalar."""
    result: Any = False
    for item in items:
        same = truth(tracer, _compare(tracer, ast.Eq(), x, item), "a comparison of 'in'")
        if same is True:
            return True
        result = either(tracer, result, same)
    return result


def compare_records(tracer: Tracer, name: str, x: Any, y: Any) -> Any:
    short = _METHODS[name]
    if is_record(x):
        cls, generated = type(x), "__eq__" if short == "ne" else f"__{short}__"
        method = method_of(x, f"__{short}__")
        if method is not None:
            result = tracer.call(BoundMethod(x, method), (y,), {})
            if result is not NotImplemented:
                return result
        elif short == "ne" and method_of(x, "__eq__") is not None:
            return logical_not(tracer, compare_records(tracer, "equal", x, y))
        elif is_generated(getattr(cls, generated)):
            if type(y) is cls:
                return _compare_fields(tracer, name, _values(x), _values(y))
            if short in ("eq", "ne"):
                return short == "ne"
    raise TileTypeError(f"cannot compare a {describe(x)} with a {describe(y)}; expected a method __{short}__")


def _values(value: Any) -> list[Any]:
    return [getattr(value, f.name) for f in dataclasses.fields(value) if f.compare]


def _compare_fields(tracer: Tracer, name: str, x: list[Any], y: list[Any]) -> Any:
    """As tuples: equal if all are, less if the first that differs is less."""
    pairs = list(zip(x, y, strict=True))
    if name in ("equal", "not_equal"):
        same: Any = True
        for a, b in pairs:
            same = both(tracer, same, compare_values(tracer, "equal", a, b))
        return same if name == "equal" else logical_not(tracer, same)
    result: Any = name.endswith("_equal")
    for a, b in reversed(pairs):
        differs = compare_values(tracer, name.removesuffix("_equal"), a, b)
        result = either(tracer, differs, both(tracer, compare_values(tracer, "equal", a, b), result))
    return result
