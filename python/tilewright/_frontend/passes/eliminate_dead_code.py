# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes operations without used results, and unused results of loops and ifs.

Liveness is found from the operations with effects backwards, so that a value that a loop only carries around goes
away too."""

from __future__ import annotations

from tilewright._frontend.ir.program import Block, Op, Value, walk
from tilewright.modes import MemoryOrder

_LOOPS = {"cuda_tile.for": 3, "cuda_tile.loop": 0}  # operands before the initial values
_JUMPS = frozenset({"cuda_tile.break", "cuda_tile.continue"})
_EFFECTS = frozenset({"cuda_tile.assert", "cuda_tile.return"})
_WITHOUT_RESULTS = _EFFECTS | _JUMPS | {"cuda_tile.yield"}


def eliminate_dead_code(block: Block) -> None:
    live = _Liveness()
    live.visit_effects(block, None)
    live.propagate()
    _remove(block, live, None)


def _has_effect(op: Op) -> bool:
    if op.memory is not None:
        return op.memory.writes or op.memory.order is not MemoryOrder.WEAK
    return op.name in _EFFECTS


class _Liveness:
    """Marks values; a carried value is live if its result, its block argument, or any of its exits' readers is."""

    def __init__(self) -> None:
        self.values: set[int] = set()
        self.work: list[Value] = []
        self.ops: set[int] = set()
        self.argument: dict[int, tuple[Op, int]] = {}
        self.exits: dict[int, list[Op]] = {}  # loop or if -> its break/continue/yield

    def visit_effects(self, block: Block, loop: Op | None, inside: tuple[Op, ...] = ()) -> None:
        for op in block.ops:
            if op.memory is not None or op.name in _WITHOUT_RESULTS:
                self._visit_effect(op, loop, inside)
            elif op.blocks:
                inner_loop = op if op.name in _LOOPS else loop
                for inner in op.blocks:
                    if op.name in _LOOPS:
                        skip = 1 if op.name == "cuda_tile.for" else 0
                        self.argument.update((id(a), (op, i - skip)) for i, a in enumerate(inner.arguments))
                    self.visit_effects(inner, inner_loop, (*inside, op))

    def _visit_effect(self, op: Op, loop: Op | None, inside: tuple[Op, ...]) -> None:
        if _has_effect(op):
            self.ops.add(id(op))
            self._mark_all(op.operands)
            for parent in inside:
                self.keep_structure(parent)
        elif op.name in _JUMPS:
            self.exits.setdefault(id(loop), []).append(op)
            if inside[-1] is not loop:
                # A loop that ends by a break is kept whole: whether it ends is an effect.
                for parent in inside:
                    self.keep_structure(parent)
        elif op.name == "cuda_tile.yield" and inside:
            self.exits.setdefault(id(inside[-1]), []).append(op)

    def keep_structure(self, op: Op) -> None:
        """The operation itself runs: its condition or bounds are read."""
        if id(op) not in self.ops:
            self.ops.add(id(op))
            self._mark_all(op.operands[: _LOOPS.get(op.name, len(op.operands))])

    def mark(self, value: Value) -> None:
        if id(value) not in self.values:
            self.values.add(id(value))
            self.work.append(value)

    def _mark_all(self, values: list[Value]) -> None:
        for value in values:
            self.mark(value)

    def propagate(self) -> None:
        while self.work:
            value = self.work.pop()
            op = value.op
            if op is None:
                self._propagate_argument(value)
            elif op.blocks:
                self._propagate_result(op, value)
            elif id(op) not in self.ops:
                self.ops.add(id(op))
                self._mark_all(op.operands)

    def _propagate_argument(self, value: Value) -> None:
        if id(value) in self.argument:
            op, position = self.argument[id(value)]
            if position >= 0:
                self._carried(op, position)
            self.keep_structure(op)

    def _propagate_result(self, op: Op, value: Value) -> None:
        if op.name in _LOOPS:
            self.keep_structure(op)
            self._carried(op, op.results.index(value))
        elif op.name == "cuda_tile.if":
            self.keep_structure(op)
            position = op.results.index(value)
            for exit in self.exits.get(id(op), ()):
                self.mark(exit.operands[position])
        elif id(op) not in self.ops:  # reduce and scan: all or nothing
            self.ops.add(id(op))
            self._mark_all(op.operands)
            for inner in (inner for block in op.blocks for inner in walk(block)):
                self.ops.add(id(inner))
                self._mark_all(inner.operands)

    def _carried(self, op: Op, position: int) -> None:
        if position < len(op.results):
            self.mark(op.results[position])
        skip = 1 if op.name == "cuda_tile.for" else 0
        self.mark(op.blocks[0].arguments[position + skip])
        self.mark(op.operands[_LOOPS[op.name] + position])
        for exit in self.exits.get(id(op), ()):
            self.mark(exit.operands[position])


def _remove(block: Block, live: _Liveness, keep: list[bool] | None, loop_keep: list[bool] | None = None) -> None:
    """`keep`: which operands of this block's yield stay; `loop_keep`: of break and continue."""
    kept: list[Op] = []
    for op in block.ops:
        if op.name == "cuda_tile.yield":
            if keep is not None:
                op.operands = _those(op.operands, keep)
        elif op.name in _JUMPS:
            op.operands = _those(op.operands, loop_keep or [])
        elif id(op) not in live.ops:
            continue
        elif op.name in _LOOPS:
            _shrink_loop(op, live)
        elif op.name == "cuda_tile.if":
            mask = [id(r) in live.values for r in op.results]
            op.results = _those(op.results, mask)
            for inner in op.blocks:
                _remove(inner, live, mask, loop_keep)
        kept.append(op)
    block.ops = kept


def _shrink_loop(op: Op, live: _Liveness) -> None:
    mask = [id(r) in live.values for r in op.results]
    fixed, skip = _LOOPS[op.name], 1 if op.name == "cuda_tile.for" else 0
    body = op.blocks[0]
    op.operands = op.operands[:fixed] + _those(op.operands[fixed:], mask)
    op.results = _those(op.results, mask)
    body.arguments = body.arguments[:skip] + _those(body.arguments[skip:], mask)
    _remove(body, live, None, mask)


def _those(values: list[Value], keep: list[bool]) -> list[Value]:
    return [value for value, is_kept in zip(values, keep, strict=False) if is_kept]
