# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of statements, `if`, and leaving early.

The program that comes out is structured: the only jumps are `continue` at the end of a loop body and `break` in an `if`
of its own. A branch that leaves early (`return`, `break`, `continue`) takes the statements after the `if` into its
other branch, and what it leaves is remembered in flags ($break, $return) that are values like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tilewright._frontend.frame import BREAK, LEFT, RESULT, RETURN, UNSET
from tilewright._frontend.ir import Block, Value
from tilewright._frontend.merging import (
    as_tile,
    flatten,
    same_constant,
    same_number,
    same_skeleton,
    same_types,
    unflatten,
)
from tilewright._frontend.syntax import leaves_early
from tilewright._frontend.values import Number, TileValue, Undefined, describe, how_to_agree
from tilewright.dtypes import DType, int64
from tilewright.errors import TileError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

MISSING = object()

_MAX_COPIES = 2
"""A statement after an `if` of which both branches may come to it, or leave early, is traced in both: types may then
differ. Each such `if` doubles the copies; beyond this number a flag says whether the statement is reached."""


class _Constant(NamedTuple):
    """A strictly typed constant that both branches give."""

    number: Number
    dtype: DType


def _may_end(statements: list[ast.stmt]) -> bool:
    """Whether control may come to the end of a block, as far as its text says."""
    return not any(_always_leaves(statement) for statement in statements)


