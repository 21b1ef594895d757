# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation on NumPy's arrays by the compiled loops of loops.py.

The first call of a type compiles, for seconds. TILEWRIGHT_NUM_THREADS limits the threads, as it does for tile kernels;
operations of little work use one, since waking the others takes tens of microseconds.
"""

import os
from contextlib import contextmanager

import numba
import numpy as np

from ...arrays import NUMPY
from ...errors import UnsupportedType
from . import loops

F32 = np.float32
FLOATS = {NUMPY["float32"]: F32, NUMPY["bfloat16"]: np.uint16}
WEIGHTS = FLOATS | {NUMPY["int8"]: np.int8, NUMPY["uint8"]: np.uint8, NUMPY["float8_e4m3fn"]: np.uint8}
CORES = numba.config.NUMBA_NUM_THREADS
THREADS = min(int(os.environ.get("TILEWRIGHT_NUM_THREADS", CORES)), CORES)
SMALL = 1 << 17  # elements that one thread reads in the time that it takes to wake others


def bits(array, types=FLOATS):
    """An array as Numba knows its elements."""
    if array.dtype not in types:
        expected = " or ".join(dtype.name for dtype in types)
        raise UnsupportedType(
            f"an array has the type {array.dtype.name}, simt on CPUs expects {expected}; use --dtype float32"
        )
    return array.view(types[array.dtype])


def use_threads(elements):
    numba.set_num_threads(1 if elements < SMALL else THREADS)


def embedding(ids, table, out):
    loops.gather(bits(table), ids, bits(out))


def rms_norm(x, weight, out, *, epsilon):
    use_threads(x.size)
    loops.rms_norm(bits(x), bits(weight), bits(out), F32(epsilon))


def add_rms_norm(x, residual, weight, out, *, epsilon):
    use_threads(x.size)
    loops.add_rms_norm(bits(x), bits(residual), bits(weight), bits(out), F32(epsilon))


def rope(x, positions, table, *, interleaved):
    use_threads(x.size)
    loops.rope(bits(x), positions, table, interleaved)


def silu_mul(gate_up, out):
    use_threads(gate_up.size)
    loops.silu_mul(bits(gate_up), bits(out))


def append(k, v, cache_k, cache_v, slots):
    loops.scatter(bits(k), slots, bits(cache_k))
    loops.scatter(bits(v), slots, bits(cache_v))


def latent_append(latent, cache, slots):
    loops.scatter(bits(latent)[:, None], slots, bits(cache)[:, :, None])


def convert(x, out):
    """out = x, each [T, D] or [T, heads, D] of f32 or bf16, with any strides of rows."""
    x, out = (array if array.ndim == 3 else array[:, None] for array in (x, out))
    loops.convert(bits(x), bits(out))


def wide(x):
    """x [T, ...] in f32 and one piece, perhaps itself: products and attention compile for f32 only."""
    if x.dtype == F32 and x.flags.c_contiguous:
        return x
    result = np.empty(x.shape, F32)
    convert(x, result)
    return result


@contextmanager
def sums_of(out):
    """f32 in one piece to compute out [T, ...] in, perhaps itself, which is copied there at the end."""
    if out.dtype == F32 and out.flags.c_contiguous:
        yield out
        return
    sums = np.empty(out.shape, F32)
    yield sums
    convert(sums, out)


def product(x, weight, scales, group, out):
    """out = x weight^T for x f32."""
    use_threads(weight.size)
    with sums_of(out) as sums:
        loops.product(x, bits(weight, WEIGHTS), scales, group, sums)


def linear(x, weight, out):
    product(wide(x), weight, None, None, out)


def linear_int8(x, weight, scales, out):
    product(wide(x), weight, scales, None, out)


def linear_int4(x, packed, scales, out, *, group):
    product(wide(x), packed, scales, group, out)


def rounded(x):
    """x [T, K] in f32 as it is after rounding to float8."""
    result = x.copy() if x.dtype == F32 else wide(x)
    use_threads(x.size)
    loops.round_to_f8(result)
    return result


def linear_fp8(x, weight, scales, out):
    product(rounded(x), weight, scales, None, out)


def head_linear(x, weight, out):
    use_threads(weight.size)
    with sums_of(out) as sums:
        loops.head_product(wide(x), bits(weight), sums)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale):
    use_threads(int(lengths.max()) * q.size)
    caches, same = (bits(cache_k), bits(cache_v)), cache_v is cache_k
    with sums_of(out) as sums:
        loops.attention(wide(q), *caches, tables, starts, lengths, same, F32(scale), sums)


def latent_attention(q, cache, tables, starts, lengths, out, *, scale):
    keys = cache[:, :, None, :]
    attention(q, keys, keys, tables, starts, lengths, out, scale=scale)


def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale):
    loops.route(scores, bias, weights, ids, sigmoid, groups, top_groups, normalize, F32(scale))


def through_experts(x, weights, ids, out, expert_of):
    """The weighted sum of expert_of(expert, rows of x), expert by expert: each weight is read once."""
    total = np.zeros(out.shape, F32)
    for expert in np.unique(ids):
        tokens, places = np.nonzero(ids == expert)
        loops.add_rows(expert_of(expert, x[tokens]), tokens, weights[tokens, places], total)
    convert(total, out)


def experts(x, gate_up, down, weights, ids, out):
    def expert_of(expert, rows):
        both = np.empty((len(rows), gate_up.shape[1]), F32)
        linear(rows, gate_up[expert], both)
        hidden = np.empty((len(rows), down.shape[2]), x.dtype)
        silu_mul(both, hidden)
        result = np.empty((len(rows), out.shape[1]), F32)
        linear(hidden, down[expert], result)
        return result

    through_experts(x, weights, ids, out, expert_of)


def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    def expert_of(expert, rows):
        both = np.empty((len(rows), gate_up.shape[1]), F32)
        linear_fp8(rows, gate_up[expert], gate_up_scales[expert], both)
        hidden = np.empty((len(rows), down.shape[2]), x.dtype)
        silu_mul(both, hidden)
        result = np.empty((len(rows), out.shape[1]), F32)
        linear_fp8(hidden, down[expert], down_scales[expert], result)
        return result

    through_experts(x, weights, ids, out, expert_of)


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps):
    use_threads(logits.size if len(logits) > 1 else 0)
    loops.sample(logits, out, temperature, top_k, top_p, min_p, seeds, steps)


CONVERSIONS = [wide, sums_of, convert, loops.convert]
TILES = [loops.dot, loops.dot_tile, loops.add_dots, loops._unpack]
ROWS = [*TILES, loops._dot_row, loops.form_of, loops.in_order, loops.product_rows]
PRODUCT = [*CONVERSIONS, product, *ROWS, loops.product]
FP8 = [linear_fp8, rounded, loops.from_f8, loops.round_f8, loops.round_row_to_f8, loops.round_to_f8, *PRODUCT]
SILU = [silu_mul, loops.exp, loops.silu_mul]
ATTENTION = [
    attention,
    wide,
    sums_of,
    convert,
    loops.convert,
    *TILES,
    loops.add_multiples,
    loops.exp,
    loops.soften,
    loops.attend,
    loops.plan,
    loops.attention,
]
# Functions of each operation with those that they call, without conversions of single elements.
FUNCTIONS = {
    "embedding": [embedding, loops.gather],
    "rms_norm": [rms_norm, loops.norm_row, loops.rms_norm],
    "add_rms_norm": [add_rms_norm, loops.norm_row, loops.add_rms_norm],
    "linear": [linear, *PRODUCT],
    "linear_int8": [linear_int8, *PRODUCT],
    "linear_int4": [linear_int4, loops.low_half, loops.high_half, loops.dot_short_groups, *PRODUCT],
    "linear_fp8": FP8,
    "head_linear": [head_linear, *CONVERSIONS, *ROWS, loops.add_multiples, loops.product_columns, loops.head_product],
    "rope": [rope, loops.rope],
    "silu_mul": SILU,
    "append": [append, loops.scatter],
    "attention": ATTENTION,
    "latent_append": [latent_append, loops.scatter],
    "latent_attention": [latent_attention, *ATTENTION],
    "route": [route, loops.take_largest, loops.group_value, loops.gate_row, loops.exp, loops.route],
    "experts": [experts, through_experts, loops.add_rows, linear, *PRODUCT, *SILU],
    "experts_fp8": [experts_fp8, through_experts, loops.add_rows, *FP8, *SILU],
    "sample": [sample, loops.mix, loops.noise_key, loops.noise, loops.least_kept, loops.exp, loops.softmax, loops.draw,
               loops.sample],
}  # fmt: skip
OPERATIONS = {operation: functions[0] for operation, functions in FUNCTIONS.items()}
SOURCES = {
    operation: [getattr(function, "py_func", function) for function in functions]
    for operation, functions in FUNCTIONS.items()
}
