# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tracer: evaluates the syntax tree of a kernel and appends operations to a block.

Everything known at compile time is an ordinary Python object and is computed by Python; tiles are `TileValue`s and turn
into operations. Expressions, statements, control flow and calls are in modules of their own.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from tilewright._frontend import constants
from tilewright._frontend.branches import BranchTracer
from tilewright._frontend.calls import CallTracer
from tilewright._frontend.contexts import ContextTracer
from tilewright._frontend.expressions import ExpressionTracer
from tilewright._frontend.frame import Frame
from tilewright._frontend.ir import Block, MemoryAccess, Op, Value, tile_type
from tilewright._frontend.location import Location, locate
from tilewright._frontend.loops import LoopTracer
from tilewright._frontend.merging import LEAF, flatten
from tilewright._frontend.ops.registry import IMPLEMENTATIONS
from tilewright._frontend.records import RecordTracer
from tilewright._frontend.statements import StatementTracer
from tilewright._frontend.values import (
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
from tilewright.errors import TileTypeError, TileUnsupportedFeatureError


class Tracer(ExpressionTracer, StatementTracer, BranchTracer, LoopTracer, ContextTracer, RecordTracer, CallTracer):
    def __init__(self, block: Block, named: list[tuple[str, Value]] | None = None):
        self.block = block
        self.named = named  # values of variables, for a debugger
        self.frame: Frame = None  # type: ignore[assignment]  # set by the first call
        self.node: ast.AST = None  # type: ignore[assignment]  # the node that is being evaluated
        self.depth = 0

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
                self.named.append((name if skeleton is LEAF else f"{name}[{i}]", leaf.value))

    @property
    def location(self) -> Location:
        """The place of the node being evaluated."""
        frame = self.frame
        location = frame.locations.get(self.node)
        if location is None:
            location = locate(self.node, frame.filename, frame.name, frame.line, frame.caller)
            frame.locations[self.node] = location
        return location

    def emit(
        self,
        name: str,
        operands: list[Value],
        result_types: list[str],
        attributes: dict[str, str] | None = None,
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
        attributes: dict[str, str] | None = None,
        segments: list[int] | None = None,
    ) -> TileValue:
        """Append an operation on tiles that gives one tile."""
        op = self.emit(name, [o.value for o in operands], [tile_type(dtype, shape)], attributes, None, segments)
        return TileValue(op.results[0], dtype, shape)

    def constant(self, number: Number, dtype: DType, shape: tuple[int, ...] = ()) -> TileValue:
        """A tile whose elements all are `number`."""
        type = tile_type(dtype, shape)
        op = self.emit("constant", [], [type], {"value": constants.splat(number, dtype, type)})
        return TileValue(op.results[0], dtype, shape, constants.convert(number, dtype) if not shape else None)

    @contextlib.contextmanager
    def inserting_into(self, block: Block) -> Iterator[Block]:
        """Operations go to the end of `block` meanwhile."""
        outer, self.block = self.block, block
        try:
            yield block
        finally:
            self.block = outer

    def call_intrinsic(self, intrinsic: Intrinsic, args: Any, kwargs: dict[str, Any]) -> Any:
        """Run the implementation of a function of the language."""
        try:
            bound = intrinsic.signature.bind(*args, **kwargs)
        except TypeError as error:
            names = ", ".join(intrinsic.signature.parameters)
            raise TileTypeError(f"{intrinsic.name}(): {error}; its parameters are {names}") from None
        bound.apply_defaults()
        implementation = IMPLEMENTATIONS.get(intrinsic.name)
        if implementation is None:
            raise TileUnsupportedFeatureError(f"{intrinsic.name}() is not in this release")
        return implementation(self, *bound.args, **bound.kwargs)
