# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary positions: pairs of a head's elements are rotated by angles that grow with the position, in place."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

HEADS = 8  # of a block at most

ConstInt = ct.Constant[int]


@ct.kernel
def rope_kernel(first, second, positions, table, HALF: ConstInt, HEADS: ConstInt):
    """One block for some heads of one token. `first` and `second` [T, heads, D / 2] view the elements of the pairs.

    `table` [2, P, D / 2] views the cosines and the sines of each position.
    """
    token, h = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    position = ct.load(positions, index=(token,), shape=())
    cosine = ct.load(table, (0, position, 0), (1, 1, HALF), padding_mode=zero)
    sine = ct.load(table, (1, position, 0), (1, 1, HALF), padding_mode=zero)
    a = ct.astype(ct.load(first, (token, h, 0), (1, HEADS, HALF), padding_mode=zero), wide(first.dtype))
    b = ct.astype(ct.load(second, (token, h, 0), (1, HEADS, HALF), padding_mode=zero), wide(first.dtype))
    ct.store(first, (token, h, 0), ct.astype(a * cosine - b * sine, first.dtype))
    ct.store(second, (token, h, 0), ct.astype(b * cosine + a * sine, second.dtype))


@ct.kernel
def rotated_kernel(
    x, out, positions, table, INVERSE: ct.Constant[bool], HALF: ConstInt, TILE: ConstInt, HEADS: ConstInt
):
    """The same from one array into another, of heads as `elements_of_pairs` takes them. `table` is [P, D]."""
    token, h = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO

    def rotations(first):
        return ct.load(table.slice(1, first, first + HALF), (position, 0), (1, TILE), padding_mode=zero)[None, :, :]

    def load(number):
        part = ct.load(elements_of_pairs(x, number, HALF), index, shape, padding_mode=zero)
        return ct.astype(part.reshape((1, HEADS, TILE)), wide(x.dtype))

    def store(number, tile):
        tile = ct.astype(tile, out.dtype).reshape(shape)
        ct.store(elements_of_pairs(out, number, HALF), index, tile)

    index, shape = ((token, h, 0), (1, HEADS, TILE)) if x.ndim == 3 else ((token, h, 0, 0), (1, HEADS, 1, TILE))
    position = ct.load(positions, index=(token,), shape=())
    cosine, sine = rotations(0), rotations(HALF)
    sine = -sine if INVERSE else sine
    a, b = load(0), load(1)
    store(0, a * cosine - b * sine)
    store(1, b * cosine + a * sine)


def elements_of_pairs(heads, number, HALF):
    """The first or the second ones, from [T, heads, D], or, where they lie beside each other, [T, heads, 2, D / 2]."""
    if heads.ndim == 4:
        return heads.slice(2, number, number + 1)
    return heads.slice(2, number * HALF, (number + 1) * HALF)


def check_size(size, table):
    if size % 2 or table.shape[1] != size:
        raise ValueError(f"x has heads of {size} elements and the table has rows of {table.shape[1]}, expected the same"
                         " even number")  # fmt: skip


def heads_of_block(heads):
    return min(HEADS, power_of_two(heads))


def rope(x, positions, table, *, interleaved=False, stream=None):
    """Rotates x [T, heads, D] in place at `positions` i32 [T], by `table` f32 [P, D]: D/2 cosines, then D/2 sines.

    Element i of a head is in a pair with i + D/2, or, if `interleaved`, 2 i with 2 i + 1.
    """
    tokens, heads, size = x.shape
    check_size(size, table)
    half = size // 2
    first, second = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    parts = table.reshape(table.shape[0], 2, half).swapaxes(0, 1)
    of_block = heads_of_block(heads)
    grid = (tokens, ct.cdiv(heads, of_block))
    ct.launch(stream, grid, rope_kernel, (first, second, positions, parts, power_of_two(half), of_block))
    return x


def rotated(x, positions, table, out=None, *, interleaved=False, inverse=False, stream=None):
    """The result of rope in an array of its own, or, if `inverse`, what rope has that result of: also its gradient."""
    out = np.empty_like(x) if out is None else out
    tokens, heads, size = x.shape
    check_size(size, table)
    half = size // 2
    pairs, results = x, out
    if interleaved:
        pairs, results = (each.reshape(tokens, heads, half, 2).swapaxes(2, 3) for each in (x, out))
    of_block = heads_of_block(heads)
    arguments = (pairs, results, positions, table, inverse, half, power_of_two(half), of_block)
    ct.launch(stream, (tokens, ct.cdiv(heads, of_block)), rotated_kernel, arguments)
    return out
