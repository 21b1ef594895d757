# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`if`, with the statements after it where a branch may leave early."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilewright._frontend.source.syntax import leaves_early
from tilewright._frontend.trace.control.merging import branch
from tilewright._frontend.trace.expressions.truth import eval_condition
from tilewright._frontend.trace.frame import BREAK, LEFT, MISSING, RESULT, RETURN, UNSET
from tilewright._frontend.values.kinds import TileValue, Undefined

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

_MAX_COPIES = 2
"""A statement after an `if` of which both branches may come to it, or leave early, is traced in both: types may then
differ. Each such `if` doubles the copies; beyond this number a flag says whether the statement is reached."""


def _may_end(statements: list[ast.stmt]) -> bool:
    """Whether control may come to the end of a block, as far as its text says."""
    return not any(_always_leaves(statement) for statement in statements)


def _always_leaves(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return not _may_end(node.body) and not _may_end(node.orelse)
    if isinstance(node, ast.With):
        return not _may_end(node.body)
    return isinstance(node, (ast.Return, ast.Break, ast.Continue))


def if_statement(tracer: Tracer, node: ast.If, rest: list[ast.stmt]) -> bool | None:
    """None: go on with the next statement. Otherwise `rest` has been traced too, with this result."""
    condition = eval_condition(tracer, node.test)
    early = leaves_early(node)
    tail = rest if early else []
    if isinstance(condition, bool):
        left = tracer.run([*(node.body if condition else node.orelse), *tail])
        return left if early else None
    if tail and _may_end(node.body) and _may_end(node.orelse):
        if tracer.frame.copies >= _MAX_COPIES:
            return _run_joined(tracer, node, condition, rest)
        copies = 2
    else:
        copies = 1
    tracer.frame.copies *= copies
    branch(tracer, condition, lambda: run_path(tracer, [*node.body, *tail], early),
                lambda: run_path(tracer, [*node.orelse, *tail], early))  # fmt: skip
    tracer.frame.copies //= copies
    return True if early else None


def _run_joined(tracer: Tracer, node: ast.If, condition: TileValue, rest: list[ast.stmt]) -> bool | None:
    """Where both branches may go on after the `if`, with what follows once, behind a flag."""
    frame = tracer.frame
    before = {name: frame.names.get(name, MISSING) for name in (LEFT, UNSET, BREAK, RETURN, RESULT)}
    frame.names[LEFT], frame.names[UNSET] = False, frozenset()
    branch(tracer, condition, lambda: tracer.run(node.body), lambda: tracer.run(node.orelse))
    tracer.node = node
    left, unset = frame.names[LEFT], frame.names[UNSET]

    def stay_away() -> None:
        frame.names[LEFT] = True
        frame.names.pop(UNSET)
        for name in unset:
            frame.names[name] = Undefined(f"has no value where the block is left early, after line {node.lineno}")

    def run_rest() -> None:
        # These changed only on paths that do not come here.
        for name, value in before.items():
            frame.names.pop(name, None)
            if value is not MISSING:
                frame.names[name] = value
        run_path(tracer, rest, True)

    if left is False:
        run_rest()
    elif left is not True:
        branch(tracer, left, stay_away, run_rest)
    if before[LEFT] is MISSING:
        frame.names.pop(LEFT, None)
        frame.names.pop(UNSET, None)
    return True


def run_path(tracer: Tracer, statements: list[ast.stmt], to_the_end: bool) -> None:
    left = tracer.run(statements)
    if to_the_end and not left and not tracer.frame.loops and LEFT not in tracer.frame.names:
        tracer.frame.names[RESULT] = None  # fell off the end of the function
