# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on the rows of tokens, bound by memory: a thread per element, or a block per row for a sum."""

from functools import cache

import warp as wp

from .arrays import F32, kernel, launch, launch_blocks, type_of

NORM_THREADS = 256


@cache
def embedding_kernel(dtype):
    @kernel
    def embedding(ids: wp.array(dtype=wp.int32), table: wp.array2d(dtype=dtype), out: wp.array2d(dtype=dtype)):
        token, column = wp.tid()
        out[token, column] = table[ids[token], column]

    return embedding


def embedding(ids, table, out):
    launch(embedding_kernel(type_of(out)), out.shape, ids, table, out)


@cache
def norm_kernel(dtype, add):
    """With `add`, residual += x, rounded before its norm; else the norm of x."""

    @wp.func
    def value_of(x: wp.array2d(dtype=dtype), residual: wp.array2d(dtype=dtype), row: int, column: int):
        if wp.static(add):
            residual[row, column] = dtype(F32(residual[row, column]) + F32(x[row, column]))
            return F32(residual[row, column])
        else:
            return F32(x[row, column])

    @kernel
    def norm(
        x: wp.array2d(dtype=dtype),
        residual: wp.array2d(dtype=dtype),
        weight: wp.array(dtype=dtype),
        out: wp.array2d(dtype=dtype),
        epsilon: float,
    ):
        row, lane = wp.tid()
        squares = F32(0.0)
        for column in range(lane, x.shape[1], wp.block_dim()):
            value = value_of(x, residual, row, column)
            squares += value * value
        mean = wp.tile_sum(wp.tile(squares))[0] / float(x.shape[1])
        scale = 1.0 / wp.sqrt(mean + epsilon)
        for column in range(lane, x.shape[1], wp.block_dim()):
            # Without a sum residual is x.
            out[row, column] = dtype(F32(residual[row, column]) * scale * F32(weight[column]))

    return norm


def rms_norm(x, weight, out, *, epsilon):
    launch_blocks(norm_kernel(type_of(x), False), len(x), NORM_THREADS, x, x, weight, out, epsilon)


def add_rms_norm(x, residual, weight, out, *, epsilon):
    launch_blocks(norm_kernel(type_of(x), True), len(x), NORM_THREADS, x, residual, weight, out, epsilon)


@cache
def rope_kernel(dtype, interleaved):
    @kernel
    def rope(x: wp.array3d(dtype=dtype), positions: wp.array(dtype=wp.int32), table: wp.array2d(dtype=F32)):
        token, head, pair = wp.tid()
        half = x.shape[2] // 2
        first, second = pair, pair + half
        if wp.static(interleaved):
            first, second = 2 * pair, 2 * pair + 1
        position = positions[token]
        cosine, sine = table[position, pair], table[position, half + pair]
        a, b = F32(x[token, head, first]), F32(x[token, head, second])
        x[token, head, first] = dtype(a * cosine - b * sine)
        x[token, head, second] = dtype(b * cosine + a * sine)

    return rope


def rope(x, positions, table, *, interleaved):
    tokens, heads, size = x.shape
    launch(rope_kernel(type_of(x), interleaved), (tokens, heads, size // 2), x, positions, table)


@cache
def silu_mul_kernel(dtype, out_type):
    @kernel
    def silu_mul(gate_up: wp.array2d(dtype=dtype), out: wp.array2d(dtype=out_type)):
        row, column = wp.tid()
        gate, up = F32(gate_up[row, column]), F32(gate_up[row, out.shape[1] + column])
        out[row, column] = out_type(gate / (1.0 + wp.exp(-gate)) * up)

    return silu_mul


def silu_mul(gate_up, out):
    launch(silu_mul_kernel(type_of(gate_up), type_of(out)), out.shape, gate_up, out)


@cache
def append_kernel(dtype):
    @kernel
    def append(x: wp.array3d(dtype=dtype), cache: wp.array4d(dtype=dtype), slots: wp.array(dtype=wp.int32)):
        token, head, element = wp.tid()
        slot, page = slots[token], cache.shape[1]
        cache[slot // page, slot % page, head, element] = x[token, head, element]

    return append


def append(k, v, cache_k, cache_v, slots):
    launch(append_kernel(type_of(k)), k.shape, k, cache_k, slots)
    launch(append_kernel(type_of(v)), v.shape, v, cache_v, slots)


def latent_append(latent, cache, slots):
    tokens, size = latent.shape
    launch(append_kernel(type_of(latent)), (tokens, 1, size), latent[:, None], cache[:, :, None], slots)
