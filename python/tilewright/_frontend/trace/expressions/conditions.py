# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`and`, `or`, and conditional expressions, of which only what Python would evaluate has effects."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import Block
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.trace.control.merging import branch
from tilewright._frontend.trace.expressions.truth import eval_condition, truth
from tilewright._frontend.values.kinds import TileValue, Undefined, is_numeric
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

# An operand of `and`/`or` is computed unconditionally if it is at most this many operations without effects.
_MAX_SPECULATED_OPS = 16

_SPECULATABLE = frozenset(
    "cuda_tile." + name
    for name in "constant cmpi cmpf addi subi muli andi ori xori addf subf mulf maxi mini exti trunci itof select "
    "get_tile_block_id get_num_tile_blocks reshape broadcast".split()
)


def boolean_operation(tracer: Tracer, node: ast.BoolOp) -> Any:
    """The value is a truth value, unless a string, a tuple, None and the like decide at compile time."""
    is_and = isinstance(node.op, ast.And)
    return _short_circuit(tracer, is_and, node.values)


def _short_circuit(tracer: Tracer, is_and: bool, nodes: list[ast.expr]) -> Any:
    word = "and" if is_and else "or"
    first = tracer.eval(nodes[0])
    if len(nodes) == 1:
        return truth(tracer, first, f"the right side of '{word}'") if is_numeric(first) else first
    condition = truth(tracer, first, f"the left side of '{word}'")
    if isinstance(condition, bool):
        if condition is is_and:
            return _short_circuit(tracer, is_and, nodes[1:])
        return condition if is_numeric(first) else first
    names, tracer.frame.names = tracer.frame.names, dict(tracer.frame.names)
    with tracer.inserting_into(Block()) as block:
        rest = truth(tracer, _short_circuit(tracer, is_and, nodes[1:]), f"the right side of '{word}'")
    if len(block.ops) <= _MAX_SPECULATED_OPS and all(op.name in _SPECULATABLE for op in block.ops):
        tracer.block.ops.extend(block.ops)
        if isinstance(rest, bool):
            return condition if rest is is_and else rest
        return binary(tracer, "bitwise_and" if is_and else "bitwise_or", condition, rest)

    after, tracer.frame.names = tracer.frame.names, names

    def evaluate_rest() -> Any:
        # Evaluated above; again, every operand would double the work.
        tracer.block.ops.extend(block.ops)
        tracer.frame.names = dict(after)
        return rest

    return _select_branch(
        tracer, condition, *((evaluate_rest, lambda: False) if is_and else (lambda: True, evaluate_rest))
    )


def conditional(tracer: Tracer, node: ast.IfExp) -> Any:
    condition = eval_condition(tracer, node.test)
    if isinstance(condition, bool):
        return tracer.eval(node.body if condition else node.orelse)
    return _select_branch(tracer, condition, lambda: tracer.eval(node.body), lambda: tracer.eval(node.orelse))


def _select_branch(tracer: Tracer, condition: TileValue, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """The value of a conditional expression; only the branch taken is evaluated."""
    key = f"$value{tracer.depth}"

    def keep(evaluate: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            value = evaluate()
            tracer.frame.names[key] = value

        return run

    branch(tracer, condition, keep(then), keep(otherwise))
    value = tracer.frame.names.pop(key)
    if isinstance(value, Undefined):
        raise TileTypeError(f"the value of the conditional expression {value.reason}")
    return value
