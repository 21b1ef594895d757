# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""if, for, while, and leaving them early.

The program that comes out is structured: the only jumps are `continue` at the end of a loop body and `break` in an `if`
of its own. A branch that leaves early (`return`, `break`, `continue`) takes the statements after the `if` into its
other branch, and what it leaves is remembered in flags ($break, $return) that are values like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright._frontend.frame import BREAK, RESULT, RETURN
from tilewright._frontend.ir import Block, Op, Value, tile_type, walk
from tilewright._frontend.merging import (
    as_tile,
    flatten,
    same_number,
    same_skeleton,
    same_types,
    unflatten,
)
from tilewright._frontend.ops.elementwise import binary, coerce
from tilewright._frontend.values import RangeValue, TileValue, Undefined, describe, names_stored_in
from tilewright.dtypes import dtype_of_literal, promote, promote_with_literal
from tilewright.errors import TileError, TileSyntaxError, TileTypeError, TileValueError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

_MISSING = object()


def leaves_early(node: ast.AST, inside_loop: bool = False) -> bool:
    """Whether a statement contains a return, or a break or continue of the loop around it."""
    if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not inside_loop):
        return True
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.expr)):
        return False
    inside_loop = inside_loop or isinstance(node, (ast.For, ast.While))
    return any(leaves_early(child, inside_loop) for child in ast.iter_child_nodes(node))


def contains_return(nodes: list[ast.stmt]) -> bool:
    return any(leaves_early(node, inside_loop=True) for node in nodes)


