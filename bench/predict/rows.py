# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points that memory bounds mostly: kernels on rows, sums, copies in another order."""

import numpy as np
from tilewright import cdiv

from bench.predict.matrices import told
from bench.predict.point import Array, Point
from kernels.cross_entropy.kernel import cross_entropy_kernel, cross_entropy_online_kernel
from kernels.cumsum.kernel import cumsum_chunked_kernel, cumsum_kernel
from kernels.fused_moe.pointwise import sum_choices_kernel
from kernels.gather_rows.kernel import gather_rows_kernel
from kernels.layer_norm.kernel import layer_norm_chunked_kernel, layer_norm_kernel
from kernels.rms_norm.kernel import rms_norm_chunked_kernel, rms_norm_kernel
from kernels.row_reduce.kernel import row_argmax_kernel, row_max_kernel, row_sum_kernel
from kernels.silu_and_mul.kernel import silu_and_mul_kernel
from kernels.softmax.kernel import softmax_kernel, softmax_online_kernel
from kernels.transpose.kernel import transpose_kernel
from kernels.vector_add.kernel import vector_add_kernel

EPSILON = 1e-5


def on_rows(name, kernel, shape, dtype, others=(), ending=(), out=None, tile=None, **hints):
    """One block for each row; `others` are arrays behind the input, `ending` values before and behind the tile, `out`
    the dtype of a result with one number a row."""
    rows, columns = shape
    result = Array(shape, dtype) if out is None else Array((rows,), out)
    tile = tile or 1 << (columns - 1).bit_length()
    before, after = ending
    arguments = (Array(shape, dtype), *others, result, *before, tile, *after)
    return Point(f"{name} {dtype} {rows}x{columns}", f"{tile}{told(hints)}", kernel, (rows,), arguments, hints)


def softmax(shape, dtype, **hints):
    return on_rows("softmax", softmax_kernel, shape, dtype, ending=((), ()), **hints)


def online_softmax(shape, dtype, tile, **hints):
    return on_rows("online softmax", softmax_online_kernel, shape, dtype, ending=((), ()), tile=tile, **hints)


def rms_norm(shape, dtype, tile=None, **hints):
    kernel = rms_norm_kernel if tile is None else rms_norm_chunked_kernel
    weight = (Array(shape[1:], dtype),)
    return on_rows("RMSNorm", kernel, shape, dtype, weight, ending=((EPSILON,), ()), tile=tile, **hints)


def layer_norm(shape, dtype, tile=None, **hints):
    kernel = layer_norm_kernel if tile is None else layer_norm_chunked_kernel
    both = (Array(shape[1:], dtype), Array(shape[1:], dtype))
    after = (True,) if tile is None else ()
    return on_rows("LayerNorm", kernel, shape, dtype, both, ending=((EPSILON,), after), tile=tile, **hints)


def cumsum(shape, dtype, tile=None, **hints):
    kernel = cumsum_kernel if tile is None else cumsum_chunked_kernel
    return on_rows("cumsum", kernel, shape, dtype, ending=((), ()), tile=tile, **hints)


def row_sum(shape, dtype, tile=None, **hints):
    return on_rows("row sum", row_sum_kernel, shape, dtype, (), ((), (tile is None,)), dtype, tile, **hints)


def row_max(shape, dtype, tile=None, **hints):
    return on_rows("row max", row_max_kernel, shape, dtype, (), ((), (tile is None,)), dtype, tile, **hints)


def row_argmax(shape, dtype, tile=None, **hints):
    return on_rows("row argmax", row_argmax_kernel, shape, dtype, (), ((), (tile is None,)), "int32", tile, **hints)


def cross_entropy(shape, dtype, tile=None, **hints):
    labels = np.random.default_rng(5).integers(0, shape[1], shape[0]).astype(np.int32)
    kernel = cross_entropy_kernel if tile is None else cross_entropy_online_kernel
    others = (Array(labels.shape, "int32", labels),)
    return on_rows("cross-entropy", kernel, shape, dtype, others, ((), ()), "float32", tile, **hints)


def vector_add(size, dtype, tile, **hints):
    arrays = tuple(Array((size,), dtype) for _ in range(3))
    return Point(f"add {dtype} {size}", f"{tile}{told(hints)}", vector_add_kernel, (cdiv(size, tile),), (*arrays, tile),
                 hints)  # fmt: skip


def silu_and_mul(rows, columns, tile, **hints):
    arrays = (Array((rows, 2 * columns), "bfloat16", halves=True), Array((rows, columns), "bfloat16"))
    work = f"SiLU-and-mul bfloat16 {rows}x{2 * columns}"
    grid = (rows, cdiv(columns, tile))
    return Point(work, f"{tile}{told(hints)}", silu_and_mul_kernel, grid, (*arrays, tile), hints)


def sum_choices(tokens, choices, columns, tile):
    arrays = (Array((tokens, choices, columns), "bfloat16"), Array((tokens, columns), "bfloat16"))
    work = f"sum of choices bfloat16 {tokens}x{choices}x{columns}"
    padded = 1 << (choices - 1).bit_length()
    return Point(work, f"{tile}", sum_choices_kernel, (tokens, cdiv(columns, tile)), (*arrays, padded, tile))


def transpose(rows, columns, dtype, tile, **hints):
    arrays = (Array((rows, columns), dtype), Array((columns, rows), dtype))
    grid = (cdiv(rows, tile[0]), cdiv(columns, tile[1]))
    choice = f"{tile[0]}x{tile[1]}{told(hints)}"
    return Point(f"transpose {dtype} {rows}x{columns}", choice, transpose_kernel, grid, (*arrays, *tile), hints)


