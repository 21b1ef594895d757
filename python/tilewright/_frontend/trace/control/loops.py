# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`for` and `while`. A name that the body assigns is carried from one iteration to the next, if it had a value
before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import Block, Op, Value
from tilewright._frontend.ir.types import tile_type
from tilewright._frontend.ops.conversions import coerce
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.source.syntax import contains_break, contains_return, leaves_early, names_stored_in
from tilewright._frontend.trace.calls.static import static_iteration_of
from tilewright._frontend.trace.control.branches import run_path
from tilewright._frontend.trace.control.carried import (
    Carried,
    OtherLengths,
    carry,
    carry_out,
    end_values,
    type_change,
    value_after_loop,
)
from tilewright._frontend.trace.control.leaving import mark_left
from tilewright._frontend.trace.control.merging import branch
from tilewright._frontend.trace.expressions.truth import eval_condition
from tilewright._frontend.trace.frame import BREAK, LEFT, MISSING, RESULT, RETURN, UNSET
from tilewright._frontend.trace.statements.assignments import assign
from tilewright._frontend.values.kinds import ListValue, RangeValue, TileValue, Undefined, describe
from tilewright.dtypes import dtype_of_literal, promote, promote_with_literal
from tilewright.errors import TileStaticEvalError, TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def loop_statement(tracer: Tracer, node: ast.For | ast.While, rest: list[ast.stmt]) -> bool | None:
    if node.orelse:
        raise TileSyntaxError("a loop in tile code has no 'else'; put the statements after the loop")
    bounds = None
    if isinstance(node, ast.For):
        iterable = _iterable(tracer, node.iter)
        if not isinstance(iterable, RangeValue):
            _unroll(tracer, node, iterable)
            return None
        bounds = _range_bounds(tracer, iterable)
    returned = _trace_until_lengths_agree(tracer, node, bounds)
    if returned is False:
        return None
    # A return inside the loop: code after it runs only if it was not taken.
    if returned is True:
        _leave_after_loop(tracer)
        return True
    branch(tracer, returned, lambda: _leave_after_loop(tracer), lambda: run_path(tracer, rest, True))
    return True


def _leave_after_loop(tracer: Tracer) -> None:
    if tracer.frame.loops:
        tracer.frame.names[BREAK] = True
        tracer.frame.names[RETURN] = True
    mark_left(tracer)


def _iterable(tracer: Tracer, node: ast.expr) -> RangeValue | tuple[Any, ...]:
    """The iterable of a for loop: a range, or the items of static_iter()."""
    items = static_iteration_of(tracer, node)
    if items is not None:
        return items
    value = tracer.eval(node)
    if isinstance(value, RangeValue):
        return value
    tracer.node = node
    advice = f"; write: for i in range(len({value.name}))" if isinstance(value, ListValue) else ""
    raise TileTypeError(f"a for loop runs over range(...) or static_iter(...), not over a {describe(value)}{advice}")


def _unroll(tracer: Tracer, node: ast.For, items: tuple[Any, ...]) -> None:
    if any(leaves_early(statement) for statement in node.body):
        raise TileSyntaxError("the body of 'for ... in static_iter(...)' cannot contain break, continue or return")
    if len(items) > 1000:
        raise TileStaticEvalError(f"static_iter() over {len(items)} items; expected at most 1000")
    for item in items:
        assign(tracer, node.target, item)
        tracer.run(node.body)


Bounds = tuple[TileValue, TileValue, TileValue]
"""Start, stop and step of a range."""


def _range_bounds(tracer: Tracer, bounds: RangeValue) -> Bounds:
    parts = (bounds.start, bounds.stop, bounds.step)
    dtype = None
    for part in parts:
        if isinstance(part, TileValue):
            dtype = part.dtype if dtype is None else promote(dtype, part.dtype)
    for part in parts:
        if not isinstance(part, TileValue):
            dtype = dtype_of_literal(int(part)) if dtype is None else promote_with_literal(dtype, part)
    return tuple(coerce(tracer, part, dtype) for part in parts)  # type: ignore[return-value]


