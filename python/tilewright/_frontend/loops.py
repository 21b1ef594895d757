# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`for` and `while`. A name that the body assigns is carried from one iteration to the next, if it had a value before;
how a loop is left early is told in `branches`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.branches import MISSING
from tilewright._frontend.frame import BREAK, LEFT, RESULT, RETURN, UNSET
from tilewright._frontend.ir import Block, Op, Value, tile_type, walk
from tilewright._frontend.merging import (
    LEAF,
    as_tile,
    flatten,
    same_constant,
    same_number,
    same_skeleton,
    same_types,
    unflatten,
)
from tilewright._frontend.ops.conversions import coerce
from tilewright._frontend.ops.elementwise import binary
from tilewright._frontend.syntax import contains_break, contains_return, leaves_early, names_stored_in
from tilewright._frontend.values import RangeValue, TileValue, Undefined, describe, how_to_agree
from tilewright.dtypes import dtype_of_literal, promote, promote_with_literal
from tilewright.errors import TileStaticEvalError, TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer


class LoopTracer:
    def run_loop(self: Tracer, node: ast.For | ast.While, rest: list[ast.stmt]) -> bool | None:
        if node.orelse:
            raise TileSyntaxError("a loop in tile code has no 'else'; put the statements after the loop")
        if isinstance(node, ast.For):
            iterable = self.eval_iterable(node.iter)
            if not isinstance(iterable, RangeValue):
                self.run_unrolled(node, iterable)
                return None
            returned = self._loop(node, "for", self._range_bounds(iterable))
        else:
            returned = self._loop(node, "while", None)
        if returned is False:
            return None
        # A return inside the loop: code after it runs only if it was not taken.
        if returned is True:
            self._leave_after_loop()
            return True
        self.branch(returned, self._leave_after_loop, lambda: self._run_path(rest, True))
        return True

    def _leave_after_loop(self: Tracer) -> None:
        if self.frame.loops:
            self.frame.names[BREAK] = True
            self.frame.names[RETURN] = True
        self.mark_left()

    def run_unrolled(self: Tracer, node: ast.For, items: tuple[Any, ...]) -> None:
        if any(leaves_early(statement) for statement in node.body):
            raise TileSyntaxError("the body of 'for ... in static_iter(...)' cannot contain break, continue or return")
        if len(items) > 1000:
            raise TileStaticEvalError(f"static_iter() over {len(items)} items; expected at most 1000")
        for item in items:
            self.assign(node.target, item)
            self.run_block(node.body)

    def _range_bounds(self: Tracer, bounds: RangeValue) -> tuple[TileValue, TileValue, TileValue]:
        parts = (bounds.start, bounds.stop, bounds.step)
        dtype = None
        for part in parts:
            if isinstance(part, TileValue):
                dtype = part.dtype if dtype is None else promote(dtype, part.dtype)
        for part in parts:
            if not isinstance(part, TileValue):
                dtype = dtype_of_literal(int(part)) if dtype is None else promote_with_literal(dtype, part)
        return tuple(coerce(self, part, dtype) for part in parts)  # type: ignore[return-value]

    def _loop(self: Tracer, node: ast.For | ast.While, kind: str, bounds: Any) -> Any:
        """Trace one loop. `kind`: "for" or "while"; a for becomes "counted" if its body can break, which is known when
        the body was traced: a break that compile-time conditions remove costs nothing. Gives the flag "has returned": a
        bool or a run-time one."""
        before, reads = self.frame.names, self.frame.reads
        ends: dict[str, list[Any]] = {}
        while True:
            try:
                return self._trace_loop(node, kind, bounds, ends)
            except _OtherLengths as found:  # known only now: trace it again
                ends.setdefault(found.name, []).append(found.end)
                self.frame.names, self.frame.reads, self.node = before, reads, node

    def _trace_loop(self: Tracer, node: ast.For | ast.While, kind: str, bounds: Any, ends: dict[str, list[Any]]) -> Any:
        """`ends`: values of names after an iteration whose arrays have other extents or strides than before it."""
        frame, before = self.frame, self.frame.names
        returns, stored = contains_return(node.body), names_stored_in([node])
        returned_before = before.get(RETURN, MISSING)  # the flag of a loop around this one
        if returns:
            stored = [*stored, RETURN]
            before = {**before, RETURN: False}
        body = Block()
        carried = [self._carry(name, before[name], ends.get(name, []), body) for name in stored
                   if name in before and not isinstance(before[name], Undefined)]  # fmt: skip
        counter = None
        if kind != "while":
            counter = TileValue(Value(tile_type(bounds[0].dtype, ())), bounds[0].dtype, ())
        frame.names = {**before, **{c.name: c.inside for c in carried}, BREAK: False}
        frame.names.pop(LEFT, None)  # of an `if` around the loop
        frame.names.pop(UNSET, None)
        # A value that was read before may be gone, and its identity be that of something new.
        reads, frame.reads = frame.reads, set()
        if kind != "while":
            frame.assigned.update({name: self.location for name in names_stored_in([_store(node.target)])})
        frame.loops += 1
        outer_contexts, frame.loop_contexts = frame.loop_contexts, len(frame.contexts)
        contexts = frame.contexts
        with self.inserting_into(body):
            header = next_counter = None
            endless = False
            start = len(body.ops)
            if kind == "while":
                condition = self.condition(node.test)
                self.node = node
                endless = condition is True
                if not endless:
                    header = self._break_unless(coerce(self, condition, None))
            if counter is not None:
                self.assign(node.target, counter)
            self.run_block(node.body)
            self.node = node
            frame.contexts, frame.loop_contexts = contexts, outer_contexts
            after = frame.names
            breaks = after.pop(BREAK)
            if kind == "for" and breaks is not False:
                kind = "counted"
                with self.inserting_into(Block()) as at_start:
                    header = self._break_unless(binary(self, "less", counter, bounds[1]))
                body.ops[start:start] = at_start.ops
                next_counter = binary(self, "add", counter, bounds[2])
        frame.loops -= 1
        frame.names = before
        fresh = self._fresh(stored, before, after, endless, returns)
        self._close_loop(kind, body, bounds, counter, next_counter, header, breaks, carried, fresh, after)
        frame.reads |= reads
        if not returns:
            return False
        returned = frame.names.pop(RETURN)
        if returned_before is not MISSING:
            frame.names[RETURN] = returned_before
        only_returns = endless and not contains_break(node.body)
        return True if only_returns else returned

    def _break_unless(self: Tracer, condition: TileValue) -> Op:
        """`if condition {} else { break }`; the values of the break are set when the loop is closed."""
        with self.inserting_into(Block()) as go_on:
            self.emit("yield", [], [])
        with self.inserting_into(Block()) as leave:
            op = self.emit("break", [], [])
        self.emit("if", [condition.value], [], blocks=[go_on, leave])
        return op

    def _carry(self: Tracer, name: str, value: Any, ends: list[Any], body: Block) -> _Carried:
        skeleton, leaves = flatten(value, *ends)
        tiles = [as_tile(self, leaf) for leaf in leaves]
        arguments = [TileValue(Value(t.value.type), t.dtype, t.shape) for t in tiles]
        with self.inserting_into(body):
            inside = unflatten(self, skeleton, iter(arguments))
        return _Carried(name, value, skeleton, leaves, tiles, arguments, inside)

    def _fresh(
        self: Tracer, stored: list[str], before: Any, after: Any, endless: bool, returns: bool
    ) -> list[_Carried]:
        """Names that first get a value inside and keep it: those of an endless loop, and the result of a return."""
        names = [n for n in stored if n not in before or isinstance(before[n], Undefined)] if endless else []
        if returns:
            names.append(RESULT)
        fresh = []
        for name in names:
            value = after.get(name, MISSING)
            if value is not MISSING and not isinstance(value, Undefined):
                skeleton, leaves = flatten(value)
                tiles = [self._zero(leaf) for leaf in leaves]
                arguments = [TileValue(Value(t.value.type), t.dtype, t.shape) for t in tiles]
                unknown = [None] * len(tiles)
                fresh.append(_Carried(name, Undefined("has no value yet"), skeleton, unknown, tiles, arguments, None))
        return fresh

    def _close_loop(
        self: Tracer,
        kind: str,
        body: Block,
        bounds: Any,
        counter: TileValue | None,
        next_counter: TileValue | None,
        header: Op | None,
        breaks: Any,
        carried: list[_Carried],
        fresh: list[_Carried],
        after: dict[str, Any],
    ) -> None:
        frame = self.frame
        names = dict(frame.names)
        kept: list[tuple[_Carried, list[TileValue]]] = []
        for c in [*carried, *fresh]:
            end = after.get(c.name, MISSING)
            if end is c.inside and end is not None:
                c.forward_arguments()  # never assigned on any path that was traced
                names[c.name] = c.before
                continue
            final = self._end_values(c, end, body)
            if final is None:
                names[c.name] = end if isinstance(end, Undefined) else self._type_change(c, end)
            else:
                kept.append((c, final))
        for name in after:
            if name not in names and not name.startswith("$"):
                names[name] = Undefined(f"gets a value only inside the loop at line {self.node.lineno}, which may run"
                                        " zero times; assign it before the loop")  # fmt: skip
        initial = [t.value for c, _ in kept for t in c.tiles]
        arguments = [a.value for c, _ in kept for a in c.arguments]
        final_values = [t.value for _, final in kept for t in final]
        with self.inserting_into(body):
            if breaks is not False:
                flag = coerce(self, breaks, None)
                with self.inserting_into(Block()) as leave:
                    self.emit("break", self._with_counter(kind, next_counter, final_values), [])
                with self.inserting_into(Block()) as go_on:
                    self.emit("yield", [], [])
                self.emit("if", [flag.value], [], blocks=[leave, go_on])
            self.emit("continue", self._with_counter(kind, next_counter, final_values), [])
        if header is not None:
            header.operands = self._with_counter(kind, counter, arguments)
        result_types = [v.type for v in initial]
        if kind == "for":
            body.arguments = [counter.value, *arguments]
            results = self.emit("for", [b.value for b in bounds] + initial, result_types, blocks=[body]).results
        elif kind == "counted":
            body.arguments = [counter.value, *arguments]
            op = self.emit("loop", [bounds[0].value, *initial], [counter.value.type, *result_types], blocks=[body])
            results = op.results[1:]
        else:
            body.arguments = arguments
            results = self.emit("loop", initial, result_types, blocks=[body]).results
        position = iter(results)
        for c, _ in kept:
            ends = flatten(after[c.name], c.inside)[1]
            leaves = [self._result(*leaf, next(position)) for leaf in zip(c.leaves, c.tiles, ends, strict=True)]
            names[c.name] = unflatten(self, c.skeleton, iter(leaves))
            self.note(c.name, c.inside)
            self.note(c.name, names[c.name])
        frame.names = names

    def _result(self: Tracer, start: Any, tile: TileValue, end: Any, value: Value) -> Any:
        """The value of a variable after a loop: a constant if every iteration ends with the one that was there before
        it."""
        if same_number(start, end):
            return start
        if same_constant(start, end):
            return self.constant(start.constant, start.dtype)
        return TileValue(value, tile.dtype, tile.shape)

    def _with_counter(self, kind: str, counter: TileValue | None, values: list[Value]) -> list[Value]:
        return [counter.value, *values] if kind == "counted" and counter is not None else list(values)

    def _end_values(self: Tracer, c: _Carried, end: Any, body: Block) -> list[TileValue] | None:
        """The values for the next iteration, or None if the name has not kept its type and nothing needs it to."""
        is_value = end is not MISSING and not isinstance(end, Undefined)
        skeleton, leaves = flatten(end, c.inside) if is_value else (None, [])
        is_same = same_skeleton(skeleton, c.skeleton)
        if is_same and same_types(leaves, c.tiles):
            with self.inserting_into(body):
                return [as_tile(self, leaf) for leaf in leaves]
        if is_value and not is_same and same_skeleton(skeleton, flatten(c.inside, end)[0]):
            raise _OtherLengths(c.name, end)
        # A value known while tracing leaves no trace in the body where it is used.
        is_read = not is_same and c.skeleton is not LEAF and (c.name, id(c.inside)) in self.frame.reads
        if is_read or c.is_used_in(body):
            place = self.frame.assigned.get(c.name)
            if isinstance(end, Undefined):
                error = TileTypeError(f"{c.name!r}, which the next iteration reads, {end.reason}")
            else:
                error = TileTypeError(self._type_change(c, end).reason.replace("has", f"{c.name!r} has", 1))
            error.location = place
            raise error
        return None

    def _type_change(self: Tracer, c: _Carried, end: Any) -> Undefined:
        start = c.tiles[0] if c.skeleton is LEAF else c.before
        return Undefined(
            f"has a type that the loop at line {self.node.lineno} changes: a {describe(start)} before the loop, a "
            f"{describe(end)} after an iteration; {how_to_agree(start, end)}, or use another name"
        )


