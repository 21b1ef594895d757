# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of tracing, and the dispatch from nodes of the syntax tree to what evaluates and executes them.

Everything known at compile time is an ordinary Python object and is computed by Python; tiles are `TileValue`s and turn
into operations.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from tilewright._frontend.ir.attributes import Attributes, Dense, dense
from tilewright._frontend.ir.numbers import convert_number
from tilewright._frontend.ir.program import Block, MemoryAccess, Op, Value
from tilewright._frontend.ir.types import Type, tile_type
from tilewright._frontend.ops.registry import IMPLEMENTATIONS
from tilewright._frontend.source.location import Location, locate
from tilewright._frontend.source.syntax import names_stored_in
from tilewright._frontend.trace.calls.binding import bind_intrinsic
from tilewright._frontend.trace.control.flattening import LEAF, flatten
from tilewright._frontend.trace.frame import BROKEN, Checkpoint, Frame
from tilewright._frontend.values.kinds import (
    ArrayValue,
    BoundMethod,
    Closure,
    Number,
    RawMemoryValue,
    TiledViewValue,
    TileValue,
)
from tilewright._intrinsic import Intrinsic
from tilewright.dtypes import DType
from tilewright.errors import TileError, TileSyntaxError, TileUnsupportedFeatureError


class Named(NamedTuple):
    """A value, and the variable that has it from the place on; merged values of branches and loops have no place."""

    name: str
    value: Value
    place: Location | None


class Language(NamedTuple):
    """The contents of tile code: the function for each class of node, and words about those that are refused."""

    expressions: Mapping[type[ast.AST], Callable[[Tracer, Any], Any]]
    """Give the value."""
    statements: Mapping[type[ast.AST], Callable[[Tracer, Any], bool | None]]
    """Give True if control leaves the block there, None to go on."""
    control_flow: Mapping[type[ast.AST], Callable[[Tracer, Any, list[ast.stmt]], bool | None]]
    """Are statements that may trace the rest of the block, too: then they say whether control left it, else None."""
    call: Callable[[Tracer, Any, tuple[Any, ...], dict[str, Any]], Any]
    """Calls a function with positional and named arguments."""
    refused: Mapping[type[ast.AST], str]