def _trace_until_lengths_agree(tracer: Tracer, node: ast.For | ast.While, bounds: Bounds | None) -> Any:
    """Trace one loop. Gives the flag "has returned": a bool or a run-time one."""
    before, reads = tracer.frame.names, tracer.frame.reads
    ends: dict[str, list[Any]] = {}
    while True:
        try:
            return _trace_loop(tracer, node, bounds, ends)
        except OtherLengths as found:  # known only now: trace it again
            ends.setdefault(found.name, []).append(found.end)
            tracer.frame.names, tracer.frame.reads, tracer.node = before, reads, node


def _trace_loop(tracer: Tracer, node: ast.For | ast.While, bounds: Bounds | None, ends: dict[str, list[Any]]) -> Any:
    """`ends`: values of names after an iteration whose arrays have other extents or strides than before it."""
    frame, before = tracer.frame, tracer.frame.names
    returns, stored = contains_return(node.body), names_stored_in([node])
    returned_before = before.get(RETURN, MISSING)  # the flag of a loop around this one
    if returns:
        stored = [*stored, RETURN]
        before = {**before, RETURN: False}
    loop = _Loop(tracer, node, bounds)
    loop.carried = [
        carry(tracer, name, before[name], ends.get(name, []), loop.body)
        for name in stored
        if name in before and not isinstance(before[name], Undefined)
    ]
    # A value that was read before may be gone, and its identity be that of something new.
    reads, frame.reads = frame.reads, set()
    loop.trace_body(before)
    frame.names = before
    out = [n for n in stored if n not in before or isinstance(before[n], Undefined)] if loop.endless else []
    loop.close([*out, RESULT] if returns else out)
    frame.reads |= reads
    if not returns:
        return False
    returned = frame.names.pop(RETURN)
    if returned_before is not MISSING:
        frame.names[RETURN] = returned_before
    only_returns = loop.endless and not contains_break(node.body)
    return True if only_returns else returned


