# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with matrices of weights [N, K]: what linear layers and experts have in common.

One row is multiplied as the weight is read (`matvec`), more are tiles of tensor cores (`product`), of at least 16 rows.
"""

import os

import triton
import triton.language as tl

INTERPRETED = tl.constexpr(os.environ.get("TRITON_INTERPRET") == "1")
BLOCK = tl.constexpr(128)  # columns that share a scale of f8
LEAST = 16  # rows of a tile that tl.dot takes
FEW = 64  # rows up to which they are one tile
PROGRAMS = 264  # two for each multiprocessor of an H100


@triton.jit
def dot(a, b, acc):
    """acc + a b; f32 in three products of tf32."""
    if INTERPRETED:  # whose tl.dot takes the bits of bf16 for integers
        a, b = a.to(tl.float32), b.to(tl.float32)
    return tl.dot(a, b, acc, input_precision="tf32x3")


@triton.jit
def rounded(values, DTYPE: tl.constexpr):
    """f32 as another type."""
    if INTERPRETED and DTYPE == tl.bfloat16:  # the interpreter cuts bits off
        bits = values.to(tl.int32, bitcast=True)
        values = (bits + 0x7FFF + ((bits >> 16) & 1)).to(tl.float32, bitcast=True)
    return values.to(DTYPE)


@triton.jit
def matvec(x, x_scales, weight_rows, scales, columns, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """[TILE_N] f32: the row at x times the rows at the pointers; in f8 all of these have one row of scales."""
    acc = tl.zeros((TILE_N, TILE_K), dtype=tl.float32)
    for start in range(0, columns, TILE_K):
        column = start + tl.arange(0, TILE_K)
        there = column < columns
        w = tl.load(weight_rows[:, None] + column[None, :], mask=there[None, :], other=0.0)
        values = tl.load(x + column, mask=there, other=0.0).to(tl.float32)
        if x_scales is not None:
            values *= tl.load(x_scales + column // BLOCK, mask=there, other=0.0)
            values *= tl.load(scales + column // BLOCK, mask=there, other=0.0)
        acc += w.to(tl.float32) * values[None, :]
    return tl.sum(acc, axis=1)


@triton.jit
def product(
    x_rows,
    x_scale_rows,
    weight_rows,
    scale_rows,
    columns,
    EVEN: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """[TILE_M, TILE_N] f32: the rows at the pointers x_rows times those at weight_rows. Weights of int8 become the type
    of x; in f8, where TILE_K is 128, the sums of each step are scaled and added in f32. EVEN: no columns are left over.
    """
    inner = tl.arange(0, TILE_K)
    at_x = x_rows[:, None] + inner[None, :]
    at_w = weight_rows[None, :] + inner[:, None]
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(tl.cdiv(columns, TILE_K)):
        if EVEN:
            a, w = tl.load(at_x), tl.load(at_w)
        else:
            left = columns - k * TILE_K
            a = tl.load(at_x, mask=inner[None, :] < left, other=0.0)
            w = tl.load(at_w, mask=inner[:, None] < left, other=0.0)
        if x_scale_rows is None:
            if w.dtype != a.dtype:
                w = w.to(tl.float32).to(a.dtype)
            acc = dot(a, w, acc)
        else:
            part = tl.dot(a, w)
            acc += part * tl.load(x_scale_rows + k)[:, None] * tl.load(scale_rows + k)[None, :]
        at_x += TILE_K
        at_w += TILE_K
    return acc


@triton.jit
def grouped(block, blocks_m, blocks_n, GROUP: tl.constexpr):
    """The place of a block in a walk down GROUP rows before the next column: neighbours share memory in caches."""
    first = block // (GROUP * blocks_n) * GROUP
    height = min(blocks_m - first, GROUP)
    place = block % (GROUP * blocks_n)
    return first + place % height, place // height


@triton.jit
def own_tile(rows, features, TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    """The rows [TILE_M] and features [TILE_N] of a program, some of which may be past the end."""
    m, n = grouped(tl.program_id(0), tl.cdiv(rows, TILE_M), tl.cdiv(features, TILE_N), 8)
    return m * TILE_M + tl.arange(0, TILE_M), n * TILE_N + tl.arange(0, TILE_N)


@triton.jit
def store_tile(out, acc, row, feature, rows, features, out_row):
    """acc in the type of out, without what is past the end."""
    at = out + row.to(tl.int64)[:, None] * out_row + feature[None, :]
    tl.store(at, acc.to(out.dtype.element_ty), mask=(row[:, None] < rows) & (feature[None, :] < features))


def tiles(rows, features, itemsize):
    """(TILE_M, TILE_N, TILE_K), warps and stages of a product; itemsize is that of x, of 2 or 4 bytes.

    The fastest of 24 to 36 for each of three matrices of Llama 3 8B on an H200, of bf16 with 16, 64, 512 and 4096 rows.
    """
    if rows <= FEW:
        tile_m, programs = max(LEAST, triton.next_power_of_2(rows)), triton.cdiv(features, 32)
        if programs >= PROGRAMS:
            return (tile_m, 64 if tile_m < 64 else 128, 256 // itemsize), 4, 4
        return (tile_m, 32, 512 // itemsize), 4, 4
    return (128 if itemsize == 2 else 64, 128, 128 // itemsize), 4, 3


def row_tiles(features, itemsize):
    """(TILE_N, TILE_K) and warps of a product with one row; itemsize is that of the weight."""
    return (4 if features < 64 * PROGRAMS else 8, 2048 // itemsize), 4
