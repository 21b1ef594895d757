# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth values: Python's where they are known, scalars of bool_ of the running kernel else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.conversions import convert
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.values.kinds import RUN_TIME_VALUES, TileValue, describe
from tilewright.dtypes import bool_
from tilewright.errors import TileError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def both(tracer: Tracer, x: Any, y: Any) -> Any:
    """`x and y` of two truth values, both evaluated."""
    if isinstance(x, bool):
        return y if x else False
    return (x if y else False) if isinstance(y, bool) else binary(tracer, "bitwise_and", x, y)


def either(tracer: Tracer, x: Any, y: Any) -> Any:
    """`x or y` of two truth values, both evaluated."""
    if isinstance(x, bool):
        return True if x else y
    return (True if y else x) if isinstance(y, bool) else binary(tracer, "bitwise_or", x, y)


def eval_condition(tracer: Tracer, node: ast.expr) -> Any:
    """The condition of an `if`, a `while` or a conditional expression."""
    value = tracer.eval(node)
    outer, tracer.node = tracer.node, node
    try:
        return truth(tracer, value, "the condition")
    except TileError as error:
        error.location = error.location or tracer.location
        raise
    finally:
        tracer.node = outer


def truth(tracer: Tracer, value: Any, what: str) -> Any:
    """The truth value of a condition: a Python bool, or a bool_ scalar of the running kernel."""
    if isinstance(value, TileValue):
        if value.constant is not None:
            return bool(value.constant)
        if value.shape or value.dtype.is_pointer:
            raise TileTypeError(
                f"{what} is a {describe(value)}; expected a scalar: reduce it, or choose elements with where()"
            )
        return convert(tracer, value, bool_)
    if isinstance(value, RUN_TIME_VALUES):
        raise TileTypeError(f"{what} is a {describe(value)}; expected a scalar")
    return bool(value)