class ControlFlowTracer:
    # ---- blocks and if ----

    def run_block(self: Tracer, statements: list[ast.stmt]) -> bool:
        """Trace statements in order; True if control left the block before its end on every path."""
        for i, statement in enumerate(statements):
            self.node = statement
            rest = statements[i + 1 :]
            try:
                if isinstance(statement, ast.If):
                    left = self.run_if(statement, rest)
                elif isinstance(statement, (ast.For, ast.While)):
                    left = self.run_loop(statement, rest)
                else:
                    left = self.run_statement(statement)
            except TileError as error:
                if error.location is None:
                    error.location = self.location
                raise
            if left is not None:
                return left
        return False

    def run_if(self: Tracer, node: ast.If, rest: list[ast.stmt]) -> bool | None:
        """None: go on with the next statement. Otherwise `rest` has been traced too, with this result."""
        condition = self.condition(node.test)
        early = leaves_early(node)
        tail = rest if early else []
        if isinstance(condition, bool):
            left = self.run_block([*(node.body if condition else node.orelse), *tail])
            return left if early else None
        self.branch(condition, lambda: self._run_path([*node.body, *tail], early),
                    lambda: self._run_path([*node.orelse, *tail], early))  # fmt: skip
        return True if early else None

    def _run_path(self: Tracer, statements: list[ast.stmt], to_the_end: bool) -> None:
        left = self.run_block(statements)
        if to_the_end and not left and not self.frame.loops:
            self.frame.names[RESULT] = None  # fell off the end of the function

    def select_branch(self: Tracer, condition: TileValue, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """The value of a conditional expression; only the branch taken is evaluated."""
        key = f"$value{self.depth}"

        def keep(evaluate: Callable[[], Any]) -> Callable[[], None]:
            def run() -> None:
                value = evaluate()
                self.frame.names[key] = value

            return run

        self.branch(condition, keep(then), keep(otherwise))
        value = self.frame.names.pop(key)
        if isinstance(value, Undefined):
            raise TileTypeError(f"the value of the conditional expression {value.reason}")
        return value

    def branch(self: Tracer, condition: TileValue, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Trace both branches of a run-time condition and merge the names they set."""
        frame, before, node = self.frame, self.frame.names, self.node
        blocks, names, assigned = [], [], []
        for run in (then, otherwise):
            frame.names = dict(before)
            self.node = node
            with self.inserting_into(Block()) as block:
                run()
            blocks.append(block)
            names.append(frame.names)
            assigned.append(dict(frame.assigned))
        self.node = node
        frame.names = {}
        yields: tuple[list[Value], list[Value]] = ([], [])
        pending: list[
            tuple[str, Any, list[Any]]
        ] = []  # name, skeleton, leaves: a number, or (dtype, shape) of a result
        for name in dict.fromkeys([*names[0], *names[1]]):
            values = [n.get(name, _MISSING) for n in names]
            if values[0] is values[1]:
                frame.names[name] = values[0]
                continue
            if name == RESULT:
                self._fill_result(values, blocks)
            merged = self._merge(name, values, blocks, assigned, yields)
            if isinstance(merged, Undefined):
                frame.names[name] = merged
            else:
                pending.append((name, *merged))
        if not any(block.ops for block in blocks) and not yields[0]:
            results: list[Value] = []
        else:
            for block, values in zip(blocks, yields, strict=True):
                with self.inserting_into(block):
                    self.emit("yield", values, [])
            results = self.emit("if", [condition.value], [v.type for v in yields[0]], blocks=blocks).results
        position = iter(results)
        for name, skeleton, leaves in pending:
            rebuilt = [TileValue(next(position), *leaf) if isinstance(leaf, tuple) else leaf for leaf in leaves]
            frame.names[name] = unflatten(skeleton, iter(rebuilt))

    def _fill_result(self: Tracer, values: list[Any], blocks: list[Block]) -> None:
        """Where a branch does not return, the result is never read: any value of the right type will do."""
        for i in (0, 1):
            other = values[1 - i]
            if values[i] is _MISSING and other is not _MISSING and not isinstance(other, Undefined):
                with self.inserting_into(blocks[i]):
                    values[i] = self._placeholder(other)

    def _placeholder(self: Tracer, like: Any) -> Any:
        skeleton, leaves = flatten(like)
        return unflatten(skeleton, iter([self._zero(leaf) for leaf in leaves]))

    def _zero(self: Tracer, leaf: Any) -> TileValue:
        leaf = leaf if isinstance(leaf, TileValue) else as_tile(self, leaf)
        return self.constant(0, leaf.dtype, leaf.shape)

    def _merge(
        self: Tracer, name: str, values: list[Any], blocks: list[Block], assigned: list[Any], yields: Any
    ) -> Any:
        """An Undefined, or (skeleton, leaves) with the run-time leaves appended to `yields`."""
        for i in (0, 1):
            if values[i] is _MISSING:
                where = "true" if i == 1 else "false"
                return Undefined(f"has a value only if the condition at line {self.node.lineno} is {where}; assign it"
                                 " before the 'if' or in both branches")  # fmt: skip
            if isinstance(values[i], Undefined):
                return values[i]
        (skeleton, leaves), (other_skeleton, other_leaves) = flatten(values[0]), flatten(values[1])
        if not same_skeleton(skeleton, other_skeleton) or not same_types(leaves, other_leaves):
            what = "the result" if name == RESULT else "its value"
            lines = [f" (line {a[name].line})" if name in a else "" for a in assigned]
            return Undefined(
                f"has a type that depends on the path: {what} is a {describe(values[0])}{lines[0]} or a "
                f"{describe(values[1])}{lines[1]}; make both the same with astype() or reshape()"
            )
        merged: list[Any] = []
        for pair in zip(leaves, other_leaves, strict=True):
            if pair[0] is pair[1] or same_number(*pair):
                merged.append(pair[0])
                continue
            for leaf, block, values_out in zip(pair, blocks, yields, strict=True):
                with self.inserting_into(block):
                    tile = as_tile(self, leaf)
                values_out.append(tile.value)
            merged.append((tile.dtype, tile.shape))
        return skeleton, merged

    # ---- loops ----

    def run_loop(self: Tracer, node: ast.For | ast.While, rest: list[ast.stmt]) -> bool | None:
        if node.orelse:
            raise TileSyntaxError("a loop in tile code has no 'else'; put the statements after the loop")
        if isinstance(node, ast.For):
            iterable = self.eval_iterable(node.iter)
            if not isinstance(iterable, RangeValue):
                self.run_unrolled(node, iterable)
                return None
            returned = self._run_for(node, iterable)
        else:
            returned = self._run_while(node)
        if returned is False:
            return None
        # A return inside the loop: what follows runs only if it was not taken.
        if returned is True:
            self._leave_after_loop()
            return True
        self.branch(returned, self._leave_after_loop, lambda: self._run_path(rest, True))
        return True

    def _leave_after_loop(self: Tracer) -> None:
        if self.frame.loops:
            self.frame.names[BREAK] = True
            self.frame.names[RETURN] = True

    def run_unrolled(self: Tracer, node: ast.For, items: tuple[Any, ...]) -> None:
        if any(leaves_early(statement) for statement in node.body):
            raise TileSyntaxError("the body of 'for ... in static_iter(...)' cannot contain break, continue or return")
        if len(items) > 1000:
            raise TileValueError(f"static_iter() over {len(items)} items; expected at most 1000")
        for item in items:
            self.assign(node.target, item)
            self.run_block(node.body)

    def _run_for(self: Tracer, node: ast.For, bounds: RangeValue) -> Any:
        start, stop, step = self._range_bounds(bounds)
        if not any(_breaks(statement) for statement in node.body):
            return self._loop(node, names_stored_in([node]), "for", (start, stop, step))
        # A break that compile-time conditions remove costs nothing: try without.
        block, names, assigned = self.block, self.frame.names, dict(self.frame.assigned)
        with self.inserting_into(Block()) as trial:
            returned = self._loop(node, names_stored_in([node]), "for", (start, stop, step), give_up_on_break=True)
        if returned is not None:
            block.ops.extend(trial.ops)
            return returned
        self.frame.names, self.frame.assigned = names, assigned
        return self._loop(node, names_stored_in([node]), "counted", (start, stop, step))

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

    def _run_while(self: Tracer, node: ast.While) -> Any:
        return self._loop(node, names_stored_in([node]), "while", None)

    def _loop(
        self: Tracer,
        node: ast.For | ast.While,
        stored: list[str],
        kind: str,
        bounds: Any,
        give_up_on_break: bool = False,
    ) -> Any:
        """Trace one loop. `kind`: "for", "counted" (a for that can break), or "while". Gives the flag "has returned": a
        bool or a run-time one; None if `give_up_on_break` and there was a break."""
        frame, before = self.frame, self.frame.names
        returns = contains_return(node.body)
        returned_before = before.get(RETURN, _MISSING)  # the flag of a loop around this one
        if returns:
            stored = [*stored, RETURN]
            before = {**before, RETURN: False}
        carried = [self._carry(name, before[name]) for name in stored
                   if name in before and not isinstance(before[name], Undefined)]  # fmt: skip
        body = Block()
        counter = None
        if kind != "while":
            counter = TileValue(Value(tile_type(bounds[0].dtype, ())), bounds[0].dtype, ())
        frame.names = {**before, **{c.name: c.inside for c in carried}, BREAK: False}
        if kind != "while":
            frame.assigned.update({name: self.location for name in names_stored_in([_store(node.target)])})
        frame.loops += 1
        with self.inserting_into(body):
            header = None
            endless = False
            if kind == "counted":
                header = self._break_unless(binary(self, "less", counter, bounds[1]))
            elif kind == "while":
                condition = self.condition(node.test)
                self.node = node
                endless = condition is True
                if not endless:
                    header = self._break_unless(coerce(self, condition, None))
            if counter is not None:
                self.assign(node.target, counter)
            self.run_block(node.body)
            self.node = node
            after = frame.names
            breaks = after.pop(BREAK)
            if kind == "for" and breaks is not False:
                frame.names, frame.loops = before, frame.loops - 1
                return None
            next_counter = binary(self, "add", counter, bounds[2]) if kind == "counted" else None
        frame.loops -= 1
        frame.names = before
        fresh = self._fresh(stored, before, after, endless, returns)
        self._close_loop(kind, body, bounds, counter, next_counter, header, breaks, carried, fresh, after)
        if not returns:
            return False
        returned = frame.names.pop(RETURN)
        if returned_before is not _MISSING:
            frame.names[RETURN] = returned_before
        only_returns = endless and not any(_breaks(s, returns_too=False) for s in node.body)
        return True if only_returns else returned

    def _break_unless(self: Tracer, condition: TileValue) -> Op:
        """`if condition {} else { break }`; the values of the break are set when the loop is closed."""
        with self.inserting_into(Block()) as go_on:
            self.emit("yield", [], [])
        with self.inserting_into(Block()) as leave:
            op = self.emit("break", [], [])
        self.emit("if", [condition.value], [], blocks=[go_on, leave])
        return op

    def _carry(self: Tracer, name: str, value: Any) -> _Carried:
        skeleton, leaves = flatten(value)
        tiles = [as_tile(self, leaf) for leaf in leaves]
        arguments = [TileValue(Value(t.value.type), t.dtype, t.shape) for t in tiles]
        return _Carried(name, value, skeleton, tiles, arguments, unflatten(skeleton, iter(arguments)))

    def _fresh(
        self: Tracer, stored: list[str], before: Any, after: Any, endless: bool, returns: bool
    ) -> list[_Carried]:
        """Names that first get a value inside and keep it: those of an endless loop, and the result of a return."""
        names = [n for n in stored if n not in before or isinstance(before[n], Undefined)] if endless else []
        if returns:
            names.append(RESULT)
        fresh = []
        for name in names:
            value = after.get(name, _MISSING)
            if value is not _MISSING and not isinstance(value, Undefined):
                skeleton, leaves = flatten(value)
                tiles = [self._zero(leaf) for leaf in leaves]
                arguments = [TileValue(Value(t.value.type), t.dtype, t.shape) for t in tiles]
                fresh.append(_Carried(name, Undefined("has no value yet"), skeleton, tiles, arguments, None))
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
            end = after.get(c.name, _MISSING)
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
            leaves = [TileValue(next(position), t.dtype, t.shape) for t in c.tiles]
            names[c.name] = unflatten(c.skeleton, iter(leaves))
        frame.names = names

    def _with_counter(self, kind: str, counter: TileValue | None, values: list[Value]) -> list[Value]:
        return [counter.value, *values] if kind == "counted" and counter is not None else list(values)

    def _end_values(self: Tracer, c: _Carried, end: Any, body: Block) -> list[TileValue] | None:
        """The values for the next iteration, or None if the name has not kept its type and nothing needs it to."""
        if end is not _MISSING and not isinstance(end, Undefined):
            skeleton, leaves = flatten(end)
            if same_skeleton(skeleton, c.skeleton) and same_types(leaves, c.tiles):
                with self.inserting_into(body):
                    return [as_tile(self, leaf) for leaf in leaves]
        if c.is_used_in(body):
            place = self.frame.assigned.get(c.name)
            if isinstance(end, Undefined):
                error = TileTypeError(f"{c.name!r}, which the next iteration reads, {end.reason}")
            else:
                error = TileTypeError(self._type_change(c, end).reason.replace("has", f"{c.name!r} has", 1))
            error.location = place
            raise error
        return None

    def _type_change(self: Tracer, c: _Carried, end: Any) -> Undefined:
        start = unflatten(c.skeleton, iter(c.tiles))
        return Undefined(
            f"has a type that the loop at line {self.node.lineno} changes: a {describe(start)} before the loop, a "
            f"{describe(end)} after an iteration; make both the same with astype() or reshape(), or use another name"
        )


class _Carried:
    """A name that a loop carries from one iteration to the next."""

    def __init__(
        self, name: str, before: Any, skeleton: Any, tiles: list[TileValue], arguments: list[TileValue], inside: Any
    ):
        self.name = name
        self.before = before
        self.skeleton = skeleton
        self.tiles = tiles  # initial values
        self.arguments = arguments  # of the loop body
        self.inside = inside  # what the name means at the start of the body

    def forward_arguments(self) -> None:
        for argument, tile in zip(self.arguments, self.tiles, strict=True):
            argument.value.replacement = tile.value

    def is_used_in(self, body: Block) -> bool:
        values = {id(argument.value) for argument in self.arguments}
        return any(id(operand) in values for op in walk(body) for operand in op.operands)


def _breaks(node: ast.AST, returns_too: bool = True) -> bool:
    """Whether a statement contains a break of the loop around it, or a return."""
    if isinstance(node, ast.Break) or (returns_too and isinstance(node, ast.Return)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.expr)):
        return False
    if isinstance(node, (ast.For, ast.While)):
        return returns_too and contains_return([node])
    return any(_breaks(child, returns_too) for child in ast.iter_child_nodes(node))


def _store(target: ast.expr) -> ast.Expr:
    return ast.Expr(target)