class Tracer:
    """The values of variables go to `named`, for a debugger or an editor. With `failures`, errors of the kernel's own
    statements go there, and tracing goes on behind the statement."""

    __slots__ = ("block", "constants", "depth", "failures", "frame", "grid", "language", "named", "node")

    def __init__(
        self,
        language: Language,
        block: Block,
        frame: Frame,
        named: list[Named] | None = None,
        failures: list[TileError] | None = None,
    ):
        self.language = language
        self.block = block
        self.frame = frame
        self.node: ast.AST = frame.node  # the node that is being evaluated
        self.named = named
        self.failures = failures
        self.depth = 0
        self.grid: dict[str, TileValue] = {}  # bid and num_blocks of the third axis where the launch has others there
        self.constants: dict[tuple[str, DType, tuple[int, ...]], tuple[Dense, Number | None]] = {}  # each one once

    # ---- syntax ----

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression; an error without a place gets that of the innermost expression."""
        outer, self.node = self.node, node
        try:
            evaluate = self.language.expressions.get(type(node))
            if evaluate is None:
                raise self._refusal(node)
            return evaluate(self, node)
        except TileError as error:
            if error.location is None:
                error.location = self.location
            raise
        finally:
            self.node = outer

    def run(self, statements: list[ast.stmt]) -> bool:
        """Trace statements in order; True if control left the block before its end on every path."""
        control_flow = self.language.control_flow
        for i, statement in enumerate(statements):
            self.node = statement
            execute = control_flow.get(type(statement))
            before = None if self.failures is None else Checkpoint(self.frame)
            try:
                left = (
                    self.run_statement(statement) if execute is None else execute(self, statement, statements[i + 1 :])
                )
            except TileError as error:
                if error.location is None:
                    error.location = self.location
                if before is None or self.frame.caller is not None:
                    raise
                self._go_on(error, statement, before)
                continue
            if left is not None:
                return left
        return False

    def _go_on(self, error: TileError, statement: ast.stmt, before: Checkpoint) -> None:
        """The names that the statement assigns have no value from here on. Errors that only follow from that are left
        out, and so are those of a statement that is traced again."""
        before.restore()
        self.frame.names |= dict.fromkeys(names_stored_in([statement]), BROKEN)
        known = {(each.location, each.message) for each in self.failures}
        if BROKEN.reason not in error.message and (error.location, error.message) not in known:
            self.failures.append(error)

    def run_statement(self, node: ast.stmt) -> bool | None:
        """True if control leaves the block here, None to go on."""
        execute = self.language.statements.get(type(node))
        if execute is None:
            raise self._refusal(node)
        return execute(self, node)

    def _refusal(self, node: ast.AST) -> TileSyntaxError:
        what = self.language.refused.get(type(node), type(node).__name__)
        return TileSyntaxError(f"tile code cannot contain {what}")

    # ---- calls and scopes ----

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.language.call(self, function, args, kwargs)

    def call_intrinsic(self, intrinsic: Intrinsic, args: Any, kwargs: dict[str, Any]) -> Any:
        """Run the implementation of a function of the language."""
        values, named = bind_intrinsic(intrinsic, args, kwargs)
        implementation = IMPLEMENTATIONS.get(intrinsic.name)
        if implementation is None:
            raise TileUnsupportedFeatureError(f"{intrinsic.name}() is not in this release")
        return implementation(self, *values, **named)

    @contextlib.contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        """Names are those of `frame` meanwhile."""
        outer, node = self.frame, self.node
        self.frame, self.depth = frame, self.depth + 1
        if self.named is not None:
            for name, value in frame.names.items():
                self.note(name, value)
        try:
            yield
        finally:
            self.frame, self.node, self.depth = outer, node, self.depth - 1

    def note(self, name: str, value: Any) -> None:
        """Remember that `value` is called `name`, if names are collected; in a helper f it is "f.name"."""
        if self.named is None or name.startswith("$"):
            return
        if self.frame.caller is not None:
            name = f"{self.frame.name}.{name}"
        if isinstance(value, (ArrayValue, TiledViewValue, RawMemoryValue, BoundMethod, Closure)):
            return
        skeleton, leaves = flatten(value)
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, TileValue):
                place = self.location if isinstance(self.node, ast.Name) else None
                self.named.append(Named(name if skeleton is LEAF else f"{name}[{i}]", leaf.value, place))

    @property
    def location(self) -> Location:
        """The place of the node being evaluated."""
        frame = self.frame
        location = frame.locations.get(self.node)
        if location is None:
            location = locate(self.node, frame.filename, frame.name, frame.line, frame.caller)
            frame.locations[self.node] = location
        return location

    # ---- operations ----

    def inserting_into(self, block: Block) -> _Insertion:
        """`with` it, operations go to the end of `block`, which is its value."""
        return _Insertion(self, block)

    def emit(
        self,
        name: str,
        operands: list[Value],
        result_types: list[Type],
        attributes: Attributes | None = None,
        blocks: list[Block] | None = None,
        segments: list[int] | None = None,
        memory: MemoryAccess | None = None,
    ) -> Op:
        """Append the operation cuda_tile.`name`."""
        op = Op("cuda_tile." + name, operands, result_types, attributes or {}, self.location, blocks, segments, memory)
        self.block.ops.append(op)
        return op

    def emit_tile(
        self,
        name: str,
        operands: list[TileValue],
        dtype: DType,
        shape: tuple[int, ...],
        attributes: Attributes | None = None,
        segments: list[int] | None = None,
    ) -> TileValue:
        """Append an operation on tiles that gives one tile."""
        op = self.emit(name, [o.value for o in operands], [tile_type(dtype, shape)], attributes, None, segments)
        return TileValue(op.results[0], dtype, shape)

    def constant(self, number: Number, dtype: DType, shape: tuple[int, ...] = ()) -> TileValue:
        """A tile whose elements all are `number`."""
        key = repr(number), dtype, shape  # 1, 1.0 and True differ, and 0.0 from -0.0
        known = self.constants.get(key)
        if known is None:
            known = self.constants[key] = dense(number, dtype, shape), None if shape else convert_number(number, dtype)
        value, scalar = known
        op = self.emit("constant", [], [tile_type(dtype, shape)], {"value": value})
        return TileValue(op.results[0], dtype, shape, scalar)


class _Insertion:
    __slots__ = ("block", "outer", "tracer")

    def __init__(self, tracer: Tracer, block: Block):
        self.tracer = tracer
        self.block = block

    def __enter__(self) -> Block:
        self.outer, self.tracer.block = self.tracer.block, self.block
        return self.block

    def __exit__(self, *error: object) -> None:
        self.tracer.block = self.outer
