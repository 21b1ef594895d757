# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the program, which are traced where they are called."""

from __future__ import annotations

import ast
import contextlib
import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.source.functions import FunctionSource, function_source
from tilewright._frontend.trace.calls.binding import bind
from tilewright._frontend.trace.calls.closures import signature_of
from tilewright._frontend.trace.control.contexts import ContextManager
from tilewright._frontend.trace.frame import RESULT, Frame, captured_names
from tilewright._frontend.values.kinds import Closure, Undefined
from tilewright.errors import TileRecursionError, TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

_MAX_DEPTH = 1000
_CONTEXT_MANAGER = contextlib.contextmanager(lambda: None).__code__  # of what the decorator makes


def call_function(tracer: Tracer, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if getattr(function, "__tilewright_tile__", True) is False:
        raise TileTypeError(f"{function.__name__}() is marked for the host only; it cannot be called in tile code")
    while hasattr(function, "__tilewright_tile__"):
        function = function.__wrapped__
    if function.__code__ is _CONTEXT_MANAGER:
        return ContextManager(function.__wrapped__, args, kwargs)
    source = function_source(function)
    names = bind(inspect.signature(function, follow_wrapped=False), source.name, args, kwargs)
    return _inline(tracer, source, names, captured_names(function), function.__globals__)


def call_closure(tracer: Tracer, closure: Closure, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    names = bind(signature_of(closure), closure.source.name, args, kwargs)
    return _inline(tracer, closure.source, names, closure.captured, closure.globals, closure.frame)


def _inline(
    tracer: Tracer,
    source: FunctionSource,
    names: dict[str, Any],
    captured: dict[str, Any],
    globals: dict[str, Any],
    parent: Frame | None = None,
) -> Any:
    if tracer.depth >= _MAX_DEPTH:
        raise TileRecursionError(f"calls are nested {_MAX_DEPTH} deep at {source.name}(); tile code cannot recurse")
    frame = Frame(source, tracer.location, captured, globals, parent)
    frame.names = names
    try:
        with tracer.inside(frame):
            return run_function(tracer, source.node)
    except RecursionError:
        raise TileRecursionError(f"calls are nested too deep at {source.name}(); tile code cannot recurse") from None
    finally:
        frame.is_live = False


def run_function(tracer: Tracer, node: ast.FunctionDef | ast.Lambda) -> Any:
    tracer.node = node
    if isinstance(node, ast.Lambda):
        return tracer.eval(node.body)
    if isinstance(node, ast.AsyncFunctionDef):
        raise TileSyntaxError("tile code cannot contain async def")
    tracer.run(node.body)
    result = tracer.frame.names.get(RESULT)
    if isinstance(result, Undefined):
        tracer.node = node
        raise TileTypeError(f"{node.name}() returns a value that {result.reason}", tracer.location)
    return result
