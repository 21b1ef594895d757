# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The typed tile program between tracing and emission: operations of cuda_tile by name, types and attributes as MLIR
text, one block per region."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright._frontend.source.location import Location
from tilewright.dtypes import DType

TOKEN = "!cuda_tile.token"


class Value:
    """A result of an operation or an argument of a block."""

    __slots__ = ("op", "replacement", "type")

    def __init__(self, type: str, op: Op | None = None):
        self.type = type
        self.op = op
        self.replacement: Value | None = None  # set when every use shall read another value


class Block:
    __slots__ = ("arguments", "ops")

    def __init__(self, argument_types: list[str] | None = None):
        self.arguments = [Value(type) for type in argument_types or ()]
        self.ops: list[Op] = []


class Op:
    """An operation. `segments` are the sizes of its operand groups, for operations with optional or variadic ones."""

    __slots__ = ("attributes", "blocks", "location", "memory", "name", "operands", "results", "segments")

    def __init__(
        self,
        name: str,
        operands: list[Value],
        result_types: list[str],
        attributes: dict[str, str],
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
    writes;
    its ordering."""

    __slots__ = ("alias", "order", "writes")

    def __init__(self, alias: object, writes: bool, order: str = "weak"):
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


def tile_type(dtype: DType, shape: tuple[int, ...]) -> str:
    return f"!cuda_tile.tile<{''.join(f'{extent}x' for extent in shape)}{dtype.ir_name}>"


def pointer_tile_type(dtype: DType, shape: tuple[int, ...]) -> str:
    return f"!cuda_tile.tile<{''.join(f'{extent}x' for extent in shape)}!cuda_tile.ptr<{dtype.ir_name}>>"


def text_of(block: Block) -> str:
    """The block in MLIR's generic form, for debugging."""
    names: dict[int, str] = {}

    def name(value: Value) -> str:
        return names.setdefault(id(resolve(value)), f"%{len(names)}")

    lines: list[str] = []

    def show(inner: Block, indent: str) -> None:
        if inner.arguments:
            lines.append(f"{indent}^({', '.join(f'{name(a)}: {a.type}' for a in inner.arguments)}):")
        for op in inner.ops:
            results = ", ".join(name(r) for r in op.results)
            operands = ", ".join(name(o) for o in op.operands)
            attributes = ", ".join(f"{k} = {v}" for k, v in op.attributes.items())
            types = ", ".join(r.type for r in op.results)
            lines.append(f"{indent}{results}{' = ' if results else ''}{op.name}({operands}) {{{attributes}}} : {types}")
            for nested in op.blocks:
                lines.append(f"{indent}{{")
                show(nested, indent + "  ")
                lines.append(f"{indent}}}")

    show(block, "")
    return "\n".join(lines)
