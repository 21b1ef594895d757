# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x @ (weight * scales).T, weight in f8E4M3 with a scale for 128 x 128 elements; x is rounded to f8E4M3 with a
scale for 128 elements of a token, as DeepSeek's models are trained."""

import numpy as np
import tilewright as ct

from kernels.arrays import empty, on_cpu, power_of_two
from kernels.linear.kernel import parts

BLOCK = 128  # elements in each direction that share a scale of the weight
LARGEST_F8 = 448.0
SMALLEST_SCALE = float(np.finfo(np.float32).tiny)
GROUPS = 16  # of 128 columns that a block quantizes
ROWS_OF_WEIGHT, LARGEST = 16, 16384
CPU_TILE_M, CPU_TILE_N = 64, 64
FEW, FEW_TILE, TILE = 64, (16, 64), (128, 128)  # on GPUs

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


@ct.kernel
def quantize_kernel(x, out, scales, GROUPS: ConstInt, RESCALED: ConstBool):
    """One block for GROUPS groups of 128 columns of one token. If RESCALED, the rounded numbers go to f32 again."""
    row, c = ct.bid(0), ct.bid(1)
    values = ct.load(x, index=(row, c), shape=(1, GROUPS * BLOCK), padding_mode=ct.PaddingMode.ZERO)
    values = ct.astype(values, ct.float32).reshape((GROUPS, BLOCK))
    scale = ct.maximum(ct.max(ct.abs(values), axis=1, keepdims=True) / LARGEST_F8, SMALLEST_SCALE)
    rounded = ct.astype(values / scale, ct.float8_e4m3fn)
    if RESCALED:
        result = ct.astype(rounded, ct.float32) * scale
        ct.store(out, index=(row, c), tile=result.reshape((1, GROUPS * BLOCK)))
    else:
        ct.store(out, index=(row, c), tile=rounded.reshape((1, GROUPS * BLOCK)))
        ct.store(scales, index=(row, c), tile=scale.reshape((1, GROUPS)))


