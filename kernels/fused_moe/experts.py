# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experts of a mixture whose choices are made: align, gate and up, down, sum; all on the device."""

import numpy as np
import tilewright as ct

from kernels.arrays import on_cpu, power_of_two
from kernels.fused_moe.align import Aligner
from kernels.fused_moe.gated import gated
from kernels.fused_moe.kernel import fused_moe
from kernels.fused_moe.pointwise import sum_choices
from kernels.fused_moe.single import single_experts

FEWEST = 2  # tokens up to which each slot reads its expert's weights by itself
TILES = 64, 64  # columns and depth of a product on a CPU
WIDE_TILES = 128, 64  # with many slots of two bytes
ROWS_TILES = 128, 64  # on a GPU
NARROW_TILES = 64, 128  # on a GPU, for few slots of an expert

_memory = {}


def memory_of(x, ids, inner, hidden):
    """Arrays for the steps between, of tokens up to the next power of two; they stay, so that CUDA graphs can replay
    their use."""
    tokens, choices = ids.shape
    most = power_of_two(tokens)
    key = (most, choices, inner, hidden, x.dtype, str(getattr(x, "device", "cpu")))
    if key not in _memory:
        make = (lambda shape: np.empty(shape, x.dtype)) if on_cpu(x) else x.new_empty
        parts = (most, choices, hidden) if most > FEWEST else (1, 1, 1)
        _memory[key] = make((most * choices, inner)), make(parts)
    hidden_rows, parts = _memory[key]
    return hidden_rows[: tokens * choices], parts[:tokens]


def aligner_of(ids, experts, tile_m):
    most = power_of_two(ids.shape[0])
    key = (most, ids.shape[1], experts, tile_m, str(getattr(ids, "device", "cpu")))
    if key not in _memory:
        make = (lambda shape: np.empty(shape, np.int32)) if on_cpu(ids) else ids.new_empty
        _memory[key] = Aligner(most, ids.shape[1], experts, tile_m, make)
    return _memory[key]


def slots_of_block(slots, experts, cpu):
    """About as many as an expert has on average: fewer are padding, more are several reads of its weights."""
    most, least = (64, 4) if cpu else (128, 16)
    return max(least, min(most, power_of_two(ct.cdiv(slots, experts))))


def experts(x, gate_up, down, weights, ids, out, *, tile_m=None, as_rows=None, stream=None):
    """out [T, H] = the sum over the choices ids i32 [T, k] of weight f32 [T, k] times the expert's
    down @ (silu(gate @ x) * (up @ x)), for gate_up [E, 2 I, H], the gate's rows first, and down [E, H, I].

    Each token chooses different experts. `as_rows` takes the kernels whose slots are the rows, all on a CPU.
    """
    (tokens, choices), (count, both, hidden) = ids.shape, gate_up.shape
    if both != 2 * down.shape[2] or down.shape[0] != count or down.shape[1] != hidden:
        raise ValueError(f"gate_up is {tuple(gate_up.shape)} and down {tuple(down.shape)}, expected [E, 2 I, H] and"
                         " [E, H, I]")  # fmt: skip
    inner, parts = memory_of(x, ids, both // 2, hidden)
    if tokens <= FEWEST and tile_m is None:
        single_experts(x, gate_up, down, weights, ids, inner, out, stream=stream)
        return out
    cpu = on_cpu(x)
    tile_m = tile_m or slots_of_block(tokens * choices, count, cpu)
    as_rows = cpu or tile_m >= 64 if as_rows is None else as_rows
    if cpu:
        tile_n, tile_k = WIDE_TILES if tile_m == 64 and x.itemsize == 2 else TILES
    else:
        tile_n, tile_k = ROWS_TILES if as_rows else NARROW_TILES
    options = {"as_rows": as_rows, "tile_k": tile_k, "stream": stream}
    alignment = aligner_of(ids, count, tile_m)(ids, stream=stream)
    gated(x, gate_up, inner, alignment, slots_per_row=choices, tile_n=tile_n // 2, **options)
    flat, slot_weights = parts.reshape(tokens * choices, hidden), weights.reshape(tokens * choices)
    fused_moe(inner, down, flat, slot_weights, alignment, slots_per_row=1, weighted=True, tile_n=tile_n, **options)
    return sum_choices(parts, out, stream=stream)
