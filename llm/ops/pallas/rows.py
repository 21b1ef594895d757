# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on rows: one program for a row, or for a part of it."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from .exchange import F32, View, launch, masked, operation, power_of_two, store

CHUNK = 1024  # columns of a program


def chunks(columns):
    """The columns of a program in a grid of (rows, chunks), and which of them exist."""
    size = min(CHUNK, power_of_two(columns))
    places = pl.program_id(1) * size + jnp.arange(size)
    return places, places < columns


def grid_of(rows, columns):
    return rows, pl.cdiv(columns, min(CHUNK, power_of_two(columns)))


def row_spec(columns):
    return pl.BlockSpec((None, columns), lambda row, *_: (row, 0))


def embedding_kernel(ids, table, out):
    columns, mask = chunks(table.shape[1])
    store(out, columns, masked(table, (ids[pl.program_id(0)], columns), mask), mask)


@operation(out=(2,))
def embedding(ids, table, out, *, interpret):
    grid = grid_of(*out.shape)
    return launch(embedding_kernel, out, grid, ids, table, out_specs=row_spec(out.shape[1]), interpret=interpret)


def normalized(x, weight, columns, epsilon):
    mean = jnp.sum(x * x) / columns
    return x * jax.lax.rsqrt(mean + epsilon) * weight


def rms_norm_kernel(x, weight, out, *, epsilon):
    size = x.shape[0]
    columns = jnp.arange(power_of_two(size))
    mask = columns < size
    row, scale = (masked(ref, columns, mask).astype(F32) for ref in (x, weight))
    store(out, columns, normalized(row, scale, size, epsilon), mask)


def norm_warps(columns):
    """About 16 elements a thread."""
    return min(max(power_of_two(columns) // 512, 1), 16)


@operation(out=(2,))
def rms_norm(x, weight, out, *, epsilon, interpret):
    size = x.shape[1]

    def kernel(*refs):
        rms_norm_kernel(*refs, epsilon=epsilon)

    return launch(kernel, out, x.shape[:1], x, weight, in_specs=[row_spec(size), pl.BlockSpec((size,), lambda row: 0)],
                  out_specs=row_spec(size), warps=norm_warps(size), interpret=interpret)  # fmt: skip


def add_rms_norm_kernel(x, residual, weight, total, out, *, epsilon):
    size = x.shape[0]
    columns = jnp.arange(power_of_two(size))
    mask = columns < size
    added = masked(x, columns, mask).astype(F32) + masked(residual, columns, mask).astype(F32)
    added = added.astype(total.dtype)
    store(total, columns, added, mask)
    scale = masked(weight, columns, mask).astype(F32)
    store(out, columns, normalized(added.astype(F32), scale, size, epsilon), mask)


@operation(out=(3,), updated=(1,))
def add_rms_norm(x, residual, weight, out, *, epsilon, interpret):
    size = x.shape[1]
    row = row_spec(size)

    def kernel(*refs):
        add_rms_norm_kernel(*refs, epsilon=epsilon)

    total = jax.ShapeDtypeStruct(residual.shape, residual.dtype)
    return launch(kernel, (total, out), x.shape[:1], x, residual, weight,
                  in_specs=[row, row, pl.BlockSpec((size,), lambda row: 0)], out_specs=(row, row),
                  warps=norm_warps(size), interpret=interpret)  # fmt: skip


def silu(x):
    return x / (1 + jnp.exp(-x))


def silu_mul_kernel(gate_up, out):
    size = out.shape[0]
    columns, mask = chunks(size)
    gate = masked(gate_up, columns, mask).astype(F32)
    up = masked(gate_up, columns + size, mask).astype(F32)
    store(out, columns, silu(gate) * up, mask)


@operation(out=(1,))
def silu_mul(gate_up, out, *, interpret):
    return launch(silu_mul_kernel, out, grid_of(*out.shape), gate_up, in_specs=[row_spec(gate_up.shape[1])],
                  out_specs=row_spec(out.shape[1]), interpret=interpret)  # fmt: skip


def rope_kernel(x, positions, table, out, *, view, interleaved):
    """One program for the heads of a token, from x to out [heads, D]."""
    _, heads, size = view.shape
    half = size // 2
    token, head = pl.program_id(0), jnp.arange(power_of_two(heads))[:, None]
    pair = jnp.arange(power_of_two(half))
    exists = pair < half
    position = positions[token]
    cosines = masked(table, (position, pair), exists)[None, :]
    sines = masked(table, (position, pair + half), exists)[None, :]
    pair, mask = pair[None, :], (head < heads) & exists[None, :]
    first, second = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + half)
    a, b = (masked(x, view.places(token, head, place), mask).astype(F32) for place in (first, second))
    store(out, (head, first), a * cosines - b * sines, mask)
    store(out, (head, second), b * cosines + a * sines, mask)


@operation(out=(), updated=(0,), views=(0,))
def rope(x, positions, table, *, interleaved, interpret):
    def kernel(*refs):
        rope_kernel(*refs, view=x, interleaved=interleaved)

    spec = pl.BlockSpec((None, *x.shape[1:]), lambda token: (token, 0, 0))
    return launch(kernel, jax.ShapeDtypeStruct(x.shape, x.dtype), x.shape[:1], x.flat, positions, table,
                  out_specs=spec, interpret=interpret)  # fmt: skip


def append_kernel(slots, *refs, views):
    """One program for a token: sources, then caches as they were, then caches, of which only the rows of tokens are
    written."""
    count = len(views)
    sources, caches = refs[:count], refs[-count:]
    token = pl.program_id(0)
    slot = slots[token]
    for view, source, cache in zip(views, sources, caches, strict=True):
        _, page, heads, size = cache.shape
        head, column = jnp.arange(power_of_two(heads))[:, None], jnp.arange(power_of_two(size))[None, :]
        mask = (head < heads) & (column < size)
        values = masked(source, view.places(token, head, column), mask)
        store(cache, (slot // page, slot % page, head, column), values, mask)


def append_all(views, caches, slots, interpret):
    def kernel(*refs):
        append_kernel(*refs, views=views)

    count = len(views)
    flats = [view.flat for view in views]
    shapes = [jax.ShapeDtypeStruct(cache.shape, cache.dtype) for cache in caches]
    aliases = {1 + count + number: number for number in range(count)}
    return launch(kernel, shapes, slots.shape, slots, *flats, *caches, aliases=aliases, interpret=interpret)


@operation(out=(), updated=(2, 3), views=(0, 1))
def append(k, v, cache_k, cache_v, slots, *, interpret):
    return append_all([k, v], [cache_k, cache_v], slots, interpret)


@operation(out=(), updated=(1,), views=(0,))
def latent_append(latent, cache, slots, *, interpret):
    (tokens, size), (step, column) = latent.shape, latent.strides
    one_head = View(latent.flat, latent.offset, (tokens, 1, size), (step, 0, column))
    (result,) = append_all([one_head], [cache[:, :, None, :]], slots, interpret)
    return result[:, :, 0, :]
