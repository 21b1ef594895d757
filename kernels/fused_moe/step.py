# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One step of a product with an expert's weights: TILE_K columns of rows times those of TILE_N rows of the weights.

An operand is an array in a tuple. Weights in f8E4M3 come with scales f32 [E, rows / 128, K / 128], and TILE_K is 128
then. Rows are in f8E4M3, too, with scales f32 [rows, K / 128], for tensor cores; on CPUs their rounded numbers are in
f32.
"""

import tilewright as ct

from kernels.block_scaled_linear.kernel import BLOCK, widened


def operand(arrays):
    """An array as a tuple; a tuple stays what it is."""
    return arrays if isinstance(arrays, tuple) else (arrays,)


def rows_of(tokens, rows, scaled_rows, k, AS_ROWS, TILE_K):
    """The step's columns [rows, TILE_K] of some rows, [TILE_K, rows] without AS_ROWS, and their scales [rows] where
    there are any.

    `scaled_rows` are the same rows, as block_of_slots has them twice.
    """
    at = k * TILE_K + ct.arange(TILE_K, dtype=ct.int32)
    places = (rows[:, None], at[None, :]) if AS_ROWS else (rows[None, :], at[:, None])
    tile = ct.gather(tokens[0], places)
    if len(tokens) == 1:
        return (tile,)
    return tile, ct.gather(tokens[1], (scaled_rows, k))


def weights_of(weights, at, n, k, AS_ROWS, TILE_N, TILE_K):
    """A tile [TILE_N, TILE_K] of the matrix that the indices `at` select, transposed with AS_ROWS."""
    zero = ct.PaddingMode.ZERO
    ones, order = ((1,), (0, 2, 1)) if len(at) == 1 else ((1, 1), (0, 1, 3, 2))
    if AS_ROWS:
        tile = ct.load(weights, (*at, k, n), (*ones, TILE_K, TILE_N), order=order, padding_mode=zero)
        return tile.reshape((TILE_K, TILE_N))
    return ct.load(weights, (*at, n, k), (*ones, TILE_N, TILE_K), padding_mode=zero).reshape((TILE_N, TILE_K))


def multiply(rows, weights, acc, AS_ROWS, FAST):
    """Rows [M, K] are the left operand with AS_ROWS, else as columns the right one."""
    if AS_ROWS:
        return ct.mma(rows, weights, acc, use_fast_acc=FAST)
    return ct.mma(weights, rows, acc, use_fast_acc=FAST)


def add_step(acc, rows, weights, at, first, n, k, AS_ROWS, TILE_N, TILE_K):
    """`acc` plus the step's product, for what rows_of returns.

    The matrix that `at` selects begins in row `first` of those that scales are for; TILE_N divides `first` and 128, so
    that a tile has one scale.
    """
    tile = weights_of(weights[0], at, n, k, AS_ROWS, TILE_N, TILE_K)
    if len(weights) == 1:
        return multiply(rows[0], tile, acc, AS_ROWS, False)
    scale = ct.load(weights[1], (at[0], (first + n * TILE_N) // BLOCK, k), ())
    if len(rows) == 1:
        tile = ct.astype(widened(tile), ct.float32) * (scale * 256.0)
        return multiply(rows[0], tile, acc, AS_ROWS, False)
    # wgmma adds 128 products of f8 as precisely as its sums are: a step has no more of them.
    part = multiply(rows[0], tile, ct.zeros(acc.shape, dtype=ct.float32), AS_ROWS, True)
    factor = rows[1] * scale
    return acc + part * (factor[:, None] if AS_ROWS else factor[None, :])
