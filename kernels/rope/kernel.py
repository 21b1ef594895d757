# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary positions: pairs of a head's elements are rotated by angles that grow with the position, in place."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

HEADS = 8  # of a block at most

ConstInt = ct.Constant[int]


def rotate(first, second, position, table, token, h, INVERSE, HALF, HEADS):
    """The elements of the pairs after the rotation of a position, or after that back."""
    zero = ct.PaddingMode.ZERO
    cosine = ct.load(table, (0, position, 0), (1, 1, HALF), padding_mode=zero)
    sine = ct.load(table, (1, position, 0), (1, 1, HALF), padding_mode=zero)
    sine = -sine if INVERSE else sine
    a = ct.astype(ct.load(first, (token, h, 0), (1, HEADS, HALF), padding_mode=zero), wide(first.dtype))
    b = ct.astype(ct.load(second, (token, h, 0), (1, HEADS, HALF), padding_mode=zero), wide(first.dtype))
    return a * cosine - b * sine, b * cosine + a * sine


@ct.kernel
def rope_kernel(first, second, positions, table, HALF: ConstInt, HEADS: ConstInt):
    """One block for some heads of one token. `first` and `second` [T, heads, D / 2] view the elements of the pairs.

    `table` [2, P, D / 2] views the cosines and the sines of each position.
    """
    token, h = ct.bid(0), ct.bid(1)
    position = ct.load(positions, index=(token,), shape=())
    a, b = rotate(first, second, position, table, token, h, False, HALF, HEADS)
    ct.store(first, (token, h, 0), ct.astype(a, first.dtype))
    ct.store(second, (token, h, 0), ct.astype(b, second.dtype))


@ct.kernel
def rotated_kernel(
    pairs: tuple, results: tuple, positions, table, INVERSE: ct.Constant[bool], HALF: ConstInt, HEADS: ConstInt
):
    """The same into other arrays."""
    token, h = ct.bid(0), ct.bid(1)
    position = ct.load(positions, index=(token,), shape=())
    a, b = rotate(*pairs, position, table, token, h, INVERSE, HALF, HEADS)
    ct.store(results[0], (token, h, 0), ct.astype(a, results[0].dtype))
    ct.store(results[1], (token, h, 0), ct.astype(b, results[1].dtype))


def pairs_of(x, table, interleaved):
    """Views of the elements of the pairs, and the table as [2, P, D / 2]."""
    size = x.shape[2]
    if size % 2 or table.shape[1] != size:
        raise ValueError(f"x has heads of {size} elements and the table has rows of {table.shape[1]}, expected the same"
                         " even number")  # fmt: skip
    half = size // 2
    pairs = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    return pairs, table.reshape(table.shape[0], 2, half).swapaxes(0, 1)


def blocks_of(x):
    """The grid, and the tile's HALF and HEADS."""
    tokens, heads, size = x.shape
    of_block = min(HEADS, power_of_two(heads))
    return (tokens, ct.cdiv(heads, of_block)), (power_of_two(size // 2), of_block)


def rope(x, positions, table, *, interleaved=False, stream=None):
    """Rotates x [T, heads, D] in place at `positions` i32 [T], by `table` f32 [P, D]: D/2 cosines, then D/2 sines.

    Element i of a head is in a pair with i + D/2, or, if `interleaved`, 2 i with 2 i + 1.
    """
    pairs, parts = pairs_of(x, table, interleaved)
    grid, sizes = blocks_of(x)
    ct.launch(stream, grid, rope_kernel, (*pairs, positions, parts, *sizes))
    return x


def rotated(x, positions, table, out=None, *, interleaved=False, inverse=False, stream=None):
    """The result of rope in an array of its own, or, if `inverse`, what rope has that result of: also its gradient."""
    out = np.empty_like(x) if out is None else out
    pairs, parts = pairs_of(x, table, interleaved)
    results, _ = pairs_of(out, table, interleaved)
    grid, sizes = blocks_of(x)
    ct.launch(stream, grid, rotated_kernel, (pairs, results, positions, parts, inverse, *sizes))
    return out
