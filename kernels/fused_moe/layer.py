# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole mixture-of-experts layer: scores, route, then the experts."""

import numpy as np

from kernels.arrays import empty
from kernels.expert_routing.kernel import route
from kernels.fused_moe.experts import experts
from kernels.linear.kernel import linear


class MoeLayer:
    """Router [E, H], gate and up weights [E, 2 I, H] (the gate's rows first), down weights [E, H, I]."""

    def __init__(self, router, gate_up, down, top_k):
        self.router, self.gate_up, self.down, self.top_k = router, gate_up, down, top_k

    def route(self, x, *, stream=None):
        """For each token the softmax of its best experts' scores, f32 [T, top_k], and those experts, i32 [T, top_k]."""
        scores = empty((x.shape[0], self.router.shape[0]), "float32", beside=x)
        weights, ids = (empty((x.shape[0], self.top_k), dtype, beside=x) for dtype in ("float32", "int32"))
        linear(x, self.router, scores, stream=stream)
        route(scores, None, weights, ids, stream=stream)
        return weights, ids

    def __call__(self, x, out=None, *, stream=None):
        """The layer's output [T, H] for the tokens x [T, H]."""
        out = np.empty_like(x) if out is None else out
        return experts(x, self.gate_up, self.down, *self.route(x, stream=stream), out, stream=stream)
