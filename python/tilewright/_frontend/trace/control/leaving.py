# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Leaving a function, a loop or an iteration early."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilewright._frontend.trace.control.contexts import leave_contexts
from tilewright._frontend.trace.frame import BREAK, LEFT, RESULT, RETURN

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def return_statement(tracer: Tracer, node: ast.Return) -> bool:
    value = None if node.value is None else tracer.eval(node.value)
    leave_contexts(tracer, 0)
    names = tracer.frame.names
    names[RESULT] = value
    if tracer.frame.loops:
        names[BREAK] = True
        names[RETURN] = True
    mark_left(tracer)
    return True


def mark_left(tracer: Tracer) -> None:
    """Control does not come to the end of the `if` statements around, if that is asked."""
    if LEFT in tracer.frame.names:
        tracer.frame.names[LEFT] = True


def break_statement(tracer: Tracer, node: ast.Break) -> bool:
    leave_contexts(tracer, tracer.frame.loop_contexts)
    tracer.frame.names[BREAK] = True
    mark_left(tracer)
    return True


def continue_statement(tracer: Tracer, node: ast.Continue) -> bool:
    leave_contexts(tracer, tracer.frame.loop_contexts)
    mark_left(tracer)
    return True
