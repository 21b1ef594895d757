# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that a loop carries from one iteration to the next: those that the body assigns and that had a value before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import Block, Value, walk
from tilewright._frontend.trace.control.flattening import (
    LEAF,
    as_tile,
    flatten,
    same_constant,
    same_number,
    same_skeleton,
    same_types,
    unflatten,
)
from tilewright._frontend.trace.control.merging import zero_like
from tilewright._frontend.trace.frame import MISSING
from tilewright._frontend.values.kinds import TileValue, Undefined, describe, how_to_agree
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


class OtherLengths(Exception):
    """An iteration ends with an array of other known extents or strides than it began with."""

    def __init__(self, name: str, end: Any):
        self.name = name
        self.end = end


@dataclass(eq=False)
class Carried:
    """A name that a loop carries."""

    name: str
    before: Any
    skeleton: Any
    leaves: list[Any]
    """Of `before`."""
    tiles: list[TileValue]
    """Initial values."""
    arguments: list[TileValue]
    """Of the loop body."""
    inside: Any
    """The value at the start of the body."""

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


def carry(tracer: Tracer, name: str, value: Any, ends: list[Any], body: Block) -> Carried:
    """`ends`: values after an iteration whose arrays have other extents or strides than before it."""
    skeleton, leaves = flatten(value, *ends)
    tiles = [as_tile(tracer, leaf) for leaf in leaves]
    arguments = _arguments_like(tiles)
    with tracer.inserting_into(body):
        inside = unflatten(tracer, skeleton, iter(arguments))
    return Carried(name, value, skeleton, leaves, tiles, arguments, inside)


def carry_out(tracer: Tracer, name: str, value: Any) -> Carried:
    """A name without a value before the loop, which is `value` where the loop ends."""
    skeleton, leaves = flatten(value)
    tiles = [zero_like(tracer, leaf) for leaf in leaves]
    unknown = [None] * len(tiles)
    return Carried(name, Undefined("has no value yet"), skeleton, unknown, tiles, _arguments_like(tiles), None)


def _arguments_like(tiles: list[TileValue]) -> list[TileValue]:
    return [TileValue(Value(tile.value.type), tile.dtype, tile.shape) for tile in tiles]


def end_values(tracer: Tracer, carried: Carried, end: Any, body: Block) -> list[TileValue] | None:
    """The values for the next iteration, or None if the name has not kept its type and nothing needs it to."""
    is_value = end is not MISSING and not isinstance(end, Undefined)
    skeleton, leaves = flatten(end, carried.inside) if is_value else (None, [])
    is_same = same_skeleton(skeleton, carried.skeleton)
    if is_same and same_types(leaves, carried.tiles):
        with tracer.inserting_into(body):
            return [as_tile(tracer, leaf) for leaf in leaves]
    if is_value and not is_same and same_skeleton(skeleton, flatten(carried.inside, end)[0]):
        raise OtherLengths(carried.name, end)
    # A value known while tracing leaves no trace in the body where it is used.
    read = (carried.name, id(carried.inside)) in tracer.frame.reads
    if (not is_same and carried.skeleton is not LEAF and read) or carried.is_used_in(body):
        place = tracer.frame.assigned.get(carried.name)
        if isinstance(end, Undefined):
            error = TileTypeError(f"{carried.name!r}, which the next iteration reads, {end.reason}")
        else:
            reason = type_change(tracer, carried, end).reason
            error = TileTypeError(reason.replace("has", f"{carried.name!r} has", 1))
        error.location = place
        raise error
    return None


def type_change(tracer: Tracer, carried: Carried, end: Any) -> Undefined:
    start = carried.tiles[0] if carried.skeleton is LEAF else carried.before
    return Undefined(
        f"has a type that the loop at line {tracer.node.lineno} changes: a {describe(start)} before the loop, a "
        f"{describe(end)} after an iteration; {how_to_agree(start, end)}, or use another name"
    )


def value_after_loop(tracer: Tracer, carried: Carried, end: Any, results: Iterator[Value]) -> Any:
    """The value of a name after a loop, `end` after an iteration; takes as many results as it has leaves."""
    leaves = []
    for start, tile, last in zip(carried.leaves, carried.tiles, flatten(end, carried.inside)[1], strict=True):
        value = next(results)
        if same_number(start, last):  # every iteration ends with the one that was there before the loop
            leaves.append(start)
        elif same_constant(start, last):
            leaves.append(tracer.constant(start.constant, start.dtype))
        else:
            leaves.append(TileValue(value, tile.dtype, tile.shape))
    return unflatten(tracer, carried.skeleton, iter(leaves))
