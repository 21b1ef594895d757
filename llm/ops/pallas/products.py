# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights: a program for a tile of the result, which walks over the columns that are summed."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from ...weights import BLOCK, FP8_MAX
from .exchange import F32, FP8, dot, launch, masked, operation, power_of_two, quotient, store


@dataclass(frozen=True)
class Tile:
    rows: int
    columns: int
    depth: int
    warps: int
    stages: int


def tile_of(tokens, dtype):
    """Few rows read a weight once, with long steps; many rows take the largest tile that fits in registers. The least
    number of rows of a product in Triton is 16."""
    if tokens <= 16:
        return Tile(16, 32, 256 if dtype != F32 else 128, 4, 4)
    if tokens <= 64 or dtype == F32:
        return Tile(64, 64, 64 if dtype != F32 else 32, 4, 4)
    return Tile(128, 128, 64, 8, 4)


def block(ref, rows, columns, edges):
    """Elements [rows, columns] of a matrix, zeros beyond its edges."""
    rows, columns = rows[:, None], columns[None, :]
    return masked(ref, (rows, columns), (rows < edges[0]) & (columns < edges[1]))


def product(x, weight, out, tile, step, steps, interpret, extra=(), finish=None):
    """out [T, N] = the sum of step(k, x, weight, extra, rows, columns) over k, after finish(sum, extra, columns)."""
    tokens, outputs = len(x), len(weight)

    def kernel(x_ref, weight_ref, *refs):
        *extra_refs, out_ref = refs
        rows = pl.program_id(0) * tile.rows + jnp.arange(tile.rows)
        columns = pl.program_id(1) * tile.columns + jnp.arange(tile.columns)

        def body(k, total):
            return total + step(k, x_ref, weight_ref, extra_refs, rows, columns)

        total = jax.lax.fori_loop(0, steps, body, jnp.zeros((tile.rows, tile.columns), F32))
        total = finish(total, extra_refs, columns) if finish else total
        rows, columns = rows[:, None], columns[None, :]
        store(out_ref, (rows, columns), total, (rows < tokens) & (columns < outputs))

    grid = pl.cdiv(tokens, tile.rows), pl.cdiv(outputs, tile.columns)
    return launch(kernel, out, grid, x, weight, *extra, warps=tile.warps, stages=tile.stages, interpret=interpret)


def dense_step(x, weight, tile):
    """A step with a weight of any type, converted to that of x."""
    edges = x.shape, weight.shape

    def step(k, x_ref, weight_ref, _, rows, columns):
        depth = k * tile.depth + jnp.arange(tile.depth)
        return dot(block(x_ref, rows, depth, edges[0]), block(weight_ref, columns, depth, edges[1]).astype(x.dtype))

    return step


@operation(out=(2,))
def linear(x, weight, out, *, interpret):
    tile = tile_of(len(x), x.dtype)
    steps = pl.cdiv(x.shape[1], tile.depth)
    return product(x, weight, out, tile, dense_step(x, weight, tile), steps, interpret)


@operation(out=(3,))
def linear_int8(x, weight, scales, out, *, interpret):
    tile = tile_of(len(x), x.dtype)
    steps = pl.cdiv(x.shape[1], tile.depth)

    def finish(total, extra, columns):
        return total * masked(extra[0], columns, columns < len(weight))[None, :]

    return product(x, weight, out, tile, dense_step(x, weight, tile), steps, interpret, [scales], finish)


