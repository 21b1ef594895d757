# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`with` over functions that are marked with @contextlib.contextmanager. Their code before the yield is traced
at the beginning of the statement, the code after it on every path that leaves the statement."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.source.functions import function_source
from tilewright._frontend.source.syntax import contains_return, leaves_early
from tilewright._frontend.trace.calls.binding import bind
from tilewright._frontend.trace.frame import Frame, captured_names
from tilewright._frontend.trace.statements.assignments import assign
from tilewright._frontend.values.kinds import describe
from tilewright.errors import TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


@dataclass(eq=False)
class ContextManager:
    """A call of such a function, for one `with`."""

    function: FunctionType
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    is_used: bool = False


@dataclass(frozen=True, eq=False)
class _Context:
    """A manager that has been entered: its frame, the names in it at the yield, and the statements after it."""

    frame: Frame
    names: dict[str, Any]
    rest: list[ast.stmt]


class LeaveContext(ast.stmt):
    """Stands at the end of the body of a `with`."""


def _yields(node: ast.AST) -> Iterator[ast.Yield]:
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        yield node
    elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from _yields(child)


def with_statement(tracer: Tracer, node: ast.With, rest: list[ast.stmt]) -> bool | None:
    """None: go on with the next statement. Otherwise `rest` has been traced too, with this result."""
    for item in node.items:
        value = _enter(tracer, tracer.eval(item.context_expr), item.context_expr)
        if item.optional_vars is not None:
            assign(tracer, item.optional_vars, value)
    body = [*node.body, *(ast.copy_location(LeaveContext(), node) for _ in node.items)]
    if any(leaves_early(statement) for statement in node.body):
        return tracer.run([*body, *rest])
    tracer.run(body)
    return None


def leave_context(tracer: Tracer, node: LeaveContext) -> None:
    leave_contexts(tracer, len(tracer.frame.contexts) - 1)


def leave_contexts(tracer: Tracer, depth: int) -> None:
    """Leave the innermost `with` statements of this path until it is in `depth` of them."""
    frame = tracer.frame
    while len(frame.contexts) > depth:
        *outer, context = frame.contexts
        frame.contexts = tuple(outer)
        context.frame.names = dict(context.names)
        with tracer.inside(context.frame):
            tracer.run(context.rest)


def _enter(tracer: Tracer, manager: Any, node: ast.expr) -> Any:
    """Trace the manager to its yield, whose value this is."""
    tracer.node = node
    if not isinstance(manager, ContextManager):
        raise TileTypeError(
            f"'with' over a {describe(manager)}; expected a call of a function marked with @contextlib.contextmanager"
        )
    if manager.is_used:
        raise TileTypeError("this context manager has been entered before; call its function for each 'with'")
    manager.is_used = True
    function = manager.function
    source = function_source(function)
    before, given, rest = _parts(source.node, source.name)
    frame = Frame(source, tracer.location, captured_names(function), function.__globals__)
    frame.names = bind(inspect.signature(function), source.name, manager.args, manager.kwargs)
    with tracer.inside(frame):
        tracer.run(before)
        value = None if given is None else tracer.eval(given)
    tracer.frame.contexts = (*tracer.frame.contexts, _Context(frame, frame.names, rest))
    return value


def _parts(node: ast.FunctionDef, name: str) -> tuple[list[ast.stmt], ast.expr | None, list[ast.stmt]]:
    """The statements before the yield, the value that it gives, and those after it."""
    found = [(i, y) for i, statement in enumerate(node.body) for y in _yields(statement)]
    if len(found) != 1:
        raise TileTypeError(f"context manager {name}() has {len(found)} yields; expected one")
    [(i, given)] = found
    statement = node.body[i]
    if isinstance(statement, ast.Try) or contains_return(node.body):
        raise TileSyntaxError(f"context manager {name}() has a try or a return; expected neither in tile code")
    if getattr(statement, "value", None) is not given:
        raise TileTypeError(f"context manager {name}() yields inside of another statement; expected it outside")
    rest = node.body[i + 1 :]
    if isinstance(statement, ast.Assign):
        none = ast.copy_location(ast.Constant(None), given)
        rest = [ast.copy_location(ast.Assign(statement.targets, none), statement), *rest]
    return node.body[:i], given.value, rest