class _Loop:
    """A loop that is being traced. `kind`: a "for" becomes "counted" if its body can break, which is known when the
    body was traced: a break that compile-time conditions remove costs nothing."""

    def __init__(self, tracer: Tracer, node: ast.For | ast.While, bounds: Bounds | None):
        self.tracer = tracer
        self.node = node
        self.bounds = bounds
        self.kind = "while" if bounds is None else "for"
        self.body = Block()
        self.carried: list[Carried] = []
        self.counter: TileValue | None = None
        if bounds is not None:
            self.counter = TileValue(Value(tile_type(bounds[0].dtype, ())), bounds[0].dtype, ())
        self.next_counter: TileValue | None = None  # of a counted loop
        self.header: Op | None = None  # the break before the body
        self.endless = False
        self.breaks: Any = False  # whether an iteration ends with a break: a bool or a run-time flag
        self.after: dict[str, Any] = {}  # the names at the end of an iteration

    def trace_body(self, before: dict[str, Any]) -> None:
        """`before`: the names before the loop."""
        tracer, frame = self.tracer, self.tracer.frame
        frame.names = {**before, **{c.name: c.inside for c in self.carried}, BREAK: False}
        frame.names.pop(LEFT, None)  # of an `if` around the loop
        frame.names.pop(UNSET, None)
        if isinstance(self.node, ast.For):
            targets = names_stored_in([ast.Expr(self.node.target)])
            frame.assigned.update({name: tracer.location for name in targets})
        contexts, outer_contexts = frame.contexts, frame.loop_contexts
        frame.loops, frame.loop_contexts = frame.loops + 1, len(contexts)
        with tracer.inserting_into(self.body):
            start = len(self.body.ops)
            self._trace_iteration()
            frame.contexts, frame.loop_contexts = contexts, outer_contexts
            self.after = frame.names
            self.breaks = self.after.pop(BREAK)
            if self.kind == "for" and self.breaks is not False:
                self._count(start)
        frame.loops -= 1

    def _trace_iteration(self) -> None:
        tracer, node = self.tracer, self.node
        if isinstance(node, ast.While):
            condition = eval_condition(tracer, node.test)
            tracer.node = node
            self.endless = condition is True
            if not self.endless:
                self.header = self._break_unless(coerce(tracer, condition, None))
        else:
            assign(tracer, node.target, self.counter)
        tracer.run(node.body)
        tracer.node = node

    def _count(self, start: int) -> None:
        """Make it a loop that counts itself; the body begins behind its operation `start`."""
        tracer = self.tracer
        self.kind = "counted"
        with tracer.inserting_into(Block()) as at_start:
            self.header = self._break_unless(binary(tracer, "less", self.counter, self.bounds[1]))
        self.body.ops[start:start] = at_start.ops
        self.next_counter = binary(tracer, "add", self.counter, self.bounds[2])

    def _break_unless(self, condition: TileValue) -> Op:
        """`if condition {} else { break }`; the values of the break are set when the loop is closed."""
        tracer = self.tracer
        with tracer.inserting_into(Block()) as go_on:
            tracer.emit("yield", [], [])
        with tracer.inserting_into(Block()) as leave:
            op = tracer.emit("break", [], [])
        tracer.emit("if", [condition.value], [], blocks=[go_on, leave])
        return op

    def close(self, first_set_inside: list[str]) -> None:
        """Append the loop and set the names after it. `first_set_inside`: names that get their first value inside and
        keep it."""
        tracer, frame = self.tracer, self.tracer.frame
        names = dict(frame.names)
        for name in first_set_inside:
            value = self.after.get(name, MISSING)
            if value is not MISSING and not isinstance(value, Undefined):
                self.carried.append(carry_out(tracer, name, value))
        kept = self._kept(names)
        for name in self.after:
            if name not in names and not name.startswith("$"):
                names[name] = Undefined(f"gets a value only inside the loop at line {tracer.node.lineno}, which may run"
                                        " zero times; assign it before the loop")  # fmt: skip
        self._end_body([tile.value for _, final in kept for tile in final])
        carried = [c for c, _ in kept]
        results = iter(self._append(carried))
        for c in carried:
            names[c.name] = value_after_loop(tracer, c, self.after[c.name], results)
            tracer.note(c.name, c.inside)
            tracer.note(c.name, names[c.name])
        frame.names = names

    def _kept(self, names: dict[str, Any]) -> list[tuple[Carried, list[TileValue]]]:
        """The names to carry, with the values for the next iteration; the others are set in `names`."""
        kept = []
        for c in self.carried:
            end = self.after.get(c.name, MISSING)
            if end is c.inside and end is not None:
                c.forward_arguments()  # never assigned on any path that was traced
                names[c.name] = c.before
                continue
            final = end_values(self.tracer, c, end, self.body)
            if final is not None:
                kept.append((c, final))
            else:
                names[c.name] = end if isinstance(end, Undefined) else type_change(self.tracer, c, end)
        return kept

    def _end_body(self, values: list[Value]) -> None:
        """`values`: what is carried to the next iteration."""
        tracer = self.tracer
        values = self._with_counter(self.next_counter, values)
        with tracer.inserting_into(self.body):
            if self.breaks is not False:
                flag = coerce(tracer, self.breaks, None)
                with tracer.inserting_into(Block()) as leave:
                    tracer.emit("break", values, [])
                with tracer.inserting_into(Block()) as go_on:
                    tracer.emit("yield", [], [])
                tracer.emit("if", [flag.value], [], blocks=[leave, go_on])
            tracer.emit("continue", list(values), [])

    def _append(self, carried: list[Carried]) -> list[Value]:
        """The loop as an operation, which carries these; its results for them."""
        tracer, body = self.tracer, self.body
        initial = [tile.value for c in carried for tile in c.tiles]
        arguments = [argument.value for c in carried for argument in c.arguments]
        types = [value.type for value in initial]
        if self.header is not None:
            self.header.operands = self._with_counter(self.counter, arguments)
        body.arguments = arguments if self.counter is None else [self.counter.value, *arguments]
        if self.kind == "for":
            return tracer.emit("for", [b.value for b in self.bounds] + initial, types, blocks=[body]).results
        if self.kind == "counted":
            start, counter_type = self.bounds[0].value, self.counter.value.type
            return tracer.emit("loop", [start, *initial], [counter_type, *types], blocks=[body]).results[1:]
        return tracer.emit("loop", initial, types, blocks=[body]).results

    def _with_counter(self, counter: TileValue | None, values: list[Value]) -> list[Value]:
        return [counter.value, *values] if self.kind == "counted" else list(values)
