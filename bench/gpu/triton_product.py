# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GEMM in Triton, with pointers, as its tutorials have it."""

import triton
import triton.language as tl


@triton.jit
def gemm(
    a,
    b,
    out,
    rows,
    columns,
    depth,
    a_row,
    a_column,
    b_row,
    b_column,
    out_row,
    EVEN: tl.constexpr,
    TILE_M: tl.constexpr,
    TILE_N: tl.constexpr,
    TILE_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    block = tl.program_id(0)
    blocks_m, blocks_n = tl.cdiv(rows, TILE_M), tl.cdiv(columns, TILE_N)
    first = block // (GROUP_M * blocks_n) * GROUP_M
    height = min(blocks_m - first, GROUP_M)
    place = block % (GROUP_M * blocks_n)
    m, n = first + place % height, place // height
    # Rows and columns past the end are computed from others and not stored.
    row = (m * TILE_M + tl.arange(0, TILE_M)) % rows
    column = (n * TILE_N + tl.arange(0, TILE_N)) % columns
    inner = tl.arange(0, TILE_K)
    at_a = a + row[:, None] * a_row + inner[None, :] * a_column
    at_b = b + inner[:, None] * b_row + column[None, :] * b_column
    acc = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(tl.cdiv(depth, TILE_K)):
        if EVEN:
            x, y = tl.load(at_a), tl.load(at_b)
        else:
            left = depth - k * TILE_K
            x = tl.load(at_a, mask=inner[None, :] < left, other=0.0)
            y = tl.load(at_b, mask=inner[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc)
        at_a += TILE_K * a_column
        at_b += TILE_K * b_row
    row = m * TILE_M + tl.arange(0, TILE_M)
    column = n * TILE_N + tl.arange(0, TILE_N)
    at = out + row[:, None] * out_row + column[None, :]
    tl.store(at, acc.to(out.dtype.element_ty), mask=(row[:, None] < rows) & (column[None, :] < columns))


def start(a, b, out, *, tile, stages, warps):
    (rows, depth), columns = a.shape, b.shape[1]
    grid = (triton.cdiv(rows, tile[0]) * triton.cdiv(columns, tile[1]),)
    strides = (*a.stride(), *b.stride(), out.stride(0))
    even = depth % tile[2] == 0

    def call():
        gemm[grid](
            a, b, out, rows, columns, depth, *strides, even, *tile, GROUP_M=8, num_stages=stages, num_warps=warps
        )
        return out

    return call
