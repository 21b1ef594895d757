# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function being traced: its names and where it was called."""

from __future__ import annotations

import ast
import copy
import functools
from types import FunctionType
from typing import Any

from tilewright._frontend.source.functions import FunctionNode, FunctionSource
from tilewright._frontend.source.location import Location
from tilewright._frontend.source.syntax import names_stored_in
from tilewright._frontend.values.kinds import Undefined

# Names that no program can have: the state of leaving a loop or function early.
BREAK, RETURN, RESULT, LEFT, UNSET = "$break", "$return", "$result", "$left", "$unset"

UNKNOWN, UNASSIGNED = object(), object()
"""What `Frame.lookup` gives for a name of no scope, and for a local name that has no value yet."""
MISSING = object()
"""Stands for the value of a name that has none on a path."""
BROKEN = Undefined("has no value, since the statement that assigns it is wrong")
"""The value of a name behind a statement with an error, where tracing goes on."""


class Frame:
    """The scope of a call. `names` is replaced, not changed, where control flow branches. `captured` are names of
    scopes outside of tile code, or of those that are over; `parent` is the frame around a function that is defined in
    tile code, whose names are read as they are then. `assigned` remembers where each name last got its value, for
    messages. `reads` are the names read in the loop that is traced, with the identity of what they were. `contexts` are
    the `with` statements to leave, outermost first; the loop being traced began with `loop_contexts` of them."""

    __slots__ = (
        "assigned",
        "caller",
        "captured",
        "contexts",
        "copies",
        "filename",
        "globals",
        "is_live",
        "line",
        "local_names",
        "locations",
        "loop_contexts",
        "loops",
        "name",
        "names",
        "node",
        "parent",
        "reads",
    )

    def __init__(
        self,
        source: FunctionSource,
        caller: Location | None,
        captured: dict[str, Any],
        globals: dict[str, Any],
        parent: Frame | None = None,
    ):
        self.name = source.name
        self.filename = source.filename
        self.node = source.node
        self.line = source.node.lineno
        self.caller = caller
        self.names: dict[str, Any] = {}
        self.local_names = local_names(source.node)
        self.captured = captured
        self.globals = globals
        self.parent = parent
        self.is_live = True
        self.assigned: dict[str, Location] = {}
        self.locations: dict[ast.AST, Location] = {}
        self.loops = 0
        self.copies = 1  # of the statement that is traced
        self.reads: set[tuple[str, int]] = set()
        self.contexts: tuple[Any, ...] = ()
        self.loop_contexts = 0

    def comprehension(self, targets: list[ast.expr]) -> Frame:
        """A scope of its own for the names that a comprehension assigns."""
        scope = copy.copy(self)
        scope.names, scope.captured, scope.parent = {}, {}, self
        scope.local_names = frozenset(names_stored_in([ast.Expr(target) for target in targets]))
        return scope

    def lookup(self, name: str) -> Any:
        """The value of a name in this scope or those around it, but for globals."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names:
                value = frame.names[name]
                frame.reads.add((name, id(value)))
                return value
            if name in frame.local_names:
                return UNASSIGNED
            if name in frame.captured:
                return frame.captured[name]
            frame = frame.parent
        return UNKNOWN


class Checkpoint:
    """The state of a frame before a statement, for the statement behind one with an error."""

    __slots__ = ("frame", "state")
    FIELDS = ("names", "contexts", "copies", "loops", "loop_contexts")

    def __init__(self, frame: Frame):
        self.frame = frame
        self.state = tuple(getattr(frame, field) for field in self.FIELDS)

    def restore(self) -> None:
        for field, value in zip(self.FIELDS, self.state, strict=True):
            setattr(self.frame, field, value)


@functools.lru_cache(maxsize=4096)
def local_names(node: FunctionNode) -> frozenset[str]:
    """The names that belong to a function: its parameters and what it assigns anywhere."""
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    body = [ast.Expr(node.body)] if isinstance(node, ast.Lambda) else node.body
    return frozenset((*(a.arg for a in parameters), *names_stored_in(body)))


@functools.lru_cache(maxsize=4096)
def free_names(node: FunctionNode) -> tuple[str, ...]:
    """The names that a function, or one inside of it, reads from around it."""
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return tuple(sorted(used - local_names(node)))


def captured_names(function: FunctionType) -> dict[str, Any]:
    """The names of the functions around `function` that it uses, as they are now."""
    names: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            names[name] = Undefined("has no value yet where the function is used")
    return names
