# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""a*b + c of floats becomes one fma where rounding and flushing agree and the product has no other reader. This is the
only place where contraction happens; a signature switches it off."""

from __future__ import annotations

from collections import Counter

from tilewright._frontend.ir.program import Block, Op, walk


def contract_fma(block: Block) -> None:
    uses = Counter(id(operand) for op in walk(block) for operand in op.operands)
    _contract(block, uses)


def _contract(block: Block, uses: Counter[int]) -> None:
    ops: list[Op] = []
    products: dict[int, Op] = {}
    replaced: set[int] = set()
    for op in block.ops:
        for inner in op.blocks:
            _contract(inner, uses)
        if op.name == "cuda_tile.mulf":
            products[id(op.results[0])] = op
        elif op.name in ("cuda_tile.addf", "cuda_tile.subf"):
            op = _fused(op, products, uses, ops, replaced)
        ops.append(op)
    block.ops = [op for op in ops if id(op) not in replaced]


def _fused(op: Op, products: dict[int, Op], uses: Counter[int], ops: list[Op], replaced: set[int]) -> Op:
    for side in (0, 1):
        product = products.get(id(op.operands[side]))
        if product is None or uses[id(op.operands[side])] != 1 or product.attributes != op.attributes:
            continue
        lhs, rhs = product.operands
        acc = op.operands[1 - side]
        if op.name == "cuda_tile.subf":
            negated = Op("cuda_tile.negf", [lhs if side == 1 else acc], [op.results[0].type], {}, op.location)
            ops.append(negated)
            lhs, acc = (negated.results[0], acc) if side == 1 else (lhs, negated.results[0])
        fma = Op("cuda_tile.fma", [lhs, rhs, acc], [], dict(op.attributes), op.location)
        fma.results = op.results
        fma.results[0].op = fma
        replaced.add(id(product))
        return fma
    return op
