# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points of matrix products and attention."""

import math

import numpy as np
from tilewright import cdiv

from bench.predict.point import Array, Point
from kernels.attention.kernel import LOG2_E, attention_kernel, attention_rows_kernel
from kernels.fused_moe.kernel import fused_moe_kernel
from kernels.fused_moe.reference import align_reference
from kernels.gemm.kernel import FAST, PLAIN, gemm_kernel, gemm_persistent_kernel, gemm_skinny_kernel

GROUP_M = 8


def gemm(m, n, k, tile, dtype="bfloat16", *, transposed_b=False, out=None, blocks=None, silu=False, tf32=False,
         sums=PLAIN, **hints):  # fmt: skip
    """`blocks`: of the kernel that loops over its tiles."""
    out = out or dtype
    integers = dtype == "int8"
    tiles = cdiv(m, tile[0]) * cdiv(n, tile[1])
    kernel, grid = (gemm_kernel, tiles) if blocks is None else (gemm_persistent_kernel, min(tiles, blocks))
    arrays = (Array((m, k), dtype), Array((n, k) if transposed_b else (k, n), dtype))
    arrays += (Array((n,), "int32" if integers else "float32"), Array((m, n), out))
    flags = (False, transposed_b, silu, silu, integers, tf32, sums)
    how = f"{'tf32' if tf32 else dtype}{' B transposed' if transposed_b else ''}{' SiLU' if silu else ''}"
    choice = "x".join(map(str, tile)) + ("" if blocks is None else f" {blocks} blocks") + told(hints)
    return Point(f"gemm {how} {m}x{n}x{k}", choice, kernel, (grid,), (*arrays, *flags, *tile, GROUP_M), hints)


def told(hints):
    return "".join(f" {name} {value}" for name, value in hints.items())


def skinny(m, n, k, tile, transposed_b):
    b = Array((n, k) if transposed_b else (k, n), "bfloat16")
    arguments = (Array((m, k), "bfloat16"), b, Array((m, n), "bfloat16"), transposed_b, *tile)
    how = "skinny gemm" + (" B transposed" if transposed_b else "")
    grid = (cdiv(n, tile[1]), cdiv(m, tile[0]))
    return Point(f"{how} {m}x{n}x{k}", "x".join(map(str, tile)), gemm_skinny_kernel, grid, arguments)


def attention(batches, heads, length, size, causal, tile, *, dtype="bfloat16", rows=True, **hints):
    shape = (batches, heads, length, size)
    arguments = (*(Array(shape, dtype) for _ in range(4)), LOG2_E / math.sqrt(size), 1, causal, *tile, size)
    grid = (cdiv(length, tile[0]), heads, batches)
    how = f"attention {dtype}{' causal' if causal else ''} {batches}x{heads}x{length}x{size}"
    kernel = attention_rows_kernel if rows else attention_kernel
    return Point(how, "x".join(map(str, tile)) + told(hints), kernel, grid, arguments, hints)


def experts(tokens, hidden, count, top_k, inner, tile):
    ids = np.random.default_rng(3).random((tokens, count)).argsort(1)[:, :top_k]
    alignment = align_reference(ids, count, tile[0])
    slots = tokens * top_k
    arrays = ((Array((tokens, hidden), "bfloat16"),), (Array((count, 2 * inner, hidden), "bfloat16"),))
    arrays += (Array((slots, 2 * inner), "bfloat16"), Array((slots,), "float32"))
    arrays += (tuple(Array(each.shape, "int32", each) for each in alignment.blocks),)
    grid = (len(alignment.block_experts) * cdiv(2 * inner, tile[1]),)
    work = f"experts bfloat16 {tokens}x{hidden}, {top_k} of {count}, {2 * inner}"
    arguments = (*arrays, top_k, False, True, *tile, GROUP_M)
    return Point(work, "x".join(map(str, tile)), fused_moe_kernel, grid, arguments)


LARGE = [(128, 256, 64), (128, 128, 64), (256, 128, 64)]
SMALL = [(64, 128, 64), (64, 64, 64), (128, 128, 32), (64, 64, 32)]


