# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = epilogue(a @ b + bias), accumulated in f32; of integers of 8 bits a @ b + bias in int32."""

import math

import numpy as np
import tilewright as ct

from kernels.arrays import is_integer, takes_matrix_unit
from kernels.grouped_order import grouped_block
from kernels.wide import wide

TILE_M, TILE_N, TILE_K = 128, 256, 64
# Bytes of a row of A on a CPU's matrix unit: bf16 2048^3 takes 0.85 of the time of 128 bytes, as longer rows are packed
# faster.
MATRIX_BYTES = 1024
GROUP_M = 8
LOG2_E = math.log2(math.e)
# How products of 8 bits are summed: in full, as quickly as the tensor cores can, or each tile's by itself and then in
# f32, for compilers that leave Hopper's tensor cores, which keep about 14 bits of such a sum, alone with it.
PLAIN, FAST, BY_TILE = 0, 1, 2

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def product(a, b, m, n, TRANSPOSED_A, TRANSPOSED_B, TF32, SUMS, ACC, TILE_M, TILE_N, TILE_K):
    """One tile of a @ b. A transposed operand lies in memory as [K, M] (a) or [N, K] (b)."""
    depth = a.shape[0] if TRANSPOSED_A else a.shape[1]
    order_a = (1, 0) if TRANSPOSED_A else (0, 1)
    order_b = (1, 0) if TRANSPOSED_B else (0, 1)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((TILE_M, TILE_N), dtype=ACC)
    for k in range(ct.cdiv(depth, TILE_K)):
        tile_a = ct.load(a, index=(m, k), shape=(TILE_M, TILE_K), order=order_a, padding_mode=zero)
        tile_b = ct.load(b, index=(k, n), shape=(TILE_K, TILE_N), order=order_b, padding_mode=zero)
        if TF32:
            tile_a = ct.astype(tile_a, ct.tfloat32)
            tile_b = ct.astype(tile_b, ct.tfloat32)
        if SUMS == BY_TILE:
            acc = acc + ct.mma(tile_a, tile_b, ct.zeros((TILE_M, TILE_N), dtype=ACC))
        else:
            acc = ct.mma(tile_a, tile_b, acc, use_fast_acc=SUMS == FAST)
    return acc


def finish(acc, bias, out, m, n, BIAS, SILU, TILE_N):
    """SiLU as GPUs have it: a rounded division is a subroutine there, and 2^x an instruction."""
    if BIAS:
        tile_bias = ct.load(bias, index=(n,), shape=(TILE_N,), padding_mode=ct.PaddingMode.ZERO)
        acc = acc + ct.astype(tile_bias, acc.dtype)[None, :]
    if SILU:
        powers = ct.exp2(acc * -LOG2_E, flush_to_zero=True)
        acc = ct.truediv(acc, 1.0 + powers, rounding_mode=ct.RoundingMode.FULL)
    ct.store(out, index=(m, n), tile=ct.astype(acc, out.dtype))


