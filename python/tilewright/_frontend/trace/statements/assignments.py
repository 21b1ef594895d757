# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assignments: to names, to tuples of them, and to items of dataclasses that have a method for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.trace.expressions.members import subscript
from tilewright._frontend.trace.expressions.operators import binary_operator
from tilewright._frontend.trace.expressions.records import set_item
from tilewright._frontend.values.arguments import require_tuple
from tilewright._frontend.values.kinds import ArrayValue, TileValue, describe
from tilewright._frontend.values.records import is_record
from tilewright.errors import TileSyntaxError, TileTypeError, TileValueError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def assign_statement(tracer: Tracer, node: ast.Assign) -> None:
    value = tracer.eval(node.value)
    for target in node.targets:
        assign(tracer, target, value)


def annotated_assignment(tracer: Tracer, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(tracer, node.target, tracer.eval(node.value))


def augmented_assignment(tracer: Tracer, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Subscript):
        value, index = tracer.eval(node.target.value), tracer.eval(node.target.slice)
        if is_record(value):
            item = binary_operator(tracer, node.op, subscript(tracer, value, index), tracer.eval(node.value))
            if set_item(tracer, value, index, item):
                return
    if not isinstance(node.target, ast.Name):
        _refuse_item_assignment(tracer, node.target)
    load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
    left, right = tracer.eval(load), tracer.eval(node.value)
    tracer.node = node
    assign(tracer, node.target, binary_operator(tracer, node.op, left, right))


def assign(tracer: Tracer, target: ast.expr, value: Any) -> None:
    if isinstance(target, ast.Name):
        if value is NotImplemented:
            raise TileTypeError("this expression has no value")
        outer, tracer.node = tracer.node, target
        tracer.frame.names[target.id] = value
        tracer.frame.assigned[target.id] = tracer.location
        tracer.note(target.id, value)
        tracer.node = outer
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(tracer, target, value)
    else:
        _assign_item(tracer, target, value)


def _unpack(tracer: Tracer, target: ast.Tuple | ast.List, value: Any) -> None:
    if isinstance(value, TileValue):
        raise TileTypeError(f"cannot unpack a {describe(value)}; expected a tuple of {len(target.elts)}")
    items = require_tuple(value, "the value to unpack")
    starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    if starred:
        first, after = starred[0], len(target.elts) - starred[0] - 1
        if len(items) < len(target.elts) - 1:
            raise TileValueError(f"{len(items)} values to unpack; expected at least {len(target.elts) - 1}")
        middle = items[first : len(items) - after]
        items = (*items[:first], middle, *items[len(items) - after :])
    if len(items) != len(target.elts):
        raise TileValueError(f"{len(items)} values to unpack into {len(target.elts)} names; expected as many values")
    for part, item in zip(target.elts, items, strict=True):
        assign(tracer, part.value if isinstance(part, ast.Starred) else part, item)


def _assign_item(tracer: Tracer, target: ast.expr, item: Any) -> None:
    if isinstance(target, ast.Subscript):
        value = tracer.eval(target.value)
        if is_record(value) and set_item(tracer, value, tracer.eval(target.slice), item):
            return
    _refuse_item_assignment(tracer, target)


def _refuse_item_assignment(tracer: Tracer, target: ast.expr) -> None:
    if isinstance(target, ast.Subscript):
        value = tracer.eval(target.value)
        if isinstance(value, ArrayValue):
            raise TileTypeError(f"array {value.name!r} cannot be assigned by subscript; use store() or scatter()")
        raise TileTypeError(f"a {describe(value)} is immutable; build a new one, for example with where()")
    raise TileSyntaxError(f"tile code cannot assign to {type(target).__name__.lower()}; assign to a name")


def named_expression(tracer: Tracer, node: ast.NamedExpr) -> Any:
    if node.target.id not in tracer.frame.local_names:
        raise TileSyntaxError("a comprehension cannot assign names of the function; assign before it")
    value = tracer.eval(node.value)
    assign(tracer, node.target, value)
    return value
