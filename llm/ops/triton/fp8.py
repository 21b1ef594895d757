# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers in f8 with scales of blocks, whose x is quantized first."""

import torch
import triton
import triton.language as tl

from ...weights import BLOCK as COLUMNS
from ...weights import FP8_MAX
from .products import BLOCK, FEW, INTERPRETED, LEAST, PROGRAMS, matvec, own_tile, product, store_tile

LARGEST = tl.constexpr(FP8_MAX)
SMALLEST = tl.constexpr(torch.finfo(torch.float32).tiny)  # of the scales
GROUPS = 16  # of 128 columns of a program


@triton.jit
def as_f8(values):
    """f32 rounded to the numbers of f8e4m3, with four bits from 2^-6 on."""
    power = (values.to(tl.int32, bitcast=True) & 0x7F800000).to(tl.float32, bitcast=True)
    large = tl.maximum(power, 2.0**-6) * 2.0**20  # beside it the last bit of f32 is that of f8
    return tl.where(values < 0, (values - large) + large, (values + large) - large)


@triton.jit
def quantize_kernel(x, out, scales, columns, x_row, GROUPS: tl.constexpr):
    """One program for GROUPS groups of 128 columns of one token, each with a scale of its own."""
    row = tl.program_id(0).to(tl.int64)
    group = tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)
    column = group[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    values = tl.load(x + row * x_row + column, mask=column < columns, other=0.0).to(tl.float32)
    # Quotients are rounded as IEEE says: an approximate one may round to another number of f8.
    scale = tl.maximum(tl.div_rn(tl.max(tl.abs(values), axis=1), LARGEST), SMALLEST)
    values = tl.div_rn(values, tl.broadcast_to(scale[:, None], values.shape))
    if INTERPRETED:  # which does not round to f8 as GPUs do
        values = as_f8(values)
    tl.store(out + row * columns + column, values.to(out.dtype.element_ty), mask=column < columns)
    groups = tl.cdiv(columns, BLOCK)
    tl.store(scales + row * groups + group, scale, mask=group < groups)


def quantize(x, dtype):
    """x [T, K] as f8 of that type, and its scales f32 [T, ceil(K / 128)]."""
    rows, columns = x.shape
    groups = triton.cdiv(columns, COLUMNS)
    out = torch.empty((rows, columns), dtype=dtype, device=x.device)
    scales = torch.empty((rows, groups), dtype=torch.float32, device=x.device)
    of_program = min(GROUPS, triton.next_power_of_2(groups))
    quantize_kernel[rows, triton.cdiv(groups, of_program)](x, out, scales, columns, x.stride(0), of_program)
    return out, scales


@triton.jit
def fp8_row_kernel(x, x_scales, weight, scales, out, features, columns, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """One program for TILE_N features, which divides 128, of the one row of x."""
    n = tl.program_id(0)
    feature = n * TILE_N + tl.arange(0, TILE_N)
    weight_rows = weight + (feature % features).to(tl.int64) * columns
    scales += n * TILE_N // BLOCK * tl.cdiv(columns, BLOCK)
    total = matvec(x, x_scales, weight_rows, scales, columns, TILE_N, TILE_K)
    tl.store(out + feature, total.to(out.dtype.element_ty), mask=feature < features)


@triton.jit
def fp8_tiles_kernel(
    x,
    x_scales,
    weight,
    scales,
    out,
    rows,
    features,
    columns,
    out_row,
    EVEN: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
):
    """One program per tile of out."""
    row, feature = own_tile(rows, features, TILE_M, TILE_N)
    at_x, at_w = (row % rows).to(tl.int64), (feature % features).to(tl.int64)
    groups = tl.cdiv(columns, BLOCK)
    x_scales += at_x * groups
    scales += at_w // BLOCK * groups
    acc = product(x + at_x * columns, x_scales, weight + at_w * columns, scales, columns, EVEN, TILE_M, TILE_N, BLOCK)
    store_tile(out, acc, row, feature, rows, features, out_row)


def linear_fp8(x, weight, scales, out):
    (rows, columns), features = x.shape, weight.shape[0]
    x, x_scales = quantize(x, weight.dtype)
    if rows == 1:
        tile_n = 4 if features < 64 * PROGRAMS else 8
        fp8_row_kernel[triton.cdiv(features, tile_n),](
            x, x_scales, weight, scales, out, features, columns, tile_n, 1024
        )
        return
    tile = (max(LEAST, triton.next_power_of_2(rows)), 32) if rows <= FEW else (128, 128)
    grid = (triton.cdiv(rows, tile[0]) * triton.cdiv(features, tile[1]),)
    sizes = rows, features, columns, out.stride(0), columns % COLUMNS == 0, *tile
    options = {"num_warps": 4, "num_stages": 5} if rows <= FEW else {"num_warps": 8, "num_stages": 4}
    fp8_tiles_kernel[grid](x, x_scales, weight, scales, out, *sizes, **options)
