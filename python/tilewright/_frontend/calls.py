# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls: functions of the language, helpers (inlined), and the Python built-ins that tile code knows."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import enum
import functools
import inspect
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.builtins_of_python import find_builtin
from tilewright._frontend.contexts import ContextManager
from tilewright._frontend.frame import RESULT, UNASSIGNED, UNKNOWN, Frame, captured_names
from tilewright._frontend.ops.conversions import convert
from tilewright._frontend.source import FunctionSource, function_source
from tilewright._frontend.text import FormattedText, joined
from tilewright._frontend.values import (
    BoundMethod,
    Closure,
    TileValue,
    Undefined,
    describe,
    is_number,
    numbers_of_constants,
)
from tilewright._intrinsic import active_tracer, get_intrinsic
from tilewright.dtypes import DType, find_dtype
from tilewright.errors import (
    StaticException,
    TileError,
    TileRecursionError,
    TileStaticEvalError,
    TileSyntaxError,
    TileTypeError,
    TileValueError,
)

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

_MAX_DEPTH = 1000
_CONTEXT_MANAGER = contextlib.contextmanager(lambda: None).__code__  # of what the decorator makes


class CallTracer:
    def eval_Call(self: Tracer, node: ast.Call) -> Any:
        function = self.eval(node.func)
        intrinsic = get_intrinsic(function)
        if intrinsic is not None and intrinsic.name in _SPECIAL_FORMS:
            return getattr(self, _SPECIAL_FORMS[intrinsic.name])(node)
        args, kwargs = self.eval_arguments(node)
        return self.call(function, args, kwargs)

    def eval_arguments(self: Tracer, node: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args = self.eval_items(node.args)
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.eval(keyword.value)
            kwargs.update({keyword.arg: value} if keyword.arg is not None else value)
        return args, kwargs

    def call(self: Tracer, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(function, BoundMethod):
            if isinstance(function.receiver, TileValue):  # methods of Tile are Python that calls the language
                self.bind(inspect.signature(function.function), function.function.__name__, (None, *args), kwargs)
                return self._run_python(function.function, (function.receiver, *args), kwargs)
            return self.call(function.function, (function.receiver, *args), kwargs)
        if isinstance(function, MethodType):
            if isinstance(function.__self__, (str, tuple, dict)):
                return self._call_python(function, args, kwargs)
            return self.call(function.__func__, (function.__self__, *args), kwargs)
        intrinsic = get_intrinsic(function)
        if intrinsic is not None:
            return self.call_intrinsic(intrinsic, args, kwargs)
        if isinstance(function, Closure):
            return self._call_closure(function, args, kwargs)
        dtype = find_dtype(function)
        if dtype is not None:
            return self._call_dtype(dtype, args, kwargs)
        builtin = find_builtin(function)
        if builtin is not None:
            try:
                return builtin(self, *args, **kwargs)
            except TypeError as error:
                raise TileTypeError(f"{function.__name__}(): {error}") from None
        if isinstance(function, functools.partial):
            return self.call(function.func, (*function.args, *args), {**function.keywords, **kwargs})
        if isinstance(function, FunctionType):
            return self._call_function(function, args, kwargs)
        if isinstance(function, type):
            return self._construct(function, args, kwargs)
        if type(function).__name__ == "builtin_function_or_method" and isinstance(
            getattr(function, "__self__", None), (str, tuple, dict)
        ):
            return self._call_python(function, args, kwargs)
        if hasattr(function, "replace_hints"):
            raise TileTypeError(f"kernel {function.__name__!r} cannot be called in tile code; call a plain function")
        method = getattr(type(function), "__call__", None)  # noqa: B004
        if isinstance(method, FunctionType) and dataclasses.is_dataclass(function):
            return self._call_function(method, (function, *args), kwargs)
        raise TileTypeError(
            f"{getattr(function, '__qualname__', describe(function))!r} cannot be called in tile code; evaluate it with"
            " static_eval(), or use a function of the language"
        )

    def _call_python(self: Tracer, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if function.__name__ == "join" and len(args) == 1 and isinstance(args[0], tuple):
            return self._join(function.__self__, args[0])
        if any(isinstance(a, TileValue) for a in (*args, *kwargs.values())):
            raise TileTypeError(f"{function.__name__}() takes compile-time values, found a tile")
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise TileValueError(f"{function.__name__}(): {error}") from None

    def _join(self, between: str, items: tuple[Any, ...]) -> str | FormattedText:
        texts: list[str | FormattedText] = []
        for i, item in enumerate(items):
            if not isinstance(item, (str, FormattedText)):
                raise TileTypeError(f"item {i} of join() is a {describe(item)}; expected a string")
            texts += [between, item] if texts else [item]
        return joined(texts)

    def _call_dtype(self: Tracer, dtype: DType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TileValue:
        if dtype.bitwidth < 8 and not dtype.is_bool:
            raise TileTypeError(f"{dtype}() makes no scalars of less than a byte; convert a tile with astype()")
        if len(args) > 1 or kwargs:
            raise TileTypeError(f"{dtype}() takes one value, found {len(args) + len(kwargs)}")
        value = args[0] if args else 0
        if isinstance(value, TileValue):
            if value.shape:
                raise TileTypeError(f"{dtype}() takes a scalar, found a {describe(value)}; use astype()")
            return convert(self, value, dtype)
        if isinstance(value, str):
            try:
                value = bool(value) if dtype.is_bool else int(value) if dtype.is_integral else float(value)
            except ValueError:
                raise TileTypeError(f"{dtype}() of {describe(value)}; expected the digits of a number") from None
        if not is_number(value):
            raise TileTypeError(f"{dtype}() takes a number, found a {describe(value)}")
        return self.constant(value, dtype)

    # ---- inlining ----

    def _call_function(self: Tracer, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if getattr(function, "__tilewright_tile__", True) is False:
            raise TileTypeError(f"{function.__name__}() is marked for the host only; it cannot be called in tile code")
        while hasattr(function, "__tilewright_tile__"):
            function = function.__wrapped__
        if function.__code__ is _CONTEXT_MANAGER:
            return ContextManager(function.__wrapped__, args, kwargs)
        source = function_source(function)
        names = self.bind(inspect.signature(function, follow_wrapped=False), source.name, args, kwargs)
        return self._inline(source, names, captured_names(function), function.__globals__)

    def _call_closure(self: Tracer, closure: Closure, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        names = self.bind(_signature(closure), closure.source.name, args, kwargs)
        return self._inline(closure.source, names, closure.captured, closure.globals, closure.frame)

    def bind(self, signature: inspect.Signature, name: str, args: Any, kwargs: Any) -> dict[str, Any]:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TileTypeError(f"{name}(): {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def _inline(
        self: Tracer,
        source: FunctionSource,
        names: dict[str, Any],
        captured: dict[str, Any],
        globals: dict[str, Any],
        parent: Frame | None = None,
    ) -> Any:
        if self.depth >= _MAX_DEPTH:
            raise TileRecursionError(f"calls are nested {_MAX_DEPTH} deep at {source.name}(); tile code cannot recurse")
        frame = Frame(source, self.location, captured, globals, parent)
        frame.names = names
        try:
            with self.inside(frame):
                return self.run_function(source.node)
        except RecursionError:
            raise TileRecursionError(
                f"calls are nested too deep at {source.name}(); tile code cannot recurse"
            ) from None
        finally:
            frame.is_live = False

    @contextlib.contextmanager
    def inside(self: Tracer, frame: Frame) -> Iterator[None]:
        """Names are those of `frame` meanwhile."""
        outer, node = self.frame, self.node
        self.frame, self.depth = frame, self.depth + 1
        if self.named is not None:
            for name, value in frame.names.items():
                self.note(name, value)
        try:
            yield
        finally:
            self.frame, self.node, self.depth = outer, node, self.depth - 1

    def run_function(self: Tracer, node: ast.FunctionDef | ast.Lambda) -> Any:
        self.node = node
        if isinstance(node, ast.Lambda):
            return self.eval(node.body)
        if isinstance(node, ast.AsyncFunctionDef):
            raise TileSyntaxError("tile code cannot contain async def")
        self.run_block(node.body)
        result = self.frame.names.get(RESULT)
        if isinstance(result, Undefined):
            self.node = node
            raise TileTypeError(f"{node.name}() returns a value that {result.reason}", self.location)
        return result

    def _construct(self: Tracer, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if issubclass(cls, enum.Enum):
            try:
                return cls(*args, **kwargs)
            except (TypeError, ValueError) as error:
                raise TileValueError(f"{cls.__name__}(): {error}") from None
        if cls.__module__.startswith("tilewright"):
            return self._run_python(cls, args, kwargs)
        if dataclasses.is_dataclass(cls):
            return self.make_record(cls, args, kwargs)
        raise TileTypeError(f"an object of class {cls.__name__} cannot be made in tile code; use a frozen dataclass")

    # ---- Python at compile time ----

    def _run_python(self: Tracer, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call real Python; operators of tiles inside come back to this tracer."""
        token = active_tracer.set(self)
        try:
            return function(*args, **kwargs)
        except TileError:
            raise
        except Exception as error:
            raise StaticException(f"{type(error).__name__} at compile time: {error}") from error
        finally:
            active_tracer.reset(token)

    def evaluate_statically(self: Tracer, node: ast.expr) -> Any:
        """The value Python gives to an expression over the names in scope. Strictly typed constants are numbers, but
        where an attribute is read, as in `x.dtype`."""
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            raise TileSyntaxError("static_eval() cannot assign names; assign before it")
        frame = self.frame
        names: dict[str, Any] = {}
        read = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        inside = {n.id for n in read if isinstance(n.ctx, ast.Store)}  # of comprehensions
        with_attributes = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        typed = {n.id for n in read if id(n) in with_attributes}
        for n in read:
            value = frame.lookup(n.id)
            if value is not UNKNOWN and not (value is UNASSIGNED and n.id in inside):
                value = self.eval_Name(n)
                names[n.id] = value if n.id in typed else numbers_of_constants(value)
        code = compile(ast.Expression(node), frame.filename, "eval")
        return self._run_python(eval, (code, {**frame.globals, **names}), {})

    def special_static_eval(self: Tracer, node: ast.Call) -> Any:
        if len(node.args) != 1 or node.keywords:
            raise TileSyntaxError("static_eval() takes one expression")
        return self.evaluate_statically(node.args[0])

    def special_static_assert(self: Tracer, node: ast.Call) -> None:
        from tilewright.errors import TileStaticAssertionError

        if not 1 <= len(node.args) <= 2 or node.keywords:
            raise TileSyntaxError("static_assert() takes a condition and an optional message")
        condition = numbers_of_constants(self.evaluate_statically(node.args[0]))
        if isinstance(condition, TileValue):
            raise TileTypeError("the condition of static_assert() is known at run time only; use assert_()")
        if not isinstance(condition, bool):
            raise TileTypeError(f"the condition of static_assert() is a {describe(condition)}; expected a bool")
        if not condition:
            message = str(self.evaluate_statically(node.args[1])) if len(node.args) == 2 else ast.unparse(node.args[0])
            raise TileStaticAssertionError(f"static assertion failed: {message}")

    def static_iteration_of(self: Tracer, node: ast.expr) -> tuple[Any, ...] | None:
        """The items, if `node` is a call of static_iter()."""
        intrinsic = get_intrinsic(self.eval(node.func)) if isinstance(node, ast.Call) else None
        return self._static_iteration(node) if intrinsic is not None and intrinsic.name == "static_iter" else None

    def _static_iteration(self: Tracer, node: ast.Call) -> tuple[Any, ...]:
        given = [*node.args, *(k.value for k in node.keywords if k.arg == "iterable")]
        if len(given) != 1 or len(node.args) + len(node.keywords) != 1:
            raise TileTypeError("static_iter() takes one iterable")
        value = self.evaluate_statically(given[0])
        try:
            items = []
            for item in value:
                items.append(item)
                if len(items) > 1000:
                    raise TileStaticEvalError("static_iter() over more than 1000 items")
        except TypeError as error:
            raise TileTypeError(f"static_iter(): {error}") from None
        return tuple(items)

    def special_misplaced(self: Tracer, node: ast.Call) -> None:
        raise TileSyntaxError(
            f"{ast.unparse(node.func)}() is not allowed here; static_iter() stands after 'for ... in', and"
            " static_exception() after 'raise'"
        )


_SPECIAL_FORMS = {
    "static_eval": "special_static_eval",
    "static_assert": "special_static_assert",
    "static_iter": "special_misplaced",
    "static_exception": "special_misplaced",
}


def _signature(closure: Closure) -> inspect.Signature:
    arguments, parameter = closure.source.node.args, inspect.Parameter
    parameters = []
    kinds = [
        (arguments.posonlyargs, parameter.POSITIONAL_ONLY),
        (arguments.args, parameter.POSITIONAL_OR_KEYWORD),
        ([arguments.vararg] if arguments.vararg else [], parameter.VAR_POSITIONAL),
        (arguments.kwonlyargs, parameter.KEYWORD_ONLY),
        ([arguments.kwarg] if arguments.kwarg else [], parameter.VAR_KEYWORD),
    ]
    for names, kind in kinds:
        for a in names:
            parameters.append(parameter(a.arg, kind, default=closure.defaults.get(a.arg, parameter.empty)))
    return inspect.Signature(parameters)