def gpu_products(multiprocessors):
    for size in (1024, 2048, 4096, 8192):
        for tile in LARGE:
            yield gemm(size, size, size, tile)
        yield gemm(size, size, size, (128, 256, 64), transposed_b=True)
    for size in (512, 1024, 2048, 4096):
        for tile in SMALL:
            yield gemm(size, size, size, tile)
    for tile in ((128, 128, 64), (64, 64, 64), (128, 256, 64)):
        for shape in ((1001, 1003, 1005), (4096, 1024, 4096), (2048, 8192, 1024), (256, 8192, 8192), (8192, 8192, 512)):
            yield gemm(*shape, tile)
    for tile in LARGE:
        yield gemm(4096, 4096, 4096, tile, blocks=multiprocessors)
        yield gemm(4096, 4096, 4096, tile, silu=True)
    for warps in (4, 8, 16):
        yield gemm(2048, 2048, 2048, (128, 128, 64), num_worker_warps=warps)
    for tile in ((128, 256, 128), (128, 128, 128), (64, 128, 128)):
        for size in (2048, 8192):
            fp8 = dict(transposed_b=True, out="bfloat16", sums=FAST)
            yield gemm(size, size, size, tile, "float8_e4m3fn", **fp8)
    for size in (1024, 4096):
        for tile in ((128, 128, 32), (64, 64, 32), (128, 256, 32)):
            yield gemm(size, size, size, tile, "float32", tf32=True, transposed_b=True)
        yield gemm(size, size, size, (128, 128, 32), "float32", tf32=True)
        for tile in ((128, 128, 64), (128, 256, 64)):
            yield gemm(size, size, size, tile, "float16")
            yield gemm(size, size, size, tile, "int8", out="int32", transposed_b=True)
    for tile in ((64, 64, 32), (128, 64, 16)):
        for size in (512, 2048):
            yield gemm(size, size, size, tile, "float32")
    for tile in ((16, 64, 64), (16, 64, 128), (16, 128, 128)):
        for transposed_b in (False, True):
            yield skinny(16, 8192, 8192, tile, transposed_b)
            yield skinny(16, 4096, 1024, tile, transposed_b)


def gpu_attention():
    for tile in ((128, 128), (128, 64), (64, 64)):
        for causal in (False, True):
            yield attention(4, 32, 4096, 128, causal, tile)
            yield attention(2, 16, 1024, 128, causal, tile)
            yield attention(4, 32, 2048, 64, causal, tile)
    for length in (512, 8192):
        yield attention(1, 16, length, 128, True, (128, 128))
        yield attention(1, 16, length, 64, False, (128, 128), dtype="float16")


def gpu_experts():
    for tile in ((128, 128, 64), (128, 256, 64), (64, 128, 64)):
        yield experts(4096, 2048, 64, 6, 1408, tile)
        yield experts(512, 1024, 16, 2, 1024, tile)


def cpu_products():
    plain = (128, 256, 64)
    for size in (128, 256, 512, 1024, 2048):
        yield gemm(size, size, size, plain, "float32")
    for tile in ((64, 64, 32), (128, 128, 32), (256, 128, 64)):
        for size in (512, 1024):
            yield gemm(size, size, size, tile, "float32")
    for shape in ((1000, 1333, 777), (128, 4096, 1024), (4096, 256, 512), (64, 256, 8192)):
        yield gemm(*shape, plain, "float32")
    yield gemm(1024, 1024, 1024, plain, "float32", transposed_b=True)
    yield gemm(1024, 1024, 1024, plain, "float32", silu=True)
    for size in (256, 512, 1024, 2048):
        yield gemm(size, size, size, plain)
    yield gemm(1024, 1024, 1024, (64, 64, 32))
    yield gemm(1024, 1024, 1024, plain, transposed_b=True)
    yield gemm(1024, 1024, 1024, plain, "float16")
    for size in (256, 1024, 2048):
        yield gemm(size, size, size, plain, "int8", out="int32")


def cpu_attention():
    for dtype in ("float32", "bfloat16"):
        for shape in ((1, 8, 512, 64, False), (1, 8, 1024, 64, True), (1, 4, 2048, 64, True), (1, 8, 512, 128, True)):
            yield attention(*shape, (64, 64), dtype=dtype, rows=False)
        yield attention(1, 8, 1024, 64, False, (32, 128), dtype=dtype, rows=False)
        yield attention(1, 4, 1024, 64, False, (64, 64), dtype=dtype)
