# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices, whose sums are of small integers: no order of them rounds."""

from __future__ import annotations

from kernel_generator import dtypes
from kernel_generator.dtypes import bfloat16, float16, float32, float64, int32
from kernel_generator.grammar.folds import exact_terms
from kernel_generator.grammar.writer import expression


@expression(3)
def product_of_matrices(w, dtype, shape, depth):
    if len(shape) not in (2, 3) or dtype not in (float32, float64, int32, float16):
        return None
    inner = w.choose((2, 4, 8))
    operand = dtypes.int8 if dtype is int32 else w.choose((float16, bfloat16, dtype)) if dtype is float32 else dtype
    batch, shape = shape[:-2], shape[-2:]
    if dtype is operand and w.chance(0.4):
        x, y = (exact_terms(w, dtype, (*batch, *s), depth) for s in ((shape[0], inner), (inner, shape[1])))
        return f"({x} @ {y})"
    x, y = (exact_terms(w, operand, (*batch, *s), depth) for s in ((shape[0], inner), (inner, shape[1])))
    return f"ct.mma({x}, {y}, {exact_terms(w, dtype, (*batch, *shape), depth)})"


@expression(2)
def product_of_scaled_matrices(w, dtype, shape, depth):
    """Of 8-bit floats; a scale, from a half to four, is for 32 neighbours."""
    if w.in_function or dtype is not float32 or len(shape) not in (2, 3):
        return None
    (rows, columns), inner = shape[-2:], w.choose((32, 64))
    operand = w.choose(dtypes.SMALL_FLOATS)

    def scaled(operand_shape, scale_shape):
        scales = w.parameter("q", ("array", "uint8", (*shape[:-2], *scale_shape), "scales"))
        scale_shape = (*shape[:-2], *scale_shape)
        zeros = "0, " * len(scale_shape)
        terms = f"({w.plain(int32, (*shape[:-2], *operand_shape), depth)} & 3).astype(ct.{operand})"
        return f"{terms}, ct.bitcast(ct.load({scales}, ({zeros}), {scale_shape}), ct.float8_e8m0fnu)"

    x = scaled((rows, inner), (rows, inner // 32))
    y = scaled((inner, columns), (inner // 32, columns))
    return f"ct.mma_scaled({x}, {y}, {exact_terms(w, float32, shape, depth)})"
