# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the CPU: every floor that the project promises for it."""

import functools

import numpy as np
from ml_dtypes import bfloat16

from bench.compile_time import compile_rows
from bench.copy import to_copy, to_read
from bench.cpp import cpp_rows
from bench.front_end import front_end_rows
from bench.indexed import indexed_rows
from bench.launch import launch_rows
from bench.row import on_one_thread, to_own, to_peer, to_torch
from bench.scaling import two_threads
from bench.stencil import stencil_rows
from bench.unaligned import unaligned_rows
from kernels.attention.bench import attention_work
from kernels.cross_entropy.bench import cross_entropy_work
from kernels.cumsum.bench import cumsum_work
from kernels.fft.bench import fft_work, numpy_fft
from kernels.fused_moe.bench import moe_work
from kernels.gather_rows.bench import gather_rows_work
from kernels.gemm.bench import gemm_work
from kernels.layer_norm.bench import layer_norm_work
from kernels.linear.bench import linear_work
from kernels.quantized_linear.bench import int4_work, int8_work
from kernels.rms_norm.bench import rms_norm_work
from kernels.row_reduce.bench import row_argmax_work, row_max_work, row_sum_work
from kernels.softmax.bench import softmax_work
from kernels.transpose.bench import transpose_work
from kernels.vector_add.bench import vector_add_work
from kernels.work import dtype_name


def square(size, dtype=np.float32, **variant):
    return functools.partial(gemm_work, size, size, size, dtype, **variant)


def gemm_rows():
    yield to_torch("GEMM f32 1024", square(1024), 1.0)
    yield to_torch("GEMM f32 2048", square(2048), 1.0)
    yield to_torch("GEMM f32 1000x1333x777", lambda: gemm_work(1000, 1333, 777), 1.0)
    yield to_torch("GEMM bf16 1024", square(1024, bfloat16), 0.9)
    yield to_torch("GEMM bf16 2048", square(2048, bfloat16), 0.9)


def gemm_variant_rows():
    """Within 10 % of the rows above, the odd size within 20 %."""
    layouts = {"A transposed": dict(transposed_a=True), "B transposed": dict(transposed_b=True)}
    epilogue = {"bias + SiLU": dict(epilogue=True)}
    tiles = {"tiles " + "x".join(map(str, t)): dict(tile=t) for t in ((64, 64, 32), (128, 128, 32), (256, 128, 64))}
    for name, variant in {**layouts, **epilogue, **tiles}.items():
        yield to_torch(f"GEMM f32 1024, {name}", square(1024, **variant), 0.9)
    for name, variant in {**layouts, **epilogue}.items():
        yield to_torch(f"GEMM bf16 1024, {name}", square(1024, bfloat16, **variant), 0.81)
    yield to_own("GEMM f16 1024", square(1024, np.float16), square(1024), 0.9, "own GEMM f32 1024")
    yield to_torch("GEMM f32 1001x1003x1005", lambda: gemm_work(1001, 1003, 1005), 0.8)


def attention_rows():
    shape = "H8 S2048 D64"
    yield to_torch(f"causal attention f32 {shape}", lambda: attention_work(8, 2048, 64), 1.3)
    yield to_torch(f"causal attention bf16 {shape}", lambda: attention_work(8, 2048, 64, bfloat16), 2.0)


def memory_rows():
    size = 4096
    yield to_copy("vector add f32 4096x4096", lambda: vector_add_work(size * size), 0.9)
    yield to_torch("vector add f32 4096x4096", lambda: vector_add_work(size * size), None)
    yield to_copy("softmax f32 4096x4096", lambda: softmax_work(size, size), 0.8)
    yield to_torch("softmax f32 4096x4096", lambda: softmax_work(size, size), 1.1)
    yield to_copy("RMSNorm f32 4096x4096", lambda: rms_norm_work(size, size), 0.8)
    yield to_torch("RMSNorm f32 4096x4096", lambda: rms_norm_work(size, size), 2.0)


