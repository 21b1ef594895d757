# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations, blocks and values."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright._frontend.ir.attributes import Attributes
from tilewright._frontend.ir.types import Type
from tilewright._frontend.source.location import Location
from tilewright.modes import MemoryOrder


class Value:
    """A result of an operation or an argument of a block."""

    __slots__ = ("op", "replacement", "type")

    def __init__(self, type: Type, op: Op | None = None):
        self.type = type
        self.op = op
        self.replacement: Value | None = None  # set when every use shall read another value


class Block:
    __slots__ = ("arguments", "ops")

    def __init__(self, argument_types: list[Type] | None = None):
        self.arguments = [Value(type) for type in argument_types or ()]
        self.ops: list[Op] = []


class Op:
    """An operation. `segments` are the sizes of its operand groups, for operations with optional or variadic ones."""

    __slots__ = ("attributes", "blocks", "location", "memory", "name", "operands", "results", "segments")

    def __init__(
        self,
        name: str,
        operands: list[Value],
        result_types: list[Type],
        attributes: Attributes,
        location: Location,
        blocks: list[Block] | None = None,
        segments: list[int] | None = None,
        memory: MemoryAccess | None = None,
    ):
        self.name = name
        self.operands = operands
        self.results = [Value(type, self) for type in result_types]
        self.attributes = attributes
        self.blocks = blocks or []
        self.location = location
        self.segments = segments
        self.memory = memory


class MemoryAccess:
    """The memory effect of an operation: the array it accesses, or its alias groups (None: all of it); whether it
    writes; its ordering."""

    __slots__ = ("alias", "order", "writes")

    def __init__(self, alias: object, writes: bool, order: MemoryOrder = MemoryOrder.WEAK):
        self.alias = alias
        self.writes = writes
        self.order = order


def resolve(value: Value) -> Value:
    """The value to read in place of `value`."""
    while value.replacement is not None:
        value = value.replacement
    return value


def walk(block: Block) -> Iterator[Op]:
    """All operations of a block and of the blocks inside, in order, outer before inner."""
    open_blocks = [iter(block.ops)]  # a generator inside of a generator would pass each operation on once per level
    while open_blocks:
        for op in open_blocks[-1]:
            yield op
            if op.blocks:
                open_blocks.extend(iter(inner.ops) for inner in reversed(op.blocks))
                break
        else:
            open_blocks.pop()
