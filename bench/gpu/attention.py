# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, forward."""

import math
from functools import partial

from bench.gpu import cutile, launching
from bench.gpu.contest import Contest, Contestant, contest
from kernels.attention.kernel import LOG2_E, attention_rows_kernel
from kernels.peer import torch

TILES = [dict(tile=tile) for tile in ((128, 128), (128, 64), (64, 64), (64, 128), (256, 64))]


def reference(q, k, v, causal):
    """The result in f32, and that of the magnitudes of v, which is what rounded weights are relative to. One head at a
    time: the scores of all would not fit."""
    out, scale = (torch.empty(q.shape, device=launching.DEVICE) for _ in range(2))
    queries = q.shape[2]
    above = torch.ones(queries, queries, dtype=torch.bool, device=launching.DEVICE).triu(1) if causal else None
    for batch in range(q.shape[0]):
        for head in range(q.shape[1]):
            x, y, z = (tensor[batch, head].float() for tensor in (q, k, v))
            scores = x @ y.T / math.sqrt(q.shape[3])
            if causal:
                scores.masked_fill_(above, -math.inf)
            weights = torch.softmax(scores, -1)
            out[batch, head], scale[batch, head] = weights @ z, weights @ z.abs()
    return out, scale


def library(backend, q, k, v, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def call():
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return call


def attend(launch, q, k, v, causal, *, tile, **hints):
    out = torch.empty_like(q)
    batches, heads, queries, size = q.shape
    grid = (-(-queries // tile[0]), heads, batches)
    scale = LOG2_E / math.sqrt(size)
    return launch(attention_rows_kernel, grid, (q, k, v, out, scale, 1, causal, *tile, size), out, **hints)


def forward(batches, heads, length, size, causal):
    torch.backends.cuda.matmul.allow_tf32 = False
    shape = (batches, heads, length, size)
    q, k, v = (launching.random(*shape, dtype=torch.bfloat16, seed=seed) for seed in (1, 2, 3))
    expected, scale = reference(q, k, v, causal)
    return Contest(
        Contestant("ours", partial(attend, launching.ours, q, k, v, causal), TILES),
        [
            Contestant("cuDNN", partial(library, "CUDNN_ATTENTION", q, k, v, causal)),
            Contestant("FlashAttention", partial(library, "FLASH_ATTENTION", q, k, v, causal)),
            *cutile.peers(partial(attend, launching.theirs, q, k, v, causal), TILES[:2]),
        ],
        expected,
        2.0**-7,  # weights and result are rounded to 16 bits
        4.0 * batches * heads * length * length * size * (0.5 if causal else 1),
        "TFLOP/s",
        scale=scale,
    )


def attention_rows():
    shapes = [(4, 32, 4096, 128, True), (4, 32, 4096, 128, False), (1, 32, 16384, 128, True), (4, 32, 4096, 64, True)]
    for batches, heads, length, size, causal in shapes:
        name = f"attention bf16 B{batches} H{heads} S{length} D{size}{' causal' if causal else ''}"
        yield contest(name, 0.7, partial(forward, batches, heads, length, size, causal), "the best of cuDNN, cuTile")
