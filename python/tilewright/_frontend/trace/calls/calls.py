# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, by what is called."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
from collections.abc import Callable
from types import BuiltinMethodType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.conversions import convert
from tilewright._frontend.ops.registry import IMPLEMENTATIONS
from tilewright._frontend.trace.calls.binding import bind
from tilewright._frontend.trace.calls.inlining import call_closure, call_function
from tilewright._frontend.trace.calls.python_functions import find_builtin
from tilewright._frontend.trace.calls.static import misplaced, run_python, static_assert, static_eval
from tilewright._frontend.trace.expressions.literals import eval_items
from tilewright._frontend.trace.expressions.records import make_record
from tilewright._frontend.values.kinds import BoundMethod, Closure, TileValue, describe, is_number
from tilewright._frontend.values.text import FormattedText, joined
from tilewright._intrinsic import get_intrinsic
from tilewright.dtypes import DType, find_dtype
from tilewright.errors import TileTypeError, TileValueError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

# Functions of the language that get the syntax of their arguments.
_SPECIAL_FORMS = {
    "static_eval": static_eval,
    "static_assert": static_assert,
    "static_iter": misplaced,
    "static_exception": misplaced,
}


def call_expression(tracer: Tracer, node: ast.Call) -> Any:
    function = tracer.eval(node.func)
    intrinsic = get_intrinsic(function)
    if intrinsic is not None and intrinsic.name in _SPECIAL_FORMS:
        return _SPECIAL_FORMS[intrinsic.name](tracer, node)
    args, kwargs = _arguments(tracer, node)
    return tracer.call(function, args, kwargs)


def _arguments(tracer: Tracer, node: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args = eval_items(tracer, node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = tracer.eval(keyword.value)
        kwargs.update({keyword.arg: value} if keyword.arg is not None else value)
    return args, kwargs


def call(tracer: Tracer, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    by_class = _BY_CLASS.get(type(function))
    if by_class is not None:
        return by_class(tracer, function, args, kwargs)
    intrinsic = get_intrinsic(function)
    if intrinsic is not None:
        return tracer.call_intrinsic(intrinsic, args, kwargs)
    dtype = find_dtype(function)
    if dtype is not None:
        return _call_dtype(tracer, dtype, args, kwargs)
    builtin = find_builtin(function)
    if builtin is not None:
        return _call_builtin(tracer, builtin, function, args, kwargs)
    if isinstance(function, functools.partial):
        return tracer.call(function.func, (*function.args, *args), {**function.keywords, **kwargs})
    if isinstance(function, FunctionType):
        return call_function(tracer, function, args, kwargs)
    if isinstance(function, type):
        return _construct(tracer, function, args, kwargs)
    if isinstance(function, BuiltinMethodType) and isinstance(function.__self__, (str, tuple, dict)):
        return _call_python(function, args, kwargs)
    method = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(method, FunctionType) and dataclasses.is_dataclass(function):
        return call_function(tracer, method, (function, *args), kwargs)
    raise _not_callable(function)


def _not_callable(function: Any) -> TileTypeError:
    if hasattr(function, "replace_hints"):
        return TileTypeError(f"kernel {function.__name__!r} cannot be called in tile code; call a plain function")
    name = getattr(function, "__qualname__", describe(function))
    ours = f"tilewright.{name}()" if name in IMPLEMENTATIONS else "a function of the language"  # of math.sqrt
    return TileTypeError(f"{name!r} cannot be called in tile code; evaluate it with static_eval(), or use {ours}")


def _call_bound(tracer: Tracer, method: BoundMethod, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    function, receiver = method.function, method.receiver
    if isinstance(receiver, TileValue):  # methods of Tile are Python that calls the language
        bind(inspect.signature(function), function.__name__, (None, *args), kwargs)
        return run_python(tracer, function, (receiver, *args), kwargs)
    return tracer.call(function, (receiver, *args), kwargs)


def _call_method(tracer: Tracer, method: MethodType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if isinstance(method.__self__, (str, tuple, dict)):
        return _call_python(method, args, kwargs)
    return tracer.call(method.__func__, (method.__self__, *args), kwargs)


def _call_builtin(tracer: Tracer, builtin: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return builtin(tracer, *args, **kwargs)
    except TypeError as error:
        raise TileTypeError(f"{function.__name__}(): {error}") from None


_BY_CLASS: dict[type, Callable[..., Any]] = {
    BoundMethod: _call_bound,
    MethodType: _call_method,
    Closure: call_closure,
}


def _call_python(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if function.__name__ == "join" and len(args) == 1 and isinstance(args[0], tuple):
        return _join(function.__self__, args[0])
    if any(isinstance(a, TileValue) for a in (*args, *kwargs.values())):
        raise TileTypeError(f"{function.__name__}() takes compile-time values, found a tile")
    try:
        return function(*args, **kwargs)
    except Exception as error:
        raise TileValueError(f"{function.__name__}(): {error}") from None


def _join(between: str, items: tuple[Any, ...]) -> str | FormattedText:
    texts: list[str | FormattedText] = []
    for i, item in enumerate(items):
        if not isinstance(item, (str, FormattedText)):
            raise TileTypeError(f"item {i} of join() is a {describe(item)}; expected a string")
        texts += [between, item] if texts else [item]
    return joined(texts)


def _call_dtype(tracer: Tracer, dtype: DType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TileValue:
    if dtype.bitwidth < 8 and not dtype.is_bool:
        raise TileTypeError(f"{dtype}() makes no scalars of less than a byte; convert a tile with astype()")
    if len(args) > 1 or kwargs:
        raise TileTypeError(f"{dtype}() takes one value, found {len(args) + len(kwargs)}")
    value = args[0] if args else 0
    if isinstance(value, TileValue):
        if value.shape:
            raise TileTypeError(f"{dtype}() takes a scalar, found a {describe(value)}; use astype()")
        return convert(tracer, value, dtype)
    if isinstance(value, str):
        try:
            value = bool(value) if dtype.is_bool else int(value) if dtype.is_integral else float(value)
        except ValueError:
            raise TileTypeError(f"{dtype}() of {describe(value)}; expected the digits of a number") from None
    if not is_number(value):
        raise TileTypeError(f"{dtype}() takes a number, found a {describe(value)}")
    return tracer.constant(value, dtype)


def _construct(tracer: Tracer, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if issubclass(cls, enum.Enum):
        try:
            return cls(*args, **kwargs)
        except (TypeError, ValueError) as error:
            raise TileValueError(f"{cls.__name__}(): {error}") from None
    if cls.__module__.startswith("tilewright"):
        return run_python(tracer, cls, args, kwargs)
    if dataclasses.is_dataclass(cls):
        return make_record(tracer, cls, args, kwargs)
    raise TileTypeError(f"an object of class {cls.__name__} cannot be made in tile code; use a frozen dataclass")
