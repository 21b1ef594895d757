# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice of experts, and products of rows sorted by expert: a program for a tile of rows of one expert. XLA puts
the rows in order."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from ...weights import BLOCK
from .exchange import F32, dot, launch, masked, operation, power_of_two, store
from .products import as_fp8, quantize
from .rows import silu


def first_largest(values, places, none):
    """The largest of a tile and the first of its places."""
    largest = jnp.max(values)
    return largest, jnp.min(jnp.where(values == largest, places, none))


@operation(out=(2, 3))
def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale, interpret):
    """One program for a token, whose experts are a tile [groups, experts of a group]."""
    count, chosen = scores.shape[1], ids.shape[1]
    size = count // groups

    def kernel(scores_ref, *refs):
        *bias_ref, weights_ref, ids_ref = refs
        group = jnp.arange(power_of_two(groups))[:, None]
        member = jnp.arange(power_of_two(size))[None, :]
        exists = (group < groups) & (member < size)
        expert = group * size + member
        row = masked(scores_ref, expert, exists, -jnp.inf)
        if sigmoid:
            gate = 1 / (1 + jnp.exp(-row))
        else:
            powers = jnp.exp(row - jnp.max(row))
            gate = powers / jnp.sum(powers)
        choice = gate + masked(bias_ref[0], expert, exists) if bias_ref else gate
        choice = jnp.where(exists, choice, -jnp.inf)
        if groups > 1:
            value = best = jnp.max(choice, axis=1, keepdims=True)
            if sigmoid:
                first = jnp.min(jnp.where(choice == best, member, size), axis=1, keepdims=True)
                value += jnp.max(jnp.where(member == first, -jnp.inf, choice), axis=1, keepdims=True)
            allowed = group < 0
            for _ in range(top_groups):
                _, place = first_largest(jnp.where(allowed, -jnp.inf, value), group, groups)
                allowed |= group == place
            choice = jnp.where(allowed, choice, -jnp.inf)
        lane = jnp.arange(power_of_two(chosen))
        picked, places = jnp.zeros(lane.shape, F32), jnp.zeros(lane.shape, jnp.int32)
        for number in range(chosen):
            _, place = first_largest(choice, expert, count)
            picked = jnp.where(lane == number, jnp.sum(jnp.where(expert == place, gate, 0)), picked)
            places = jnp.where(lane == number, place, places)
            choice = jnp.where(expert == place, -jnp.inf, choice)
        if normalize:
            picked = picked / (jnp.sum(picked) + 1e-20)
        store(weights_ref, lane, picked * scale, lane < chosen)
        store(ids_ref, lane, places, lane < chosen)

    row, result = (pl.BlockSpec((None, size), lambda token: (token, 0)) for size in (count, chosen))
    inputs, specs = [scores], [row]
    if bias is not None:
        inputs, specs = [scores, bias], [row, pl.BlockSpec((count,), lambda token: 0)]
    return launch(kernel, (weights, ids), scores.shape[:1], *inputs, in_specs=specs, out_specs=(result, result),
                  warps=1, interpret=interpret)  # fmt: skip


@dataclass
class Sorted:
    """Slots of rows in blocks of one expert each: rows [blocks * rows] with -1 in empty slots, experts [blocks] with -1
    after the last, and the slot of each choice [T, k]."""

    rows: jax.Array
    experts: jax.Array
    slots: jax.Array