@operation(out=(3,))
def linear_int4(x, packed, scales, out, *, group, interpret):
    """Even columns of x meet the low halves of bytes, odd ones the high halves."""
    tile = tile_of(len(x), x.dtype)
    half = tile.depth // 2

    def step(k, x_ref, packed_ref, extra, rows, columns):
        depth = k * half + jnp.arange(half)
        both = block(packed_ref, columns, depth, packed.shape).astype(jnp.int32)
        scale = block(extra[0], columns, 2 * depth // group, scales.shape)
        total = jnp.zeros((tile.rows, tile.columns), F32)
        for place, values in enumerate((both & 15, both >> 4)):
            weight = (values - 8).astype(F32) * scale
            total += dot(block(x_ref, rows, 2 * depth + place, x.shape), weight.astype(x.dtype))
        return total

    return product(x, packed, out, tile, step, pl.cdiv(packed.shape[1], half), interpret, [scales])


def quantize(x, interpret):
    """f8 [T, K] and scales f32 [T, K/128] of every token's 128 columns."""
    (tokens, depth), rows = x.shape, 16

    def kernel(x_ref, values_ref, scales_ref):
        row = pl.program_id(0) * rows + jnp.arange(rows)
        column = pl.program_id(1) * BLOCK + jnp.arange(BLOCK)
        values = block(x_ref, row, column, x.shape).astype(F32)
        largest = jnp.max(jnp.abs(values), axis=1)
        scale = jnp.maximum(quotient(largest, jnp.full_like(largest, FP8_MAX), interpret), jnp.finfo(F32).tiny)
        every = jnp.broadcast_to(scale[:, None], values.shape)
        mask = (row < tokens)[:, None] & (column < depth)[None, :]
        store(values_ref, (row[:, None], column[None, :]), quotient(values, every, interpret), mask)
        store(scales_ref, (row, jnp.full((rows,), pl.program_id(1))), scale, row < tokens)

    blocks = pl.cdiv(depth, BLOCK)
    results = jax.ShapeDtypeStruct(x.shape, FP8), jax.ShapeDtypeStruct((tokens, blocks), F32)
    return launch(kernel, results, (pl.cdiv(tokens, rows), blocks), x, interpret=interpret)


def as_fp8(weight):
    """Bytes are exchanged instead of f8, which not every DLPack has."""
    return jax.lax.bitcast_convert_type(weight, FP8)


def fp8_tile(tokens):
    return Tile(16, 32, BLOCK, 4, 4) if tokens <= 16 else Tile(64, 64, BLOCK, 4, 3)


@operation(out=(3,))
def linear_fp8(x, weight, scales, out, *, interpret):
    """Products of f8 in bf16, which holds them exactly: Hopper's own sums of f8 keep 14 bits, and Pallas has no option
    to take them out more often."""
    values, x_scales = quantize(x, interpret)
    tile, edges = fp8_tile(len(x)), weight.shape

    def step(k, x_ref, weight_ref, extra, rows, columns):
        depth = k * BLOCK + jnp.arange(BLOCK)
        a, b = block(x_ref, rows, depth, x.shape), block(weight_ref, columns, depth, edges)
        row_scale = masked(extra[0], (rows, k), rows < len(x))
        column_scale = masked(extra[1], (columns // BLOCK, k), columns < edges[0])
        return dot(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)) * row_scale[:, None] * column_scale[None, :]

    steps = pl.cdiv(x.shape[1], BLOCK)
    return product(values, as_fp8(weight), out, tile, step, steps, interpret, [x_scales, scales])


@operation(out=(2,), views=(0, 1))
def head_linear(x, weight, out, *, interpret):
    """A program for a tile of the result of one head."""
    (tokens, heads, depth), outputs = x.shape, weight.shape[1]
    tile = tile_of(min(tokens, 64), x.dtype)
    size = min(tile.depth, max(power_of_two(depth), 16))

    def kernel(x_ref, weight_ref, out_ref):
        head = pl.program_id(2)
        rows = (pl.program_id(0) * tile.rows + jnp.arange(tile.rows))[:, None]
        columns = (pl.program_id(1) * tile.columns + jnp.arange(tile.columns))[:, None]

        def body(k, total):
            place = (k * size + jnp.arange(size))[None, :]
            a = masked(x_ref, x.places(rows, head, place), (rows < tokens) & (place < depth))
            b = masked(weight_ref, weight.places(head, columns, place), (columns < outputs) & (place < depth))
            return total + dot(a, b)

        steps = pl.cdiv(depth, size)
        total = jax.lax.fori_loop(0, steps, body, jnp.zeros((tile.rows, tile.columns), F32))
        columns = columns.reshape(1, -1)
        store(out_ref, (rows, head, columns), total, (rows < tokens) & (columns < outputs))

    grid = pl.cdiv(tokens, tile.rows), pl.cdiv(outputs, tile.columns), heads
    return launch(kernel, out, grid, x.flat, weight.flat, warps=tile.warps, stages=tile.stages, interpret=interpret)
