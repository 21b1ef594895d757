# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comprehensions, which are unrolled over compile-time iterables."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.trace.calls.static import static_iteration_of
from tilewright._frontend.trace.expressions.truth import truth
from tilewright._frontend.trace.statements.assignments import assign
from tilewright._frontend.values.arguments import require_tuple
from tilewright._frontend.values.kinds import TileValue
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def generator(tracer: Tracer, node: ast.GeneratorExp) -> tuple[Any, ...]:
    """Only as the argument of tuple(...) and the like: unrolled over compile-time iterables."""
    outer, scope = tracer.frame, tracer.frame.comprehension([generator.target for generator in node.generators])
    tracer.frame = scope
    try:
        return tuple(_comprehend(tracer, node.generators, lambda: tracer.eval(node.elt)))
    finally:
        tracer.frame, scope.is_live = outer, False


def _comprehend(tracer: Tracer, generators: list[ast.comprehension], element: Callable[[], Any]) -> list[Any]:
    if not generators:
        return [element()]
    first, result = generators[0], []
    iterable = static_iteration_of(tracer, first.iter)
    for item in static_items(tracer, tracer.eval(first.iter)) if iterable is None else iterable:
        assign(tracer, first.target, item)
        conditions = [truth(tracer, tracer.eval(test), "the condition of the comprehension") for test in first.ifs]
        if not all(isinstance(c, bool) for c in conditions):
            raise TileTypeError("the condition of a comprehension is a compile-time value; this one is not")
        if all(conditions):
            result.extend(_comprehend(tracer, generators[1:], element))
    return result


def static_items(tracer: Tracer, value: Any) -> tuple[Any, ...]:
    from tilewright._frontend.values.kinds import RangeValue

    if isinstance(value, RangeValue):
        bounds = [b.constant if isinstance(b, TileValue) else b for b in (value.start, value.stop, value.step)]
        if any(b is None for b in bounds):
            raise TileTypeError("this range is known at run time only; expected compile-time bounds")
        return tuple(range(*bounds))
    if isinstance(value, dict):
        return tuple(value)
    return require_tuple(value, "the iterable")