@ct.kernel
def block_scaled_kernel(
    x, x_scales, weight, scales, out, AS_ROWS: ConstBool, FAST: ConstBool, TILE_M: ConstInt, TILE_N: ConstInt
):
    """Both operands in f8E4M3, 128 columns in a step, whose sums are scaled and added in f32.

    Tokens are the product's rows if AS_ROWS, else its columns, as few of them need less of a tensor core there. With
    FAST a step's sum has the precision of Hopper's tensor cores, as that of DeepSeek's kernels.
    """
    n, m = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((TILE_M, TILE_N) if AS_ROWS else (TILE_N, TILE_M), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], BLOCK)):
        scale = ct.load(scales, index=(n * TILE_N // BLOCK, k), shape=())
        x_scale = ct.load(x_scales, index=(m, k), shape=(TILE_M, 1), padding_mode=zero) * scale
        if AS_ROWS:
            tile_x = ct.load(x, index=(m, k), shape=(TILE_M, BLOCK), padding_mode=zero)
            tile_w = ct.load(weight, index=(k, n), shape=(BLOCK, TILE_N), order=(1, 0), padding_mode=zero)
            part = ct.mma(tile_x, tile_w, ct.zeros((TILE_M, TILE_N), dtype=ct.float32), use_fast_acc=FAST)
            acc = acc + part * x_scale
        else:
            tile_x = ct.load(x, index=(k, m), shape=(BLOCK, TILE_M), order=(1, 0), padding_mode=zero)
            tile_w = ct.load(weight, index=(n, k), shape=(TILE_N, BLOCK), padding_mode=zero)
            part = ct.mma(tile_w, tile_x, ct.zeros((TILE_N, TILE_M), dtype=ct.float32), use_fast_acc=FAST)
            acc = acc + part * x_scale.reshape((1, TILE_M))
    acc = acc if AS_ROWS else ct.transpose(acc)
    ct.store(out, index=(m, n), tile=ct.astype(acc, out.dtype))


def widened(tile):
    """f8E4M3 as f16, divided by 256: the same bits in other places, but for NaN. CPUs have an instruction for f16."""
    bits = ct.astype(ct.bitcast(tile, ct.int8), ct.int16)
    return ct.bitcast((bits << 7) & -0x4080, ct.float16)


@ct.kernel
def rescaled_token_kernel(x, weight, scales, out, COLUMNS: ConstInt, LARGEST: ConstInt, TILE_N: ConstInt):
    """For CPUs and one token in f32: one block per TILE_N rows of the weight, which are read whole."""
    n = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    total = ct.zeros((TILE_N,), dtype=ct.float32)
    for size, part in ct.static_iter(parts(COLUMNS, LARGEST, BLOCK)):
        groups = size // BLOCK
        scale = ct.load(scales, index=(n * TILE_N // BLOCK, part), shape=(1, groups), padding_mode=zero) * 256.0
        values = ct.load(x, index=(0, part), shape=(1, size), padding_mode=zero)
        values = (values.reshape((groups, BLOCK)) * scale.reshape((groups, 1))).reshape((1, size))
        tile = ct.load(weight, index=(n, part), shape=(TILE_N, size), padding_mode=zero)
        total = total + ct.sum(ct.astype(widened(tile), ct.float32) * values, axis=1)
    ct.store(out, index=(0, n), tile=ct.astype(total, out.dtype).reshape((1, TILE_N)))


@ct.kernel
def rescaled_kernel(x, weight, scales, out, TILE_M: ConstInt, TILE_N: ConstInt):
    """For CPUs and more tokens in f32."""
    n, m = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], BLOCK)):
        scale = ct.load(scales, index=(n * TILE_N // BLOCK, k), shape=()) * 256.0
        tile_x = ct.load(x, index=(m, k), shape=(TILE_M, BLOCK), padding_mode=zero)
        tile_w = ct.load(weight, index=(k, n), shape=(BLOCK, TILE_N), order=(1, 0), padding_mode=zero)
        acc = ct.mma(tile_x, ct.astype(widened(tile_w), ct.float32) * scale, acc)
    ct.store(out, index=(m, n), tile=ct.astype(acc, out.dtype))


def quantize_tokens(x, out, scales, *, stream=None):
    """x [T, K] rounded into out [T, K] f8E4M3, with scales f32 [T, ceil(K / 128)]; scales of None take an out in f32
    that holds the rounded numbers."""
    rows, columns = x.shape
    groups = min(GROUPS, power_of_two(ct.cdiv(columns, BLOCK)))
    rescaled = scales is None
    arguments = (x, out, out if rescaled else scales, groups, rescaled)
    ct.launch(stream, (rows, ct.cdiv(columns, groups * BLOCK)), quantize_kernel, arguments)


def rounded_tokens(x, *, eight_bits=None, stream=None):
    """In new memory, (x [T, K] in f8E4M3, its scales), or as CPUs take it (the rounded numbers in f32,)."""
    rows, columns = x.shape
    if on_cpu(x) if eight_bits is None else not eight_bits:
        numbers = empty((rows, columns), "float32", beside=x)
        quantize_tokens(x, numbers, None, stream=stream)
        return (numbers,)
    numbers = empty((rows, columns), "float8_e4m3fn", beside=x)
    scales = empty((rows, ct.cdiv(columns, BLOCK)), "float32", beside=x)
    quantize_tokens(x, numbers, scales, stream=stream)
    return numbers, scales


def block_scaled_product(x, x_scales, weight, scales, out, *, as_rows=None, fast=False, tile=None, stream=None):
    """The product of what quantize_tokens wrote; `tile` is of tokens and of rows of the weight, which divide 128."""
    rows = x.shape[0]
    as_rows = rows > FEW if as_rows is None else as_rows
    tile_m, tile_n = tile or (TILE if as_rows else (max(FEW_TILE[0], power_of_two(rows)), FEW_TILE[1]))
    grid = (ct.cdiv(weight.shape[0], tile_n), ct.cdiv(rows, tile_m))
    arguments = (x, x_scales, weight, scales, out, as_rows, fast, tile_m, tile_n)
    ct.launch(stream, grid, block_scaled_kernel, arguments)
    return out


def rescaled_product(x, weight, scales, out, *, stream=None):
    """The same on a CPU, whose products are in f32: x has the rounded numbers. The weight has no NaN."""
    (rows, columns), features = x.shape, weight.shape[0]
    if rows == 1:
        grid, constants = (ct.cdiv(features, ROWS_OF_WEIGHT),), (columns, LARGEST, ROWS_OF_WEIGHT)
        ct.launch(stream, grid, rescaled_token_kernel, (x, weight, scales, out, *constants))
        return out
    tile_m = min(CPU_TILE_M, power_of_two(rows))
    ct.launch(
        stream,
        (ct.cdiv(features, CPU_TILE_N), ct.cdiv(rows, tile_m)),
        rescaled_kernel,
        (x, weight, scales, out, tile_m, CPU_TILE_N),
    )
    return out


def check_scales(weight, scales):
    """For a weight [..., N, K]."""
    blocks = (*weight.shape[:-2], *(ct.cdiv(extent, BLOCK) for extent in weight.shape[-2:]))
    if tuple(scales.shape) != blocks:
        raise ValueError(f"scales have shape {tuple(scales.shape)}, expected {blocks}: one for 128 x 128 elements")


def block_scaled_linear(x, weight, scales, out, *, fast=False, tile=None, stream=None):
    """out [T, N] = x [T, K] times weight [N, K] in f8E4M3, with scales f32 [ceil(N / 128), ceil(K / 128)].

    Memory for x in f8E4M3 (on a CPU in f32) is allocated for the time of the product.
    """
    if x.shape[1] != weight.shape[1]:
        raise ValueError(f"x has {x.shape[1]} columns but weight has {weight.shape[1]}")
    check_scales(weight, scales)
    rounded, *its_scales = rounded_tokens(x, stream=stream)
    if not its_scales:
        return rescaled_product(rounded, weight, scales, out, stream=stream)
    return block_scaled_product(rounded, its_scales[0], weight, scales, out, fast=fast, tile=tile, stream=stream)
