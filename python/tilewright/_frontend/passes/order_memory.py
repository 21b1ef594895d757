# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Token ordering. Tile IR orders memory operations by tokens only, so this pass writes down the order that the program
means: inside a block, an access comes after every earlier access to the same memory that it conflicts with.

Arrays do not alias one another, except those that share an alias group. Per array, or set of groups, there are two
chains: "store" (the last store or atomic) orders loads, "op" (everything so far) orders stores. Prints form a chain of
their own that everything joins. An acquire orders all that follows, a release all that precedes.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from tilewright._frontend.ir.program import Block, MemoryAccess, Op, Value
from tilewright._frontend.ir.types import TOKEN
from tilewright.modes import MemoryOrder

_LOOPS = {"cuda_tile.for": 3, "cuda_tile.loop": 0}
_EVERYTHING = None  # alias of what touches all memory
_ACQUIRE = ("acquire", None)
Chain = tuple[str, Hashable]


def _overlap(a: object, b: object) -> bool:
    """Whether two different aliases may mean the same memory."""
    if a is _EVERYTHING or b is _EVERYTHING:
        return True
    return isinstance(a, frozenset) and isinstance(b, frozenset) and not a.isdisjoint(b)


@dataclass
class _Effects:
    """Chains that a region advances, in order of appearance."""

    chains: dict[Chain, None] = field(default_factory=dict)

    def add(self, access: MemoryAccess) -> None:
        self.chains[("op", access.alias)] = None
        if access.writes:
            self.chains[("store", access.alias)] = None
        if access.order in (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL):
            self.chains[_ACQUIRE] = None


def order_memory(block: Block) -> None:
    effects: dict[int, _Effects] = {}
    if not _collect(block, effects).chains:
        return
    location = block.ops[0].location
    root = Op("cuda_tile.make_token", [], [TOKEN], {}, location)
    _Orderer(effects, root.results[0]).run(block, {}, None, None)
    block.ops.insert(0, root)


def _collect(block: Block, effects: dict[int, _Effects]) -> _Effects:
    result = effects[id(block)] = _Effects()
    for op in block.ops:
        if op.memory is not None:
            result.add(op.memory)
        for inner in op.blocks:
            result.chains.update(_collect(inner, effects).chains)
    return result


class _Orderer:
    def __init__(self, effects: dict[int, _Effects], root: Value):
        self.effects = effects
        self.root = root

    def run(
        self, block: Block, tokens: dict[Chain, Value], branch: list[Chain] | None, loop: list[Chain] | None
    ) -> None:
        """Order a block; `tokens` holds the chains that differ from the root, `branch` and `loop` the chains that its
        yield, and the break and continue of the loop around it, hand on."""
        ops: list[Op] = []
        for op in block.ops:
            if op.memory is not None:
                self._order(op, op.memory, tokens, ops)
            elif op.name == "cuda_tile.yield" and branch:
                op.operands = op.operands + [tokens.get(c, self.root) for c in branch]
            elif op.name in ("cuda_tile.break", "cuda_tile.continue") and loop:
                op.operands = op.operands + [tokens.get(c, self.root) for c in loop]
            if op.name in _LOOPS:
                self._enter_loop(op, tokens)
            elif op.name == "cuda_tile.if":
                self._enter_if(op, tokens, loop)
            if op.memory is None:
                ops.append(op)
        block.ops = ops

    def _enter_loop(self, op: Op, tokens: dict[Chain, Value]) -> None:
        body = op.blocks[0]
        chains = list(self.effects[id(body)].chains)
        op.operands = op.operands + [tokens.get(c, self.root) for c in chains]
        arguments = [Value(TOKEN) for _ in chains]
        body.arguments = body.arguments + arguments
        self.run(body, {**tokens, **dict(zip(chains, arguments, strict=True))}, None, chains)
        results = [Value(TOKEN, op) for _ in chains]
        op.results = op.results + results
        tokens.update(zip(chains, results, strict=True))

    def _enter_if(self, op: Op, tokens: dict[Chain, Value], loop: list[Chain] | None) -> None:
        chains = list(dict.fromkeys(c for b in op.blocks for c in self.effects[id(b)].chains))
        for b in op.blocks:
            self.run(b, dict(tokens), chains, loop)
        results = [Value(TOKEN, op) for _ in chains]
        op.results = op.results + results
        tokens.update(zip(chains, results, strict=True))

    def _order(self, op: Op, access: MemoryAccess, tokens: dict[Chain, Value], ops: list[Op]) -> None:
        role = "op" if access.writes else "store"
        before = [tokens.get((role, access.alias), self.root)]
        for (other_role, alias), token in tokens.items():
            release = access.order in (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL) and other_role == "op"
            overlap = other_role == role and _overlap(alias, access.alias)
            if other_role == "acquire" or release or overlap:
                before.append(token)
        token = self._join(list(dict.fromkeys(t for t in before)), op, ops)
        op.operands = [*op.operands, token]
        if op.segments is not None:
            op.segments = [*op.segments[:-1], 1]
        ops.append(op)
        result = op.results[-1]
        if access.writes:
            tokens[("op", access.alias)] = tokens[("store", access.alias)] = result
        else:
            previous = tokens.get(("op", access.alias), self.root)
            tokens[("op", access.alias)] = self._join([previous, result], op, ops)
        if access.order in (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL):
            tokens[_ACQUIRE] = result

    def _join(self, tokens: list[Value], op: Op, ops: list[Op]) -> Value:
        # The root orders nothing: it stands only where there is nothing else.
        useful = [t for t in tokens if t is not self.root]
        if len(useful) <= 1:
            return useful[0] if useful else self.root
        join = Op("cuda_tile.join_tokens", useful, [TOKEN], {}, op.location)
        ops.append(join)
        return join.results[0]