def sort(ids, count, block):
    """By expert, every expert's first slot at the beginning of a block."""
    flat = ids.reshape(-1)
    blocks = min(len(flat), len(flat) // block + min(count, len(flat)))
    order = jnp.argsort(flat, stable=True)
    counts = jnp.bincount(flat, length=count)
    ends = jnp.cumsum(-(-counts // block) * block)
    begins = ends - (-(-counts // block) * block)
    chosen = flat[order]
    slots = begins[chosen] + jnp.arange(len(flat)) - (jnp.cumsum(counts) - counts)[chosen]
    rows = jnp.full(blocks * block, -1, jnp.int32).at[slots].set((order // ids.shape[1]).astype(jnp.int32))
    firsts = jnp.arange(blocks) * block
    experts = jnp.where(firsts < ends[-1], jnp.searchsorted(ends, firsts, side="right"), -1).astype(jnp.int32)
    return Sorted(rows, experts, jnp.zeros_like(flat).at[order].set(slots.astype(jnp.int32)).reshape(ids.shape))


def grouped(x, weight, rows, experts, out, interpret, *, gated=False, scales=None):
    """out[slot] = x[rows[slot]] times the matrix [N, K] of the slot's block, or silu of its first half of outputs times
    the other half. With `scales` of x [*, K/128] and of the weight [E, N/128, K/128] both are f8."""
    slots, outputs = out.shape
    block, depth = slots // len(experts), x.shape[1]
    size = 64
    step = BLOCK if scales else 64 if x.dtype != F32 else 32
    halves = (0, outputs) if gated else (0,)

    def kernel(rows_ref, experts_ref, x_ref, weight_ref, *refs):
        *scale_refs, out_ref = refs
        expert = experts_ref[pl.program_id(0)]
        slot = pl.program_id(0) * block + jnp.arange(block)
        column = pl.program_id(1) * size + jnp.arange(size)

        @pl.when(expert >= 0)
        def _():
            row = rows_ref[slot]

            def products(k, totals):
                place = k * step + jnp.arange(step)
                inside = (place < depth)[None, :]
                a = masked(x_ref, (row[:, None], place[None, :]), (row >= 0)[:, None] & inside)
                return [total + part(k, a, place, inside, first) for total, first in zip(totals, halves, strict=True)]

            def part(k, a, place, inside, first):
                output = first + column
                exists = column < outputs
                b = masked(weight_ref, (expert, output[:, None], place[None, :]), exists[:, None] & inside)
                if not scale_refs:
                    return dot(a, b)
                row_scale = masked(scale_refs[0], (row, k), row >= 0)
                column_scale = masked(scale_refs[1], (expert, output // BLOCK, k), exists)
                return dot(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)) * row_scale[:, None] * column_scale[None, :]

            zeros = [jnp.zeros((block, size), F32) for _ in halves]
            totals = jax.lax.fori_loop(0, pl.cdiv(depth, step), products, zeros)
            result = silu(totals[0]) * totals[1] if gated else totals[0]
            store(out_ref, (slot[:, None], column[None, :]), result, (column < outputs)[None, :] & (row >= 0)[:, None])

    grid = len(experts), pl.cdiv(outputs, size)
    return launch(kernel, out, grid, rows, experts, x, weight, *(scales or ()), stages=4, interpret=interpret)


def combine(results, slots, weights, out):
    return jnp.sum(results[slots] * weights[:, :, None], axis=1).astype(out.dtype)


def block_of(ids, count):
    """Slots of a block: about as many as an expert has."""
    return 64 if ids.size >= 32 * count else 16


@operation(out=(5,))
def experts(x, gate_up, down, weights, ids, out, *, interpret):
    count, hidden, inner = down.shape
    order = sort(ids, count, block_of(ids, count))
    slots = len(order.rows)
    between = jax.ShapeDtypeStruct((slots, inner), x.dtype)
    results = jax.ShapeDtypeStruct((slots, hidden), F32)
    between = grouped(x, gate_up, order.rows, order.experts, between, interpret, gated=True)
    filled = jnp.where(order.rows >= 0, jnp.arange(slots), -1)
    results = grouped(between, down, filled, order.experts, results, interpret)
    return combine(results, order.slots, weights, out)


@operation(out=(7,))
def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out, *, interpret):
    count, hidden, inner = down.shape
    order = sort(ids, count, block_of(ids, count))
    slots = len(order.rows)
    between = jax.ShapeDtypeStruct((slots, inner), x.dtype)
    results = jax.ShapeDtypeStruct((slots, hidden), F32)
    values, scales = quantize(x, interpret)
    between = grouped(values, as_fp8(gate_up), order.rows, order.experts, between, interpret, gated=True,
                      scales=(scales, gate_up_scales))  # fmt: skip
    values, scales = quantize(between, interpret)
    filled = jnp.where(order.rows >= 0, jnp.arange(slots), -1)
    results = grouped(values, as_fp8(down), filled, order.experts, results, interpret, scales=(scales, down_scales))
    return combine(results, order.slots, weights, out)
