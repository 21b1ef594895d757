# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python at compile time: static_eval() and its like."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.trace.expressions.names import read_name
from tilewright._frontend.trace.frame import UNASSIGNED, UNKNOWN
from tilewright._frontend.values.kinds import TileValue, describe, numbers_of_constants
from tilewright._intrinsic import active_tracer, get_intrinsic
from tilewright.errors import StaticException, TileError, TileStaticEvalError, TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def run_python(tracer: Tracer, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call real Python; operators of tiles inside come back to this tracer."""
    token = active_tracer.set(tracer)
    try:
        return function(*args, **kwargs)
    except TileError:
        raise
    except Exception as error:
        raise StaticException(f"{type(error).__name__} at compile time: {error}") from error
    finally:
        active_tracer.reset(token)


def evaluate_statically(tracer: Tracer, node: ast.expr) -> Any:
    """The value Python gives to an expression over the names in scope. Strictly typed constants are numbers, but
    where an attribute is read, as in `x.dtype`."""
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        raise TileSyntaxError("static_eval() cannot assign names; assign before it")
    frame = tracer.frame
    names: dict[str, Any] = {}
    read = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    inside = {n.id for n in read if isinstance(n.ctx, ast.Store)}  # of comprehensions
    with_attributes = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    typed = {n.id for n in read if id(n) in with_attributes}
    for n in read:
        value = frame.lookup(n.id)
        if value is not UNKNOWN and not (value is UNASSIGNED and n.id in inside):
            value = read_name(tracer, n)
            names[n.id] = value if n.id in typed else numbers_of_constants(value)
    code = compile(ast.Expression(node), frame.filename, "eval")
    return run_python(tracer, eval, (code, {**frame.globals, **names}), {})


def static_eval(tracer: Tracer, node: ast.Call) -> Any:
    if len(node.args) != 1 or node.keywords:
        raise TileSyntaxError("static_eval() takes one expression")
    return evaluate_statically(tracer, node.args[0])


def static_assert(tracer: Tracer, node: ast.Call) -> None:
    from tilewright.errors import TileStaticAssertionError

    if not 1 <= len(node.args) <= 2 or node.keywords:
        raise TileSyntaxError("static_assert() takes a condition and an optional message")
    condition = numbers_of_constants(evaluate_statically(tracer, node.args[0]))
    if isinstance(condition, TileValue):
        raise TileTypeError("the condition of static_assert() is known at run time only; use assert_()")
    if not isinstance(condition, bool):
        raise TileTypeError(f"the condition of static_assert() is a {describe(condition)}; expected a bool")
    if not condition:
        message = str(evaluate_statically(tracer, node.args[1])) if len(node.args) == 2 else ast.unparse(node.args[0])
        raise TileStaticAssertionError(f"static assertion failed: {message}")


def static_iteration_of(tracer: Tracer, node: ast.expr) -> tuple[Any, ...] | None:
    """The items, if `node` is a call of static_iter()."""
    intrinsic = get_intrinsic(tracer.eval(node.func)) if isinstance(node, ast.Call) else None
    return _static_iteration(tracer, node) if intrinsic is not None and intrinsic.name == "static_iter" else None


def _static_iteration(tracer: Tracer, node: ast.Call) -> tuple[Any, ...]:
    given = [*node.args, *(k.value for k in node.keywords if k.arg == "iterable")]
    if len(given) != 1 or len(node.args) + len(node.keywords) != 1:
        raise TileTypeError("static_iter() takes one iterable")
    value = evaluate_statically(tracer, given[0])
    try:
        items = []
        for item in value:
            items.append(item)
            if len(items) > 1000:
                raise TileStaticEvalError("static_iter() over more than 1000 items")
    except TypeError as error:
        raise TileTypeError(f"static_iter(): {error}") from None
    return tuple(items)


def misplaced(tracer: Tracer, node: ast.Call) -> None:
    raise TileSyntaxError(
        f"{ast.unparse(node.func)}() is not allowed here; static_iter() stands after 'for ... in', and"
        " static_exception() after 'raise'"
    )
