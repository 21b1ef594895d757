# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches of a run-time condition: both are traced, and the names that they set are merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from tilewright._frontend.ir.program import Block, Value
from tilewright._frontend.source.location import Location
from tilewright._frontend.trace.control.flattening import (
    as_tile,
    flatten,
    same_constant,
    same_number,
    same_skeleton,
    same_types,
    unflatten,
)
from tilewright._frontend.trace.frame import LEFT, MISSING, RESULT, UNSET
from tilewright._frontend.values.kinds import Number, TileValue, Undefined, describe, how_to_agree
from tilewright.dtypes import DType, int64

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


@dataclass(eq=False)
class _Path:
    """A branch that was traced: its operations, the names at its end, where they were assigned, and what it yields."""

    block: Block
    names: dict[str, Any]
    assigned: dict[str, Location]
    yields: list[Value] = field(default_factory=list)


class _Constant(NamedTuple):
    """A strictly typed constant that both branches give."""

    number: Number
    dtype: DType


class _Merged(NamedTuple):
    """A name that has a value after both branches. Each of `leaves` is a tile or number, a `_Constant`, or the dtype
    and shape of a result of the `if`."""

    name: str
    skeleton: Any
    leaves: list[Any]


def branch(tracer: Tracer, condition: TileValue, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Trace both branches and merge the names they set."""
    frame, before, contexts, node = tracer.frame, tracer.frame.names, tracer.frame.contexts, tracer.node
    paths = []
    for run in (then, otherwise):
        frame.names, frame.contexts, tracer.node = dict(before), contexts, node
        with tracer.inserting_into(Block()) as block:
            run()
        paths.append(_Path(block, frame.names, dict(frame.assigned)))
    frame.names, frame.contexts, tracer.node = {}, contexts, node
    merged = _merge_names(tracer, paths)
    position = iter(_close(tracer, condition, paths))
    for name, skeleton, leaves in merged:
        rebuilt = [
            tracer.constant(*leaf)
            if isinstance(leaf, _Constant)
            else TileValue(next(position), *leaf)
            if isinstance(leaf, tuple)
            else leaf
            for leaf in leaves
        ]
        frame.names[name] = unflatten(tracer, skeleton, iter(rebuilt))
        tracer.note(name, frame.names[name])


def _merge_names(tracer: Tracer, paths: list[_Path]) -> list[_Merged]:
    """Set the names that need no operation, or have no value; the others."""
    names, merged = tracer.frame.names, []
    unset = [path.names.pop(UNSET) for path in paths if UNSET in path.names]
    if unset:
        names[UNSET] = frozenset().union(*unset)
    first, second = (path.names for path in paths)
    for name in {**first, **second}:
        values = [first.get(name, MISSING), second.get(name, MISSING)]
        if values[0] is values[1]:
            names[name] = values[0]
            continue
        if name == RESULT or not name.startswith("$"):
            _fill_unread(tracer, name, values, paths)
        value = _merge(tracer, name, values, paths)
        if isinstance(value, Undefined):
            names[name] = value
        else:
            merged.append(value)
    return merged


def _close(tracer: Tracer, condition: TileValue, paths: list[_Path]) -> list[Value]:
    """The results of the `if`, which is left out if it would do nothing."""
    if not any(path.block.ops for path in paths) and not paths[0].yields:
        return []
    for path in paths:
        with tracer.inserting_into(path.block):
            tracer.emit("yield", path.yields, [])
    types, blocks = [value.type for value in paths[0].yields], [path.block for path in paths]
    return tracer.emit("if", [condition.value], types, blocks=blocks).results


def _fill_unread(tracer: Tracer, name: str, values: list[Any], paths: list[_Path]) -> None:
    """Where a branch does not return, the result is never read: any value of the right type will do. So it is, by
    what follows behind a flag, with names that have none in a branch that leaves; the others are noted in UNSET."""
    for i, path in enumerate(paths):
        other = values[1 - i]
        if other is MISSING or isinstance(other, Undefined):
            continue
        if name == RESULT:
            unread = values[i] is MISSING
        else:
            unread = path.names.get(LEFT) is True and (values[i] is MISSING or isinstance(values[i], Undefined))
        if unread:
            with tracer.inserting_into(path.block):
                values[i] = _placeholder(tracer, other)
            if name != RESULT:
                tracer.frame.names[UNSET] = tracer.frame.names.get(UNSET, frozenset()) | {name}


def _placeholder(tracer: Tracer, like: Any) -> Any:
    skeleton, leaves = flatten(like)
    return unflatten(tracer, skeleton, iter([zero_like(tracer, leaf) for leaf in leaves]))


def zero_like(tracer: Tracer, leaf: TileValue | Number) -> TileValue:
    """Zeros of the type of a tile or number."""
    leaf = as_tile(tracer, leaf)
    if leaf.dtype.is_pointer:
        zero = tracer.constant(0, int64, leaf.shape)
        return TileValue(tracer.emit("int_to_ptr", [zero.value], [leaf.type]).results[0], leaf.dtype, leaf.shape)
    return tracer.constant(0, leaf.dtype, leaf.shape)


def _merge(tracer: Tracer, name: str, values: list[Any], paths: list[_Path]) -> Undefined | _Merged:
    """The run-time leaves are appended to what the paths yield."""
    for i, value in enumerate(values):
        if value is MISSING:
            where = "true" if i == 1 else "false"
            return Undefined(f"has a value only if the condition at line {tracer.node.lineno} is {where}; assign it"
                             " before the 'if' or in both branches")  # fmt: skip
        if isinstance(value, Undefined):
            return value
    (skeleton, leaves), (other_skeleton, other_leaves) = flatten(*values), flatten(*reversed(values))
    if not same_skeleton(skeleton, other_skeleton) or not same_types(leaves, other_leaves):
        what = "the result" if name == RESULT else "its value"
        lines = [f" (line {path.assigned[name].line})" if name in path.assigned else "" for path in paths]
        return Undefined(
            f"has a type that depends on the path: {what} is a {describe(values[0])}{lines[0]} or a "
            f"{describe(values[1])}{lines[1]}; {how_to_agree(*values)}"
        )
    pairs = zip(leaves, other_leaves, strict=True)
    return _Merged(name, skeleton, [_merge_leaves(tracer, pair, paths) for pair in pairs])


def _merge_leaves(tracer: Tracer, pair: tuple[Any, Any], paths: list[_Path]) -> Any:
    """One of the `_Merged.leaves`."""
    if pair[0] is pair[1] or same_number(*pair):
        return pair[0]
    if same_constant(*pair):
        return _Constant(pair[0].constant, pair[0].dtype)
    for leaf, path in zip(pair, paths, strict=True):
        with tracer.inserting_into(path.block):
            tile = as_tile(tracer, leaf)
        path.yields.append(tile.value)
    return tile.dtype, tile.shape
