# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes and items of values."""

from __future__ import annotations

import ast
import enum
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.lists import list_item
from tilewright._frontend.trace.expressions.records import record_attribute
from tilewright._frontend.values.arguments import slice_of
from tilewright._frontend.values.kinds import RUN_TIME_VALUES, ArrayValue, BoundMethod, ListValue, TileValue, describe
from tilewright._frontend.values.records import is_record
from tilewright._intrinsic import get_intrinsic, tile_attribute
from tilewright.dtypes import DType, dtype_of_literal
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def attribute_of(tracer: Tracer, node: ast.Attribute) -> Any:
    return attribute(tracer, tracer.eval(node.value), node.attr)


def attribute(tracer: Tracer, value: Any, name: str) -> Any:
    if isinstance(value, RUN_TIME_VALUES):
        return _attribute_of_run_time_value(tracer, value, name)
    if isinstance(value, (int, float)):  # a scalar of the dtype that it has on its own
        return attribute(tracer, tracer.constant(value, dtype_of_literal(value)), name)
    if isinstance(value, (tuple, dict)) and name in ("index", "count", "get", "keys", "values", "items"):
        return getattr(value, name)
    if isinstance(value, str) and name in ("join", "format", "upper", "lower", "startswith", "endswith"):
        return getattr(value, name)
    if is_record(value):
        return record_attribute(tracer, value, name)
    if isinstance(value, (ModuleType, type, enum.Enum, DType)) or hasattr(type(value), "__dataclass_fields__"):
        try:
            result = getattr(value, name)
        except AttributeError:
            raise TileTypeError(f"{describe(value)} has no attribute {name!r}") from None
        if isinstance(result, MethodType) and not isinstance(value, (type, DType)):
            return BoundMethod(value, result.__func__)
        return result
    raise TileTypeError(f"a {describe(value)} has no attribute {name!r} in tile code")


def _attribute_of_run_time_value(tracer: Tracer, value: Any, name: str) -> Any:
    kind = next(k for k in type(value).__mro__ if not k.__module__.startswith("tilewright._"))  # Tile, Array, ...
    if not name.startswith("_"):
        function = getattr(kind, name, None)
        if isinstance(function, (property, tile_attribute)):
            return getattr(value, name)
        if get_intrinsic(function) is not None or isinstance(function, FunctionType):
            return BoundMethod(value, function)
    known = [n for n in vars(kind) if not n.startswith("_")]
    raise TileTypeError(f"a {describe(value)} has no attribute {name!r}; it has {', '.join(known)}")


def subscript_of(tracer: Tracer, node: ast.Subscript) -> Any:
    return subscript(tracer, tracer.eval(node.value), tracer.eval(node.slice))


def subscript(tracer: Tracer, value: Any, index: Any) -> Any:
    if isinstance(value, ArrayValue):
        raise TileTypeError(f"array {value.name!r} cannot be subscripted; use load(), gather() or slice()")
    if isinstance(value, TileValue):
        return slice_of(tracer, value, index)
    if isinstance(value, ListValue):
        return list_item(tracer, value, index)
    if isinstance(value, (tuple, str, range, dict)):
        if isinstance(index, TileValue) and index.constant is not None:
            index = index.constant
        if isinstance(index, TileValue):
            raise TileTypeError("a tuple is indexed by compile-time integers; this index is known at run time only")
        try:
            return value[index]
        except (IndexError, KeyError, TypeError) as error:
            raise TileTypeError(f"{error} (of a {describe(value)}, index {index!r})") from None
    method = getattr(type(value), "__getitem__", None)
    if isinstance(method, FunctionType) and hasattr(type(value), "__dataclass_fields__"):
        return tracer.call(BoundMethod(value, method), (index,), {})
    if hasattr(value, "__class_getitem__") or isinstance(value, type):
        return value[index]  # annotations such as tuple[int, ...]
    raise TileTypeError(f"a {describe(value)} cannot be subscripted")
