# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = epilogue(a @ b + bias), accumulated in f32; of integers of 8 bits a @ b + bias in int32."""

import numpy as np
import tilewright as ct

from kernels.grouped_order import grouped_block

TILE_M, TILE_N, TILE_K = 128, 256, 64
GROUP_M = 8

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


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
    TILE_M: ConstInt,
    TILE_N: ConstInt,
    TILE_K: ConstInt,
    GROUP_M: ConstInt,
):
    """One block per output tile. A transposed operand lies in memory as [K, M] (a) or [N, K] (b)."""
    m, n = grouped_block(ct.bid(0), out.shape[0], out.shape[1], TILE_M, TILE_N, GROUP_M)
    depth = a.shape[0] if TRANSPOSED_A else a.shape[1]
    order_a = (1, 0) if TRANSPOSED_A else (0, 1)
    order_b = (1, 0) if TRANSPOSED_B else (0, 1)
    zero = ct.PaddingMode.ZERO
    acc_dtype = ct.int32 if INTEGERS else ct.float32
    acc = ct.zeros((TILE_M, TILE_N), dtype=acc_dtype)
    for k in range(ct.cdiv(depth, TILE_K)):
        tile_a = ct.load(a, index=(m, k), shape=(TILE_M, TILE_K), order=order_a, padding_mode=zero)
        tile_b = ct.load(b, index=(k, n), shape=(TILE_K, TILE_N), order=order_b, padding_mode=zero)
        acc = ct.mma(tile_a, tile_b, acc)
    if BIAS:
        tile_bias = ct.load(bias, index=(n,), shape=(TILE_N,), padding_mode=zero)
        acc = acc + ct.astype(tile_bias, acc_dtype)[None, :]
    if SILU:
        acc = acc / (1.0 + ct.exp(-acc))
    ct.store(out, index=(m, n), tile=ct.astype(acc, out.dtype))


NO_BIAS = np.zeros(1, np.float32)


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
    tile=(TILE_M, TILE_N, TILE_K),
    stream=None,
):
    """The product of two matrices of one dtype (f32, f16, bf16), plus a row of biases, through SiLU; or of int8 or
    uint8, plus a row of int32, with sums that wrap.

    With transposed_a, a is given as [K, M]; with transposed_b, b as [N, K]. The result has a's dtype, int32 for
    integers, unless `out` or `out_dtype` says otherwise.
    """
    depth, rows = a.shape if transposed_a else a.shape[::-1]
    columns, depth_b = b.shape if transposed_b else b.shape[::-1]
    if depth != depth_b:
        raise ValueError(f"a has {depth} columns but b has {depth_b} rows")
    integers = a.dtype.kind in "iu"
    if integers and silu:
        raise ValueError("SiLU is for floats, but a has dtype " + a.dtype.name)
    if out is None:
        out = np.empty((rows, columns), out_dtype or (np.int32 if integers else a.dtype))
    tile_m, tile_n, tile_k = tile
    grid = (ct.cdiv(rows, tile_m) * ct.cdiv(columns, tile_n),)
    flags = (transposed_a, transposed_b, bias is not None, silu, integers)
    operands = (a, b, NO_BIAS if bias is None else bias, out)
    ct.launch(stream, grid, gemm_kernel, (*operands, *flags, tile_m, tile_n, tile_k, GROUP_M))
    return out