def row_wise_rows():
    """Each also against PyTorch, and those that only read against a read, for information."""
    reads = {
        "row sum": row_sum_work,
        "row max": row_max_work,
        "row argmax": row_argmax_work,
        "cross-entropy": cross_entropy_work,
    }
    writes = {
        "LayerNorm": (layer_norm_work, 0.8),
        "cumsum": (cumsum_work, 0.5),
        "transpose": (transpose_work, 0.7),
        "gather of rows": (gather_rows_work, 0.7),
    }
    size = 4096
    for work, (make, floor) in {**{work: (make, 0.8) for work, make in reads.items()}, **writes}.items():
        for dtype in (np.float32, bfloat16):
            name, sized = f"{work} {dtype_name(dtype)} {size}x{size}", functools.partial(make, size, size, dtype)
            yield to_copy(name, sized, floor)
            if work in reads:
                yield to_read(name, sized, None)
            yield to_torch(name, sized, None)
    yield to_copy(f"transpose i8 {size}x{size}", lambda: transpose_work(size, size, np.int8), 0.7)


def integer_rows():
    yield to_own("GEMM i8 2048", square(2048, np.int8), square(2048), 1.5, "own GEMM f32 2048")


def linear_rows():
    """One row: a token that is decoded."""
    for shape in ((4096, 4096), (14336, 4096), (4096, 14336)):
        name, dense = f"1x{shape[0]}x{shape[1]}", functools.partial(linear_work, 1, *shape, bfloat16)
        yield to_read(f"linear f32 {name}", functools.partial(linear_work, 1, *shape), 0.9)
        yield to_read(f"linear bf16 {name}", dense, 0.9)
        yield to_own(f"linear i8 {name}", functools.partial(int8_work, 1, *shape), dense, 1.7, "own linear bf16")
        yield to_own(f"linear i4 {name}", functools.partial(int4_work, 1, *shape), dense, 2.5, "own linear bf16")
    against = "PyTorch, weights of the type of x"
    for count in (64, 512):  # weights are converted in the loop of the product
        shape, name = (count, 4096, 4096), f"{count}x4096x4096, dequantized in the loop"
        for dtype, kind in ((np.float32, "f32"), (bfloat16, "bf16")):
            yield to_torch(f"linear {kind} x i8 {name}", functools.partial(int8_work, *shape, dtype), None, against)
            yield to_torch(f"linear {kind} x i4 {name}", functools.partial(int4_work, *shape, dtype), None, against)


def fft_rows():
    """complex64 on both sides. NumPy's has one thread."""
    batch, points = 512, 4096
    name, work = f"FFT c64 {batch}x{points}", functools.partial(fft_work, batch, points)
    yield on_one_thread(to_peer(name, work, lambda _: numpy_fft(batch, points), 0.3, "NumPy (pocketfft)"))
    yield to_torch(name, work, None)


def moe_rows():
    layer = functools.partial(moe_work, 512, 1024, 16, 2, 1024)
    name = "MoE layer f32 T512 H1024 E16 top-2 I1024"
    yield to_torch(name, layer, 1.2, "PyTorch, one product per expert")
    yield to_own(name, layer, square(1024), 0.75, "own GEMM f32 1024")


def scaling_rows():
    yield two_threads("GEMM f32 1024", square(1024), 1.8)
    yield two_threads("causal attention f32 H8 S2048 D64", lambda: attention_work(8, 2048, 64), 1.8)


def rows():
    yield from gemm_rows()
    yield from attention_rows()
    yield from memory_rows()
    yield from row_wise_rows()
    yield from unaligned_rows()
    yield from indexed_rows()
    yield from stencil_rows()
    yield from integer_rows()
    yield from linear_rows()
    yield from fft_rows()
    yield from moe_rows()
    yield from scaling_rows()
    yield from gemm_variant_rows()
    yield from compile_rows()
    yield from cpp_rows()
    yield from front_end_rows()
    yield from launch_rows()