class _OtherLengths(Exception):
    """An iteration ends with an array of other known extents or strides than it began with."""

    def __init__(self, name: str, end: Any):
        self.name = name
        self.end = end


class _Carried:
    """A name that a loop carries from one iteration to the next."""

    def __init__(
        self,
        name: str,
        before: Any,
        skeleton: Any,
        leaves: list[Any],
        tiles: list[TileValue],
        arguments: list[TileValue],
        inside: Any,
    ):
        self.name = name
        self.before = before
        self.skeleton = skeleton
        self.leaves = leaves  # of `before`
        self.tiles = tiles  # initial values
        self.arguments = arguments  # of the loop body
        self.inside = inside  # what the name means at the start of the body

    def forward_arguments(self) -> None:
        for argument, tile in zip(self.arguments, self.tiles, strict=True):
            argument.value.replacement = tile.value

    def is_used_in(self, body: Block) -> bool:
        values = {id(argument.value) for argument in self.arguments}
        for op in walk(body):
            if any(id(operand) in values for operand in op.operands):
                if op.name != "cuda_tile.make_tensor_view":  # made for an array whether it is used or not
                    return True
                values.update(id(result) for result in op.results)
        return False


def _store(target: ast.expr) -> ast.Expr:
    return ast.Expr(target)