def gather_rows(rows, columns, dtype, tile, **hints):
    index = np.random.default_rng(1).integers(0, rows, rows).astype(np.int32)
    arrays = (Array((rows, columns), dtype), Array((rows,), "int32", index), Array((rows, columns), dtype))
    grid = (cdiv(rows, tile[0]), cdiv(columns, tile[1]))
    choice = f"{tile[0]}x{tile[1]}{told(hints)}"
    return Point(f"gather of rows {dtype} {rows}x{columns}", choice, gather_rows_kernel, grid, (*arrays, *tile), hints)


SHAPES = [(8192, 8192), (4096, 4096), (32768, 1024), (2048, 16384), (1024, 4096)]


def gpu_rows():
    for shape in SHAPES:
        yield softmax(shape, "bfloat16")
        yield rms_norm(shape, "bfloat16")
        yield layer_norm(shape, "bfloat16")
        yield row_sum(shape, "bfloat16")
        yield row_argmax(shape, "float32")
        yield cross_entropy(shape, "bfloat16")
        yield cumsum(shape, "float32")
    for warps in (2, 4, 8, 16):
        yield softmax((8192, 8192), "bfloat16", num_worker_warps=warps)
        yield layer_norm((4096, 4096), "float32", num_worker_warps=warps)
        yield row_max((4096, 4096), "float32", num_worker_warps=warps)
    for blocks in (2, 8):
        yield softmax((8192, 8192), "bfloat16", num_worker_warps=4, occupancy=blocks)
        yield rms_norm((8192, 8192), "bfloat16", num_worker_warps=8, occupancy=blocks)
    for tile in (1024, 4096):
        yield online_softmax((2048, 32768), "bfloat16", tile)
        yield rms_norm((2048, 32768), "bfloat16", tile)
        yield layer_norm((2048, 32768), "bfloat16", tile)
        yield cumsum((1024, 32768), "float32", tile)
        yield row_sum((2048, 32768), "float32", tile)
        yield row_argmax((64, 131072), "float32", tile)
        yield cross_entropy((1024, 65536), "bfloat16", tile)


def gpu_elementwise():
    for size in (1 << 16, 1 << 20, 1 << 24, 1 << 28):
        for tile in (512, 2048, 8192):
            yield vector_add(size, "float32", tile)
    for tile in (1024, 4096):
        yield vector_add(1 << 26, "bfloat16", tile)
        yield vector_add((1 << 24) + 7, "float32", tile)
        yield silu_and_mul(8192, 8192, tile)
        yield silu_and_mul(512, 4096, tile)
        yield sum_choices(4096, 6, 2048, tile // 2)
    for tile in ((32, 32), (64, 64), (32, 128), (128, 64)):
        yield transpose(8192, 8192, "bfloat16", tile)
        yield transpose(4096, 4096, "float32", tile)
    yield transpose(1024, 1024, "float32", (32, 32))
    yield transpose(16384, 4096, "int8", (64, 64))
    for tile in ((1, 1024), (4, 1024), (8, 512), (64, 64)):
        yield gather_rows(32768, 1024, "bfloat16", tile)
        yield gather_rows(4096, 4096, "float32", tile)
    yield gather_rows(1 << 18, 128, "float32", (32, 128))


CPU_SHAPES = [(64, 1024), (1024, 1024), (512, 16384), (4096, 4096)]


def cpu_rows():
    makers = (softmax, rms_norm, layer_norm, row_sum, row_argmax, cross_entropy, cumsum)
    for make in makers:
        for shape in CPU_SHAPES:
            yield make(shape, "float32")
        for shape in ((256, 1024), (4096, 4096)):
            yield make(shape, "bfloat16")
    for make in (softmax, rms_norm, layer_norm, row_sum):
        for shape in ((4096, 16), (65536, 64)):  # a body runs several blocks
            for dtype in ("float32", "bfloat16"):
                yield make(shape, dtype)
    for make in (online_softmax, rms_norm, layer_norm, row_sum, row_argmax, cross_entropy, cumsum):
        yield make((256, 65536), "float32", 4096)
    yield row_max((4096, 4096), "float32")
    yield online_softmax((1024, 8192), "bfloat16", 1024)


def cpu_elementwise():
    for size in (1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26):
        yield vector_add(size, "float32", 4096)
    for tile in (512, 16384):
        yield vector_add(1 << 20, "float32", tile)
    for size in (1 << 18, 1 << 24):
        yield vector_add(size, "bfloat16", 4096)
    for rows, columns in ((128, 1024), (4096, 4096)):
        yield silu_and_mul(rows, columns, 1024)
        yield sum_choices(rows, 6, columns, 1024)
    for shape, dtype, tile in (
        ((512, 512), "float32", (32, 512)),
        ((1024, 1024), "float32", (64, 64)),
        ((4096, 4096), "float32", (32, 512)),
        ((2048, 2048), "bfloat16", (32, 512)),
        ((4096, 4096), "int8", (64, 256)),
    ):
        yield transpose(*shape, dtype, tile)
    for shape, dtype, tile in (
        ((1024, 1024), "float32", (4, 1024)),
        ((4096, 4096), "float32", (1, 4096)),
        ((1 << 17, 128), "float32", (32, 128)),
        ((4096, 4096), "bfloat16", (1, 4096)),
    ):
        yield gather_rows(*shape, dtype, tile)
