# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x @ weight.T, accumulated in f32; with few rows of x, memory that holds the weight bounds the time."""

import numpy as np
import tilewright as ct

from kernels.arrays import on_cpu, power_of_two
from kernels.gemm.kernel import TILE_K, TILE_M, TILE_N, gemm, gemm_skinny
from kernels.wide import wide

FEWEST = 2  # rows up to which each row of the weight is multiplied as it is read
FEW = 64  # rows up to which they are one tile
FEW_TILE = 64, 64  # of the weight, on a CPU
# Of more rows on a CPU: rows, columns, and bytes of each. 512 x 4096 x 4096 takes 0.92 (f32) and 0.79 (bf16) of the
# time of tiles of 128 x 256 and 128 elements on AMD Zen 4, for sums are read and written less often.
CPU_TILE = 512, 128, 1024
LARGEST, SMALLEST = 16384, 64  # elements of a part of a row
# On a GPU parts of 4096: 4096 rows of 14336 columns in bf16 take 32 us on an H200, 53 with 16384.
GPU_LARGEST = 4096

ConstInt = ct.Constant[int]


def parts(extent, largest=LARGEST, smallest=SMALLEST):
    """(size, index) of tiles that cover a row: powers of two that fall, so that only the last may reach over the end.

    Whole tiles are read by plain loads, which matters on GPUs. On CPUs one tile that reaches over the end is faster,
    for its lines come in order: 4096 rows of 11008 in bf16 take 0.87 of the time of three parts on AMD Zen 5, of 2560
    0.65.
    """
    result, start, size = [], 0, largest
    while start < extent:
        while size > smallest and start + size > extent:
            size //= 2
        result.append((size, start // size))
        start += size
    return tuple(result)


def dot_rows(x, weight, m, n, COLUMNS, LARGEST, SMALLEST, TILE_N):
    """[TILE_N] products of row m of x with rows of the weight, which are read whole."""
    zero = ct.PaddingMode.ZERO
    total = ct.zeros((TILE_N,), dtype=wide(x.dtype))
    for size, part in ct.static_iter(parts(COLUMNS, LARGEST, SMALLEST)):
        w = ct.load(weight, index=(n, part), shape=(TILE_N, size), padding_mode=zero)
        values = ct.load(x, index=(m, part), shape=(1, size), padding_mode=zero)
        total = total + ct.sum(ct.astype(w, total.dtype) * ct.astype(values, total.dtype), axis=1)
    return total


@ct.kernel
def linear_kernel(
    x, weight, out, ROWS: ConstInt, COLUMNS: ConstInt, LARGEST: ConstInt, SMALLEST: ConstInt, TILE_N: ConstInt
):
    """One block per TILE_N rows of the weight: once from memory, then from cache."""
    n = ct.bid(0)
    for m in ct.static_iter(range(ROWS)):
        total = dot_rows(x, weight, m, n, COLUMNS, LARGEST, SMALLEST, TILE_N)
        ct.store(out, index=(m, n), tile=ct.astype(total, out.dtype).reshape((1, TILE_N)))


def sizes_of_parts(x):
    """LARGEST and SMALLEST."""
    whole = min(LARGEST, power_of_two(x.shape[1]))
    return (whole, whole) if on_cpu(x) else (GPU_LARGEST, SMALLEST)


def linear_rows(x, weight, out, *, tile_n=2, stream=None):
    """For one row or two."""
    (rows, columns), (features, _) = x.shape, weight.shape
    arguments = (x, weight, out, rows, columns, *sizes_of_parts(x), tile_n)
    ct.launch(stream, (ct.cdiv(features, tile_n),), linear_kernel, arguments)
    return out


def tile_of_many(x):
    if not on_cpu(x):
        return TILE_M, TILE_N, TILE_K
    rows, columns, depth = CPU_TILE
    return min(rows, power_of_two(x.shape[0])), columns, depth // x.dtype.itemsize


def linear(x, weight, out=None, *, stream=None):
    """out [T, N] = x [T, K] @ weight.T, weight [N, K] of the same dtype (f32, f16, bf16); out may have another one."""
    if x.shape[1] != weight.shape[1]:
        raise ValueError(f"x has {x.shape[1]} columns but weight has {weight.shape[1]}")
    rows = x.shape[0]
    if out is None:
        out = np.empty((rows, weight.shape[0]), x.dtype)
    if rows <= FEWEST:
        return linear_rows(x, weight, out, stream=stream)
    if rows > FEW:
        return gemm(x, weight, out, transposed_b=True, tile=tile_of_many(x), stream=stream)
    if on_cpu(x):
        return gemm(x, weight, out, transposed_b=True, tile=(power_of_two(rows), *FEW_TILE), stream=stream)
    return gemm_skinny(x, weight, out, transposed_b=True, tile=(max(power_of_two(rows), 16), 64, 128), stream=stream)
