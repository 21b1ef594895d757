# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole mixture-of-experts layer: route, align, gate and up, SiLU-and-mul, down, sum."""

import numpy as np

from kernels.fused_moe.align import align
from kernels.fused_moe.kernel import TILE_M, fused_moe
from kernels.fused_moe.pointwise import sum_choices
from kernels.fused_moe.route import route
from kernels.silu_and_mul.kernel import silu_and_mul


class MoeLayer:
    """Router [E, H], gate and up weights [E, 2 I, H] (the gate's rows first), down weights [E, H, I].

    Intermediate arrays are kept between calls with the same number of tokens.
    """

    def __init__(self, router, gate_up, down, top_k, *, tile_m=TILE_M):
        self.router, self.gate_up, self.down = router, gate_up, down
        self.top_k, self.tile_m = top_k, tile_m
        self.tokens = None

    def reserve(self, tokens, dtype):
        inner, hidden = self.down.shape[2], self.down.shape[1]
        slots = tokens * self.top_k
        self.weights = np.empty((tokens, self.top_k), np.float32)
        self.ids = np.empty((tokens, self.top_k), np.int32)
        self.both = np.empty((slots, 2 * inner), dtype)
        self.inner = np.empty((slots, inner), dtype)
        self.parts = np.empty((tokens, self.top_k, hidden), dtype)
        self.tokens = tokens

    def __call__(self, x, out=None, *, stream=None):
        """The layer's output [T, H] for the tokens x [T, H]."""
        if self.tokens != x.shape[0]:
            self.reserve(x.shape[0], x.dtype)
        if out is None:
            out = np.empty_like(x)
        route(x, self.router, self.weights, self.ids, stream=stream)
        alignment = align(self.ids, self.router.shape[0], self.tile_m)
        weights = self.weights.reshape(-1)
        parts = self.parts.reshape(-1, self.parts.shape[2])
        fused_moe(
            x, self.gate_up, self.both, weights, alignment, slots_per_row=self.top_k, weighted=False, stream=stream
        )
        silu_and_mul(self.both, self.inner, stream=stream)
        fused_moe(self.inner, self.down, parts, weights, alignment, slots_per_row=1, weighted=True, stream=stream)
        return sum_choices(self.parts, out, stream=stream)
