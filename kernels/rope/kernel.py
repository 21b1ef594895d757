# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary positions: pairs of a head's elements are rotated by angles that grow with the position, in place."""

import tilewright as ct

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
    a = ct.astype(ct.load(first, (token, h, 0), (1, HEADS, HALF), padding_mode=zero), ct.float32)
    b = ct.astype(ct.load(second, (token, h, 0), (1, HEADS, HALF), padding_mode=zero), ct.float32)
    ct.store(first, (token, h, 0), ct.astype(a * cosine - b * sine, first.dtype))
    ct.store(second, (token, h, 0), ct.astype(b * cosine + a * sine, second.dtype))


def rope(x, positions, table, *, interleaved=False, stream=None):
    """Rotates x [T, heads, D] in place at `positions` i32 [T], by `table` f32 [P, D]: D/2 cosines, then D/2 sines.

    Element i of a head is in a pair with i + D/2, or, if `interleaved`, 2 i with 2 i + 1.
    """
    tokens, heads, size = x.shape
    if size % 2 or table.shape[1] != size:
        raise ValueError(f"x has heads of {size} elements and the table has rows of {table.shape[1]}, expected the same"
                         " even number")  # fmt: skip
    half = size // 2
    first, second = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    parts = table.reshape(table.shape[0], 2, half).swapaxes(0, 1)
    of_block = min(HEADS, 1 << (heads - 1).bit_length())
    grid = (tokens, ct.cdiv(heads, of_block))
    tile = 1 << (half - 1).bit_length()
    ct.launch(stream, grid, rope_kernel, (first, second, positions, parts, tile, of_block))
    return x
