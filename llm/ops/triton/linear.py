# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear layers with dense weights and those of int8 and int4, and a matrix per head."""

import triton
import triton.language as tl

from .products import FEW, LEAST, PROGRAMS, dot, matvec, own_tile, product, row_tiles, store_tile, tiles


@triton.jit
def row_kernel(x, weight, scales, out, features, columns, weight_row, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    """One program for TILE_N features of the one row of x."""
    feature = tl.program_id(0) * TILE_N + tl.arange(0, TILE_N)
    weight_rows = weight + (feature % features).to(tl.int64) * weight_row
    total = matvec(x, None, weight_rows, None, columns, TILE_N, TILE_K)
    if scales is not None:
        total *= tl.load(scales + feature, mask=feature < features)
    tl.store(out + feature, total.to(out.dtype.element_ty), mask=feature < features)


@triton.jit
def tiles_kernel(
    x,
    weight,
    scales,
    out,
    rows,
    features,
    columns,
    x_row,
    weight_row,
    out_row,
    EVEN: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """One program per tile of out. Rows and features past the end are computed from others and not stored."""
    row, feature = own_tile(rows, features, TILE_M, TILE_N)
    x_rows = x + (row % rows).to(tl.int64) * x_row
    weight_rows = weight + (feature % features).to(tl.int64) * weight_row
    acc = product(x_rows, None, weight_rows, None, columns, EVEN, TILE_M, TILE_N, TILE_K)
    if scales is not None:
        acc *= tl.load(scales + feature, mask=feature < features)[None, :]
    store_tile(out, acc, row, feature, rows, features, out_row)


def linear_int8(x, weight, scales, out):
    (rows, columns), features = x.shape, weight.shape[0]
    if rows == 1:
        tile, warps = row_tiles(features, weight.element_size())
        grid = (triton.cdiv(features, tile[0]),)
        row_kernel[grid](x, weight, scales, out, features, columns, weight.stride(0), *tile, num_warps=warps)
        return
    tile, warps, stages = tiles(rows, features, x.element_size())
    grid = (triton.cdiv(rows, tile[0]) * triton.cdiv(features, tile[1]),)
    strides = x.stride(0), weight.stride(0), out.stride(0)
    sizes = rows, features, columns, *strides, columns % tile[2] == 0, *tile
    tiles_kernel[grid](x, weight, scales, out, *sizes, num_warps=warps, num_stages=stages)


def linear(x, weight, out):
    linear_int8(x, weight, None, out)


@triton.jit
def int4_row_kernel(
    x, packed, scales, out, features, columns, GROUP: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr
):
    """One program for TILE_N features of one row; a step has TILE_K bytes of each, of two columns."""
    feature = tl.program_id(0) * TILE_N + tl.arange(0, TILE_N)
    at = (feature % features).to(tl.int64)[:, None]
    bytes_of_row = columns // 2
    acc = tl.zeros((TILE_N, TILE_K), dtype=tl.float32)
    for start in range(0, bytes_of_row, TILE_K):
        place = start + tl.arange(0, TILE_K)
        there = place < bytes_of_row
        pairs = tl.load(packed + at * bytes_of_row + place[None, :], mask=there[None, :], other=0).to(tl.int32)
        even = tl.load(x + 2 * place, mask=there, other=0.0).to(tl.float32)[None, :]
        odd = tl.load(x + 2 * place + 1, mask=there, other=0.0).to(tl.float32)[None, :]
        both = ((pairs & 15) - 8).to(tl.float32) * even + ((pairs >> 4) - 8).to(tl.float32) * odd
        group = place // (GROUP // 2)
        acc += both * tl.load(scales + at * (columns // GROUP) + group[None, :], mask=there[None, :], other=0.0)
    total = tl.sum(acc, axis=1)
    tl.store(out + feature, total.to(out.dtype.element_ty), mask=feature < features)


@triton.jit
def int4_tiles_kernel(
    x,
    packed,
    scales,
    out,
    rows,
    features,
    columns,
    x_row,
    out_row,
    GROUP: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """One program per tile of out. Weights are rounded to the type of x before the product."""
    row, feature = own_tile(rows, features, TILE_M, TILE_N)
    x_rows = x + (row % rows).to(tl.int64)[:, None] * x_row
    at = (feature % features).to(tl.int64)[:, None]
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(tl.cdiv(columns, TILE_K)):
        place = k * (TILE_K // 2) + tl.arange(0, TILE_K // 2)[None, :]
        group = k * (TILE_K // GROUP) + tl.arange(0, TILE_K // GROUP)[None, :]
        column = k * TILE_K + tl.arange(0, TILE_K)[None, :]
        pairs = tl.load(packed + at * (columns // 2) + place, mask=place < columns // 2, other=0)
        scale = tl.load(scales + at * (columns // GROUP) + group, mask=group < columns // GROUP, other=0.0)
        a = tl.load(x_rows + column, mask=column < columns, other=0.0)
        values = tl.interleave((pairs & 15).to(tl.int8), (pairs >> 4).to(tl.int8)) - 8
        values = tl.reshape(values.to(tl.float32), (TILE_N, TILE_K // GROUP, GROUP)) * scale[:, :, None]
        w = tl.reshape(values, (TILE_N, TILE_K)).to(a.dtype)
        acc = dot(a, tl.trans(w), acc)
    store_tile(out, acc, row, feature, rows, features, out_row)


def linear_int4(x, packed, scales, out, *, group):
    (rows, columns), features = x.shape, packed.shape[0]
    if rows == 1:
        tile_n = 4 if features < 64 * PROGRAMS else 8
        sizes = features, columns, group, tile_n, 1024
        int4_row_kernel[triton.cdiv(features, tile_n),](x, packed, scales, out, *sizes)
        return
    tile_m = max(LEAST, triton.next_power_of_2(rows)) if rows <= FEW else 128
    tile_n, tile_k = 64 if rows <= FEW else 128, max(64, group)
    grid = (triton.cdiv(rows, tile_m) * triton.cdiv(features, tile_n),)
    sizes = rows, features, columns, x.stride(0), out.stride(0), group, tile_m, tile_n, tile_k
    int4_tiles_kernel[grid](x, packed, scales, out, *sizes, num_warps=4 if rows <= FEW else 8)


@triton.jit
def head_kernel(
    x,
    weight,
    out,
    rows,
    features,
    columns,
    x_row,
    x_head,
    weight_head,
    weight_feature,
    weight_column,
    out_row,
    out_head,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
):
    """One program per tile of one head. The weight is read along its strides, one of which is 1."""
    n, m, head = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    row = m * TILE_M + tl.arange(0, TILE_M)
    feature = n * TILE_N + tl.arange(0, TILE_N)
    x_rows = x + head * x_head + (row % rows).to(tl.int64)[:, None] * x_row
    weight_rows = weight + head * weight_head + (feature % features)[None, :] * weight_feature
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for start in range(0, columns, TILE_K):
        column = start + tl.arange(0, TILE_K)
        a = tl.load(x_rows + column[None, :], mask=column[None, :] < columns, other=0.0)
        w = tl.load(weight_rows + column[:, None] * weight_column, mask=column[:, None] < columns, other=0.0)
        acc = dot(a, w, acc)
    store_tile(out + head * out_head, acc, row, feature, rows, features, out_row)


def head_linear(x, weight, out):
    (tokens, heads, columns), features = x.shape, weight.shape[1]
    tile = min(128, max(LEAST, triton.next_power_of_2(tokens))), 64 if tokens <= FEW else 128, 64
    grid = (triton.cdiv(features, tile[1]), triton.cdiv(tokens, tile[0]), heads)
    strides = *x.stride()[:2], *weight.stride(), *out.stride()[:2]
    warps = 4 if tokens <= FEW else 8
    head_kernel[grid](x, weight, out, tokens, features, columns, *strides, *tile, num_warps=warps, num_stages=3)
