# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every use reads the value that replaced its operand while tracing."""

from __future__ import annotations

from tilewright._frontend.ir.program import Block, resolve, walk


def forward_values(block: Block) -> None:
    for op in walk(block):
        op.operands = [resolve(operand) for operand in op.operands]
