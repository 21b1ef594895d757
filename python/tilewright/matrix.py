# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of tiles. All since 0.1."""

from __future__ import annotations

from tilewright._intrinsic import intrinsic
from tilewright.tile import Tile


@intrinsic
def mma(x, y, /, acc, *, use_fast_acc: bool = False) -> Tile:
    """``x @ y + acc`` with shapes (M, K), (K, N), (M, N), or batches of them as 3-D tiles (a batch of 1, or a 2-D side,
    is repeated). Nothing is promoted. Operand and accumulator dtypes: f16 with f16 or f32; bf16, tf32 and f32 with f32;
    f64 with f64; fp8 (e4m3, e5m2) with f16 or f32; int8 and uint8, also mixed, with int32. The order of the sums inside
    is not specified. ``use_fast_acc`` is a hint for fp8.

    >>> @ct.kernel
    ... def product(a, b, c):
    ...     acc = ct.zeros((2, 2), dtype=ct.float32)
    ...     for k in range(ct.cdiv(a.shape[1], 4)):
    ...         acc = ct.mma(ct.load(a, (0, k), (2, 4)), ct.load(b, (k, 0), (4, 2)), acc)
    ...     ct.store(c, index=(0, 0), tile=acc)
    >>> a, c = np.arange(16, dtype=np.float32).reshape(2, 8), np.empty((2, 2), np.float32)
    >>> product[1](a, np.ones((8, 2), np.float32), c)
    >>> c
    array([[28., 28.],
           [92., 92.]], dtype=float32)
    """


@intrinsic
def mma_scaled(x, x_scale, y, y_scale, /, acc) -> Tile:
    """`mma` of block-scaled fp8 or fp4 operands: one scale per 16 or 32 elements along K."""


@intrinsic
def matmul(x, y, /) -> Tile:
    """``x @ y`` of promoted operands, 1-D to 3-D; the result has their dtype. The sum is formed in the
    accumulator dtype of `mma`: that of 8-bit integers is int32, and the result wraps to 8 bits."""
