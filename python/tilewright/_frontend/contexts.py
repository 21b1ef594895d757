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

from tilewright._frontend.frame import Frame, captured_names
from tilewright._frontend.source import function_source
from tilewright._frontend.syntax import contains_return, leaves_early
from tilewright._frontend.values import describe
from tilewright.errors import TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer


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


class ContextTracer:
    def run_with(self: Tracer, node: ast.With, rest: list[ast.stmt]) -> bool | None:
        """None: go on with the next statement. Otherwise `rest` has been traced too, with this result."""
        for item in node.items:
            value = self._enter(self.eval(item.context_expr), item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        body = [*node.body, *(ast.copy_location(LeaveContext(), node) for _ in node.items)]
        if any(leaves_early(statement) for statement in node.body):
            return self.run_block([*body, *rest])
        self.run_block(body)
        return None

    def run_LeaveContext(self: Tracer, node: LeaveContext) -> None:
        self.leave_contexts(len(self.frame.contexts) - 1)

    def leave_contexts(self: Tracer, depth: int) -> None:
        """Leave the innermost `with` statements of this path until it is in `depth` of them."""
        frame = self.frame
        while len(frame.contexts) > depth:
            *outer, context = frame.contexts
            frame.contexts = tuple(outer)
            context.frame.names = dict(context.names)
            with self.inside(context.frame):
                self.run_block(context.rest)

    def _enter(self: Tracer, manager: Any, node: ast.expr) -> Any:
        """Trace the manager to its yield, whose value this is."""
        self.node = node
        if not isinstance(manager, ContextManager):
            raise TileTypeError(
                f"'with' over a {describe(manager)}; expected a call of a function marked with"
                " @contextlib.contextmanager"
            )
        if manager.is_used:
            raise TileTypeError("this context manager has been entered before; call its function for each 'with'")
        manager.is_used = True
        function = manager.function
        source = function_source(function)
        before, given, rest = self._parts(source.node, source.name)
        frame = Frame(source, self.location, captured_names(function), function.__globals__)
        frame.names = self.bind(inspect.signature(function), source.name, manager.args, manager.kwargs)
        with self.inside(frame):
            self.run_block(before)
            value = None if given is None else self.eval(given)
        self.frame.contexts = (*self.frame.contexts, _Context(frame, frame.names, rest))
        return value

    def _parts(self, node: ast.FunctionDef, name: str) -> tuple[list[ast.stmt], ast.expr | None, list[ast.stmt]]:
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


def _yields(node: ast.AST) -> Iterator[ast.Yield]:
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        yield node
    elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from _yields(child)