def _always_leaves(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return not _may_end(node.body) and not _may_end(node.orelse)
    if isinstance(node, ast.With):
        return not _may_end(node.body)
    return isinstance(node, (ast.Return, ast.Break, ast.Continue))


class BranchTracer:
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
                elif isinstance(statement, ast.With):
                    left = self.run_with(statement, rest)
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
        if tail and _may_end(node.body) and _may_end(node.orelse):
            if self.frame.copies >= _MAX_COPIES:
                return self._run_joined(node, condition, rest)
            copies = 2
        else:
            copies = 1
        self.frame.copies *= copies
        self.branch(condition, lambda: self._run_path([*node.body, *tail], early),
                    lambda: self._run_path([*node.orelse, *tail], early))  # fmt: skip
        self.frame.copies //= copies
        return True if early else None

    def _run_joined(self: Tracer, node: ast.If, condition: TileValue, rest: list[ast.stmt]) -> bool | None:
        """Where both branches may go on after the `if`, with what follows once, behind a flag."""
        frame = self.frame
        before = {name: frame.names.get(name, MISSING) for name in (LEFT, UNSET, BREAK, RETURN, RESULT)}
        frame.names[LEFT], frame.names[UNSET] = False, frozenset()
        self.branch(condition, lambda: self.run_block(node.body), lambda: self.run_block(node.orelse))
        self.node = node
        left, unset = frame.names[LEFT], frame.names[UNSET]

        def stay_away() -> None:
            frame.names[LEFT] = True
            frame.names.pop(UNSET)
            for name in unset:
                frame.names[name] = Undefined(f"has no value where the block is left early, after line {node.lineno}")

        def run_rest() -> None:
            # These changed only on paths that do not come here.
            for name, value in before.items():
                frame.names.pop(name, None)
                if value is not MISSING:
                    frame.names[name] = value
            self._run_path(rest, True)

        if left is False:
            run_rest()
        elif left is not True:
            self.branch(left, stay_away, run_rest)
        if before[LEFT] is MISSING:
            frame.names.pop(LEFT, None)
            frame.names.pop(UNSET, None)
        return True

    def _run_path(self: Tracer, statements: list[ast.stmt], to_the_end: bool) -> None:
        left = self.run_block(statements)
        if to_the_end and not left and not self.frame.loops and LEFT not in self.frame.names:
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
        contexts = frame.contexts
        blocks, names, assigned = [], [], []
        for run in (then, otherwise):
            frame.names, frame.contexts = dict(before), contexts
            self.node = node
            with self.inserting_into(Block()) as block:
                run()
            blocks.append(block)
            names.append(frame.names)
            assigned.append(dict(frame.assigned))
        self.node = node
        frame.names, frame.contexts = {}, contexts
        yields: tuple[list[Value], list[Value]] = ([], [])
        pending: list[
            tuple[str, Any, list[Any]]
        ] = []  # name, skeleton, leaves: a number, or (dtype, shape) of a result
        unset = [n.pop(UNSET) for n in names if UNSET in n]
        if unset:
            frame.names[UNSET] = frozenset().union(*unset)
        for name in dict.fromkeys([*names[0], *names[1]]):
            values = [n.get(name, MISSING) for n in names]
            if values[0] is values[1]:
                frame.names[name] = values[0]
                continue
            if name == RESULT or not name.startswith("$"):
                self._fill_unread(name, values, names, blocks)
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
            rebuilt = [
                self.constant(*leaf)
                if isinstance(leaf, _Constant)
                else TileValue(next(position), *leaf)
                if isinstance(leaf, tuple)
                else leaf
                for leaf in leaves
            ]
            frame.names[name] = unflatten(self, skeleton, iter(rebuilt))
            self.note(name, frame.names[name])

    def _fill_unread(
        self: Tracer, name: str, values: list[Any], names: list[dict[str, Any]], blocks: list[Block]
    ) -> None:
        """Where a branch does not return, the result is never read: any value of the right type will do. So it is, by
        what follows behind a flag, with names that have none in a branch that leaves; the others are noted in UNSET."""
        for i in (0, 1):
            other = values[1 - i]
            if other is MISSING or isinstance(other, Undefined):
                continue
            if name == RESULT:
                unread = values[i] is MISSING
            else:
                unread = names[i].get(LEFT) is True and (values[i] is MISSING or isinstance(values[i], Undefined))
            if unread:
                with self.inserting_into(blocks[i]):
                    values[i] = self._placeholder(other)
                if name != RESULT:
                    self.frame.names[UNSET] = self.frame.names.get(UNSET, frozenset()) | {name}

    def _placeholder(self: Tracer, like: Any) -> Any:
        skeleton, leaves = flatten(like)
        return unflatten(self, skeleton, iter([self._zero(leaf) for leaf in leaves]))

    def _zero(self: Tracer, leaf: Any) -> TileValue:
        leaf = leaf if isinstance(leaf, TileValue) else as_tile(self, leaf)
        if leaf.dtype.is_pointer:
            zero = self.constant(0, int64, leaf.shape)
            return TileValue(self.emit("int_to_ptr", [zero.value], [leaf.type]).results[0], leaf.dtype, leaf.shape)
        return self.constant(0, leaf.dtype, leaf.shape)

    def _merge(
        self: Tracer, name: str, values: list[Any], blocks: list[Block], assigned: list[Any], yields: Any
    ) -> Any:
        """An Undefined, or (skeleton, leaves) with the run-time leaves appended to `yields`."""
        for i in (0, 1):
            if values[i] is MISSING:
                where = "true" if i == 1 else "false"
                return Undefined(f"has a value only if the condition at line {self.node.lineno} is {where}; assign it"
                                 " before the 'if' or in both branches")  # fmt: skip
            if isinstance(values[i], Undefined):
                return values[i]
        (skeleton, leaves), (other_skeleton, other_leaves) = flatten(*values), flatten(*reversed(values))
        if not same_skeleton(skeleton, other_skeleton) or not same_types(leaves, other_leaves):
            what = "the result" if name == RESULT else "its value"
            lines = [f" (line {a[name].line})" if name in a else "" for a in assigned]
            return Undefined(
                f"has a type that depends on the path: {what} is a {describe(values[0])}{lines[0]} or a "
                f"{describe(values[1])}{lines[1]}; {how_to_agree(*values)}"
            )
        merged: list[Any] = []
        for pair in zip(leaves, other_leaves, strict=True):
            if pair[0] is pair[1] or same_number(*pair):
                merged.append(pair[0])
                continue
            if same_constant(*pair):
                merged.append(_Constant(pair[0].constant, pair[0].dtype))
                continue
            for leaf, block, values_out in zip(pair, blocks, yields, strict=True):
                with self.inserting_into(block):
                    tile = as_tile(self, leaf)
                values_out.append(tile.value)
            merged.append((tile.dtype, tile.shape))
        return skeleton, merged
