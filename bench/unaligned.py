# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Works that memory bounds on arrays as NumPy allocates them, which begin 16 bytes after a cache line, beside the same
on arrays that begin at one."""

import functools

import numpy as np
from ml_dtypes import bfloat16

from bench.indexed import copy_by_tile, copy_work
from bench.row import to_own
from kernels.aligned import arrays_begin
from kernels.cumsum.bench import cumsum_work
from kernels.gather_rows.bench import gather_rows_work
from kernels.layer_norm.bench import layer_norm_work
from kernels.rms_norm.bench import rms_norm_work
from kernels.row_reduce.bench import row_sum_work
from kernels.softmax.bench import softmax_work
from kernels.transpose.bench import transpose_work
from kernels.vector_add.bench import vector_add_work
from kernels.work import dtype_name

AGAINST, FLOOR = "the same on aligned arrays", 0.95
NUMPY = 16  # bytes
ELEMENTS = 1 << 24
TILES = (64, 256, 1024, 4096, 16384)


def to_aligned(name, make):
    def unaligned():
        with arrays_begin(NUMPY):
            return make()

    return to_own(f"{name} on NumPy's arrays", unaligned, make, FLOOR, AGAINST)


def unaligned_rows():
    for tile in TILES:
        yield to_aligned(f"copy f32, tiles of {tile},", functools.partial(copy_work, copy_by_tile, ELEMENTS, tile))
    yield to_aligned("vector add f32", lambda: vector_add_work(ELEMENTS))
    for work, make in {"softmax": softmax_work, "RMSNorm": rms_norm_work, "LayerNorm": layer_norm_work}.items():
        for columns in TILES:
            shape = ELEMENTS // columns, columns
            yield to_aligned(f"{work} f32 {shape[0]}x{columns}", functools.partial(make, *shape))
    works = {
        "softmax": softmax_work,
        "row sum": row_sum_work,
        "cumsum": cumsum_work,
        "transpose": transpose_work,
        "gather of rows": gather_rows_work,
    }
    for work, make in works.items():
        for dtype in (np.float32, bfloat16)[work == "softmax" :]:
            name = f"{work} {dtype_name(dtype)} 4096x4096"
            yield to_aligned(name, functools.partial(make, 4096, 4096, dtype))
