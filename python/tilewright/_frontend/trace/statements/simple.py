# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements that neither assign nor jump."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilewright._frontend.trace.calls.static import evaluate_statically
from tilewright._intrinsic import get_intrinsic
from tilewright.errors import StaticException, TileSyntaxError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def expression(tracer: Tracer, node: ast.Expr) -> None:
    tracer.eval(node.value)


def nothing(tracer: Tracer, node: ast.Pass) -> None:
    pass


def raise_statement(tracer: Tracer, node: ast.Raise) -> None:
    call = node.exc
    if isinstance(call, ast.Call) and node.cause is None:
        intrinsic = get_intrinsic(tracer.eval(call.func))
        if intrinsic is not None and intrinsic.name == "static_exception" and len(call.args) == 1:
            error = evaluate_statically(tracer, call.args[0])
            raise StaticException(str(error)) from (error if isinstance(error, BaseException) else None)
    raise TileSyntaxError(
        "tile code cannot raise; use assert_() at run time or 'raise static_exception(...)' at compile time"
    )
