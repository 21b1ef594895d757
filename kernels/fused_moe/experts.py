# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experts of a mixture whose choices are made: align, gate and up, down, sum; all on the device."""

from functools import partial

import numpy as np
import tilewright as ct

from kernels.arrays import on_cpu, power_of_two
from kernels.block_scaled_linear.kernel import BLOCK, check_scales, rounded_tokens
from kernels.fused_moe.align import Aligner, Alignment
from kernels.fused_moe.gated import gated
from kernels.fused_moe.kernel import fused_moe
from kernels.fused_moe.pointwise import sum_choices
from kernels.fused_moe.single import down_slots, gated_slots
from kernels.fused_moe.step import operand

FEWEST = 2  # tokens up to which each slot reads its expert's weights by itself
FEW_OF_EXPERT = 2  # slots of an expert, on average, up to which that is faster on a CPU
TILES = 64, 64  # columns and depth of a product on a CPU
WIDE_TILES = 128, 64  # with many slots of two bytes
GPU_TILES = 128, 128  # on a GPU
ROWS_TILES = 256, 64  # there, for MOST_OF_BLOCK slots
SCALED_TILES = 64, BLOCK  # with scales on a CPU
EIGHT_BIT_TILES = 128, BLOCK  # with those on a GPU
NARROWEST, MOST_OF_BLOCK = 16, 128  # slots of a block on a GPU

_kept: dict = {}


class Memory:
    """Arrays for the steps between, of tokens up to the next power of two. They stay, so that CUDA graphs can replay
    their use, unless they are `fresh`."""

    def __init__(self, x, ids, fresh):
        self.x, self.ids, self.fresh, self.most = x, ids, fresh, power_of_two(ids.shape[0])

    def _made(self, key, make):
        if self.fresh:
            return make()
        key = (self.most, *key, str(getattr(self.x, "device", "cpu")))
        if key not in _kept:
            _kept[key] = make()
        return _kept[key]

    def rows(self, inner, hidden):
        """[slots, inner] and [tokens, choices, hidden]."""
        x, (tokens, choices), most = self.x, self.ids.shape, self.most
        make = (lambda shape: np.empty(shape, x.dtype)) if isinstance(x, np.ndarray) else x.new_empty
        made = self._made((choices, inner, hidden, x.dtype),
                          lambda: (make((most * choices, inner)), make((most, choices, hidden))))  # fmt: skip
        return made[0][: tokens * choices], made[1][:tokens]

    def aligner(self, experts, tile_m):
        ids, choices = self.ids, self.ids.shape[1]
        make = (lambda shape: np.empty(shape, np.int32)) if isinstance(ids, np.ndarray) else ids.new_empty
        return self._made((choices, experts, tile_m), lambda: Aligner(self.most, choices, experts, tile_m, make))


def slots_of_block(slots, experts, cpu):
    """About as many as an expert has on average: fewer are padding, more are several reads of its weights. GPUs have
    fast products for the padding: twice as many, since half of the experts have more than on average."""
    mean = power_of_two(ct.cdiv(slots, experts))
    return max(4, min(64, mean)) if cpu else max(NARROWEST, min(MOST_OF_BLOCK, 2 * mean))


def are_few(tokens, slots, experts, cpu):
    return tokens <= FEWEST or (cpu and slots <= FEW_OF_EXPERT * experts)


def tiles_of(x, scaled, eight_bits, tile_m):
    """Columns and depth of a product's tiles."""
    if scaled:
        return EIGHT_BIT_TILES if eight_bits else SCALED_TILES
    if on_cpu(x):
        return WIDE_TILES if tile_m == 64 and x.itemsize == 2 else TILES
    return ROWS_TILES if tile_m == MOST_OF_BLOCK else GPU_TILES


def chosen_experts(x, gate_up, down, weights, ids, out, left, tile_m, as_rows, pure, stream):
    """For operands as of step.py; `left` makes one of rows."""
    (tokens, choices), (count, both, hidden), scaled = ids.shape, gate_up[0].shape, len(gate_up) == 2
    few, rows = tile_m is None and are_few(tokens, tokens * choices, count, on_cpu(x)), left(x)
    memory = Memory(x, ids, fresh=pure)
    between, parts = memory.rows(both // 2, hidden)
    if few and len(rows) == 1 and on_cpu(x):
        gated_slots(*rows, gate_up, ids, between, stream=stream)
        return down_slots(*left(between), down, ids, weights, out, stream=stream)
    tile_m = tile_m or (NARROWEST if few else slots_of_block(tokens * choices, count, on_cpu(x)))
    as_rows = on_cpu(x) or tile_m >= 64 if as_rows is None else as_rows
    tile_n, tile_k = tiles_of(x, scaled, len(rows) == 2, tile_m)
    options = {"as_rows": as_rows, "tile_k": tile_k, "stream": stream}
    if few:
        alignment = Alignment(None, ids.reshape(tokens * choices), tile_m)
    else:
        alignment = memory.aligner(count, tile_m)(ids, all_blocks=pure, stream=stream)
    gated(rows, gate_up, between, alignment, slots_per_row=choices, tile_n=tile_n // 2, **options)
    flat, slot_weights = parts.reshape(tokens * choices, hidden), weights.reshape(tokens * choices)
    second = {"slots_per_row": 1, "weighted": True, "tile_n": tile_n}
    fused_moe(left(between), down, flat, slot_weights, alignment, **second, **options)
    return sum_choices(parts, out, stream=stream)


def check_shapes(gate_up, down):
    count, both, hidden = gate_up.shape
    if tuple(down.shape) != (count, hidden, both // 2) or both % 2:
        raise ValueError(f"gate_up is {tuple(gate_up.shape)} and down {tuple(down.shape)}, expected [E, 2 I, H] and"
                         " [E, H, I]")  # fmt: skip


def experts(x, gate_up, down, weights, ids, out, *, tile_m=None, as_rows=None, pure=False, stream=None):
    """out [T, H] = the sum over the choices ids i32 [T, k] of weight f32 [T, k] times the expert's
    down @ (silu(gate @ x) * (up @ x)), for gate_up [E, 2 I, H], the gate's rows first, and down [E, H, I].

    Each token chooses different experts. `as_rows` takes slots as the rows of products, as on a CPU. With `pure`,
    nothing stays between calls, and the host does not look at what kernels have computed.
    """
    check_shapes(gate_up, down)
    operands = (gate_up,), (down,)
    return chosen_experts(x, *operands, weights, ids, out, operand, tile_m, as_rows, pure, stream)


def experts_fp8(
    x,
    gate_up,
    gate_up_scales,
    down,
    down_scales,
    weights,
    ids,
    out,
    *,
    tile_m=None,
    as_rows=None,
    eight_bits=None,
    stream=None,
):
    """The same with weights in f8E4M3, with scales f32 [E, ceil(2 I / 128), ceil(H / 128)] and
    [E, ceil(H / 128), ceil(I / 128)]: x is rounded as by block_scaled_linear, so is what silu * up gives in x's type.

    Both operands of products have `eight_bits` on GPUs only.
    """
    check_shapes(gate_up, down)
    check_scales(gate_up, gate_up_scales)
    check_scales(down, down_scales)
    operands = (gate_up, gate_up_scales), (down, down_scales)
    left = partial(rounded_tokens, eight_bits=eight_bits, stream=stream)
    return chosen_experts(x, *operands, weights, ids, out, left, tile_m, as_rows, False, stream)
