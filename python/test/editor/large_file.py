# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file of 1,000 lines with 30 kernels of the kinds that people write."""

HEAD = """from __future__ import annotations

from typing import Annotated

import tilewright as ct

Matrix = Annotated[ct.Array, "float32[:,::1]@16"]
TILE = 64
"""

KERNEL = '''

@ct.kernel
def product_{n}(a: Matrix, b: Matrix, c: Matrix, scale: float, TK: ct.Constant[int] = 32):
    """The product of two matrices, scaled and bounded."""
    m, n = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    total = ct.zeros((TILE, TILE), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        left = ct.load(a, index=(m, k), shape=(TILE, TK), padding_mode=zero)
        right = ct.load(b, index=(k, n), shape=(TK, TILE), padding_mode=zero)
        total = ct.mma(left, right, total)
    scaled = activate_{n}(total * scale)
    highest = ct.max(scaled, axis=1, keepdims=True)
    powers = ct.exp(scaled - highest)
    result = powers / ct.sum(powers, axis=1, keepdims=True)
    if scale > 1.0:
        result = result * 2.0
    else:
        result = result + {n}.0
    ct.store(c, index=(m, n), tile=result)


def activate_{n}(x):
    """Between -1 and 1."""
    y = ct.tanh(x)
    return ct.where(x > 0.0, y, y * 0.5)
'''


def make(kernels=30, lines=1000):
    text = HEAD + "".join(KERNEL.format(n=n) for n in range(kernels))
    return text + "\n" * (lines - text.count("\n"))


def line_of(text, words):
    """The number of the first line with these words, from 1."""
    return text[: text.index(words)].count("\n") + 1
