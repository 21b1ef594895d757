# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as people write them; checkers of types find nothing wrong here, and know the types that are revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
import tilewright as ct

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value, type):
        return value


Matrix = Annotated[ct.Array, "float32[:,::1]@16"]
ConstInt = ct.Constant[int]


@ct.function
def activated(x: ct.Tile, slope: float) -> ct.Tile:
    return ct.where(x > 0, x, x * slope)


@ct.kernel
def product(a: Matrix, b: Matrix, c: Matrix, scale: float, TILE: ConstInt = 64):
    m, n = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    total = ct.zeros((TILE, TILE), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TILE)):
        left = ct.load(a, index=(m, k), shape=(TILE, TILE), padding_mode=zero)
        right = ct.load(b, index=(k, n), shape=(TILE, TILE), padding_mode=zero, order=(1, 0))
        total = ct.mma(left, right, total)
    assert_type(total, ct.Tile)
    assert_type(total.shape, tuple[int, ...])
    assert_type(a.dtype, ct.DType)
    ct.store(c, index=(m, n), tile=activated(total * scale, 0.5).astype(c.dtype))


@ct.kernel(num_ctas=2, occupancy=ct.ByTarget(default=1, sm_100=2))
def softmax(x, out, TILE: ConstInt):
    row = ct.bid(0)
    values = ct.load(x, (row, 0), (1, TILE)).astype(ct.float32)
    powers = ct.exp(values - ct.max(values, axis=1, keepdims=True))
    ct.store(out, (row, 0), powers * (1.0 / ct.sum(powers, axis=1, keepdims=True)))


@ct.kernel
def search(values: ct.IndexedWithInt64[ct.Array], found, n: ct.ScalarInt64[int], TILE: ConstInt):
    """Loops with conditions, numbers that become tiles, atomics, gathers, and memory by offsets."""
    best, i = ct.full((), -1.0, ct.float32), ct.bid(0)
    part = ct.zeros((TILE,), ct.float32)
    while i < n:
        part = ct.gather(values, i + ct.arange(TILE, dtype=ct.int32), padding_value=0.0)
        best = ct.maximum(best, ct.max(part))
        i += TILE
        if ct.min(part) < 0:
            break
    ct.atomic_add(found, (0,), best + min(ct.sum(part), ct.min(part)))
    found.get_raw_memory().atomic_add_offset(0, best)
    count = 0
    for step in ct.static_iter(range(4)):
        count = count + (ct.argmax(part, axis=0) & step)
    shifted = ~(part > 0) | (1 < part) & (part == part)
    ct.static_assert(TILE > 1, "a tile has several elements")
    view = values.tiled_view((TILE,))
    view.atomic_store_add((0,), ct.where(shifted, abs(-part), 1.0 * count))


def launch_all() -> None:
    a = np.ones((128, 128), np.float32)
    assert product.__name__ == "product"
    product[2, 2](a, a, a.copy(), 1.0, 64)
    ct.launch(None, (128,), softmax, (a, a.copy(), 128))
    ct.launch(None, (1,), search.replace_hints(occupancy=2), (a[0], a[1], 128, 128))
