# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes operations without used results, and unused results of loops and ifs.

Liveness is found from the operations with effects backwards, so that a value that a loop only carries around goes
away too."""

from __future__ import annotations

from tilewright._frontend.ir import Block, Op, Value, walk

_LOOPS = {"cuda_tile.for": 3, "cuda_tile.loop": 0}  # operands before the initial values
_EFFECTS = frozenset({"cuda_tile.assert", "cuda_tile.return"})


def eliminate_dead_code(block: Block) -> None:
    live = _Liveness()
    live.visit_effects(block, None)
    live.propagate()
    _remove(block, live, None)


class _Liveness:
    """Marks values; a carried value is live if its result, its block argument, or any of its exits' readers is."""

    def __init__(self) -> None:
        self.values: set[int] = set()
        self.work: list[Value] = []
        self.ops: set[int] = set()
        self.definer: dict[int, tuple[Op, int]] = {}
        self.argument: dict[int, tuple[Op, int]] = {}
        self.exits: dict[int, list[Op]] = {}  # loop or if -> its break/continue/yield

    def visit_effects(self, block: Block, loop: Op | None, inside: tuple[Op, ...] = ()) -> None:
        for op in block.ops:
            for i, result in enumerate(op.results):
                self.definer[id(result)] = (op, i)
            if op.name in _EFFECTS or (op.memory is not None and (op.memory.writes or op.memory.order != "weak")):
                self._keep(op, inside)
            elif op.name in ("cuda_tile.break", "cuda_tile.continue"):
                self.exits.setdefault(id(loop), []).append(op)
                if inside[-1] is not loop:
                    # A loop that ends by a break is kept whole: whether it ends is an effect.
                    for parent in inside:
                        self.keep_structure(parent)
            elif op.name == "cuda_tile.yield" and inside:
                self.exits.setdefault(id(inside[-1]), []).append(op)
            inner_loop = op if op.name in _LOOPS else loop
            for b in op.blocks:
                skip = 1 if op.name == "cuda_tile.for" else 0
                for i, argument in enumerate(b.arguments):
                    if op.name in _LOOPS:
                        self.argument[id(argument)] = (op, i - skip)
                self.visit_effects(b, inner_loop, (*inside, op))

    def _keep(self, op: Op, inside: tuple[Op, ...]) -> None:
        self.ops.add(id(op))
        for operand in op.operands:
            self.mark(operand)
        for parent in inside:
            self.keep_structure(parent)

    def keep_structure(self, op: Op) -> None:
        """The operation itself runs: its condition or bounds are read."""
        if id(op) in self.ops:
            return
        self.ops.add(id(op))
        for operand in op.operands[: _LOOPS.get(op.name, len(op.operands))]:
            self.mark(operand)

    def mark(self, value: Value) -> None:
        if id(value) not in self.values:
            self.values.add(id(value))
            self.work.append(value)

    def propagate(self) -> None:
        while self.work:
            value = self.work.pop()
            if id(value) in self.definer:
                self._propagate_result(*self.definer[id(value)])
            elif id(value) in self.argument:
                op, position = self.argument[id(value)]
                if position >= 0:
                    self._carried(op, position)
                self.keep_structure(op)

    def _propagate_result(self, op: Op, position: int) -> None:
        if op.name in _LOOPS:
            self.keep_structure(op)
            self._carried(op, position)
        elif op.name == "cuda_tile.if":
            self.keep_structure(op)
            for exit in self.exits.get(id(op), ()):
                self.mark(exit.operands[position])
        else:
            if id(op) in self.ops:
                return
            self.ops.add(id(op))
            for operand in op.operands:
                self.mark(operand)
            for b in op.blocks:  # reduce and scan: all or nothing
                for inner in walk(b):
                    self.ops.add(id(inner))
                    for operand in inner.operands:
                        self.mark(operand)

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
        if op.name in ("cuda_tile.yield",):
            if keep is not None:
                op.operands = [o for o, k in zip(op.operands, keep, strict=True) if k]
            kept.append(op)
            continue
        if op.name in ("cuda_tile.break", "cuda_tile.continue"):
            op.operands = [o for o, k in zip(op.operands, loop_keep or (), strict=False) if k]
            kept.append(op)
            continue
        if id(op) not in live.ops:
            continue
        kept.append(op)
        if op.name in _LOOPS:
            mask = [id(r) in live.values for r in op.results]
            fixed, skip = _LOOPS[op.name], 1 if op.name == "cuda_tile.for" else 0
            op.operands = op.operands[:fixed] + [o for o, k in zip(op.operands[fixed:], mask, strict=True) if k]
            op.results = [r for r, k in zip(op.results, mask, strict=True) if k]
            body = op.blocks[0]
            body.arguments = body.arguments[:skip] + [a for a, k in zip(body.arguments[skip:], mask, strict=True) if k]
            _remove(body, live, None, mask)
        elif op.name == "cuda_tile.if":
            mask = [id(r) in live.values for r in op.results]
            op.results = [r for r, k in zip(op.results, mask, strict=True) if k]
            for b in op.blocks:
                _remove(b, live, mask, loop_keep)
    block.ops = kept