@ct.kernel
def gemm_kernel(
    a,
    b,
    bias,
    out,
    TRANSPOSED_A: ConstBool,
    TRANSPOSED_B: ConstBool,
    BIAS: ConstBool,
    SILU: ConstBool,
    INTEGERS: ConstBool,
    TF32: ConstBool,
    SUMS: ConstInt,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """One block per output tile."""
    m, n = grouped_block(ct.bid(0), out.shape[0], out.shape[1], TILE_M, TILE_N, GROUP_M)
    acc_dtype = ct.int32 if INTEGERS else wide(a.dtype)
    acc = product(a, b, m, n, TRANSPOSED_A, TRANSPOSED_B, TF32, SUMS, acc_dtype, TILE_M, TILE_N, TILE_K)
    finish(acc, bias, out, m, n, BIAS, SILU, TILE_N)


@ct.kernel
def gemm_persistent_kernel(
    a,
    b,
    bias,
    out,
    TRANSPOSED_A: ConstBool,
    TRANSPOSED_B: ConstBool,
    BIAS: ConstBool,
    SILU: ConstBool,
    INTEGERS: ConstBool,
    TF32: ConstBool,
    SUMS: ConstInt,
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """As many blocks as run at a time, each of which takes every so manieth output tile."""
    acc_dtype = ct.int32 if INTEGERS else wide(a.dtype)
    tiles = ct.cdiv(out.shape[0], TILE_M) * ct.cdiv(out.shape[1], TILE_N)
    for tile in range(ct.bid(0), tiles, ct.num_blocks(0)):
        m, n = grouped_block(tile, out.shape[0], out.shape[1], TILE_M, TILE_N, GROUP_M)
        acc = product(a, b, m, n, TRANSPOSED_A, TRANSPOSED_B, TF32, SUMS, acc_dtype, TILE_M, TILE_N, TILE_K)
        finish(acc, bias, out, m, n, BIAS, SILU, TILE_N)


@ct.kernel
def gemm_skinny_kernel(a, b, out, TRANSPOSED_B: ConstBool, TILE_M: ConstInt, TILE_N: ConstInt, TILE_K: ConstInt):
    """Few rows: the product is computed transposed, so that the tensor cores' long side lies along the columns."""
    n, m = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    order_b = (0, 1) if TRANSPOSED_B else (1, 0)
    acc = ct.zeros((TILE_N, TILE_M), dtype=wide(a.dtype))
    for k in range(ct.cdiv(a.shape[1], TILE_K)):
        tile_b = ct.load(b, index=(n, k), shape=(TILE_N, TILE_K), order=order_b, padding_mode=zero)
        tile_a = ct.load(a, index=(k, m), shape=(TILE_K, TILE_M), order=(1, 0), padding_mode=zero)
        acc = ct.mma(tile_b, tile_a, acc)
    ct.store(out, index=(m, n), tile=ct.transpose(ct.astype(acc, out.dtype)))


def tile_for(a):
    """(TILE_M, TILE_N, TILE_K) for matrices like a."""
    return TILE_M, TILE_N, MATRIX_BYTES // a.dtype.itemsize if takes_matrix_unit(a) else TILE_K


def gemm(
    a,
    b,
    out=None,
    *,
    bias=None,
    silu=False,
    transposed_a=False,
    transposed_b=False,
    out_dtype=None,
    tf32=False,
    sums=PLAIN,
    blocks=None,
    tile=None,
    stream=None,
):
    """The product of two matrices of one dtype (f32, f16, bf16, fp8), plus a row of biases, through SiLU; or of int8 or
    uint8, plus a row of int32, with sums that wrap.

    With transposed_a, a is given as [K, M]; with transposed_b, b as [N, K]. The result has a's dtype, int32 for
    integers, unless `out` or `out_dtype` says otherwise. With `tf32`, f32 is rounded to that before it is multiplied.
    `sums` is for fp8: FAST, PLAIN or BY_TILE. With `blocks` there are no more than so many blocks, each of which
    computes one tile after the other.
    """
    depth, rows = a.shape if transposed_a else a.shape[::-1]
    columns, depth_b = b.shape if transposed_b else b.shape[::-1]
    if depth != depth_b:
        raise ValueError(f"a has {depth} columns but b has {depth_b} rows")
    integers = is_integer(a)
    if integers and silu:
        raise ValueError(f"SiLU is for floats, but a has dtype {a.dtype}")
    if out is None:
        out = np.empty((rows, columns), out_dtype or (np.int32 if integers else a.dtype))
    tile_m, tile_n, tile_k = tile or tile_for(a)
    tiles = ct.cdiv(rows, tile_m) * ct.cdiv(columns, tile_n)
    kernel, grid = (gemm_kernel, tiles) if blocks is None else (gemm_persistent_kernel, min(tiles, blocks))
    flags = (transposed_a, transposed_b, bias is not None, silu, integers, tf32, sums)
    operands = (a, b, b if bias is None else bias, out)  # any array where the others are; it is not read
    ct.launch(stream, (grid,), kernel, (*operands, *flags, tile_m, tile_n, tile_k, GROUP_M))
    return out


def gemm_skinny(a, b, out=None, *, transposed_b=False, tile=(16, 64, 128), stream=None):
    """The same for an a of few rows, without an epilogue."""
    columns = b.shape[0] if transposed_b else b.shape[1]
    if out is None:
        out = np.empty((a.shape[0], columns), a.dtype)
    grid = (ct.cdiv(columns, tile[1]), ct.cdiv(a.shape[0], tile[0]))
    ct.launch(stream, grid, gemm_skinny_kernel, (a, b, out, transposed_b, *tile))
    return out
