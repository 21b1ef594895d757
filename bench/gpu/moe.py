# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first product of a mixture of experts: every token's row, gathered, times the weights of its experts."""

from functools import partial

from bench.gpu import cutile, launching
from bench.gpu.contest import Contest, Contestant, contest
from kernels.fused_moe.kernel import fused_moe_kernel
from kernels.fused_moe.reference import align_reference
from kernels.peer import torch

TILES = [dict(tile=tile) for tile in ((128, 128, 64), (128, 256, 64), (64, 128, 64), (64, 256, 64))]
GROUP_M = 8


def first_product(tokens, hidden, experts, top_k, inner):
    torch.backends.cuda.matmul.allow_tf32 = False
    x = launching.random(tokens, hidden, dtype=torch.bfloat16, seed=1)
    weights = launching.random(experts, 2 * inner, hidden, dtype=torch.bfloat16, seed=2, scale=hidden**-0.5)
    generator = torch.Generator(launching.DEVICE).manual_seed(3)
    ids = torch.rand(tokens, experts, device=launching.DEVICE, generator=generator).topk(top_k).indices
    slots = ids.reshape(-1)
    slot_weights = torch.ones(slots.numel(), device=launching.DEVICE)
    out = torch.empty(slots.numel(), 2 * inner, dtype=x.dtype, device=launching.DEVICE)

    def tiled(launch, *, tile, **hints):
        alignment = align_reference(ids.cpu().numpy(), experts, tile[0])
        sorted_slots, block_experts = (
            torch.from_numpy(array).to(launching.DEVICE) for array in (alignment.sorted_slots, alignment.block_experts)
        )
        arrays = ((x,), (weights,), out, slot_weights, (block_experts, sorted_slots))
        arguments = (*arrays, top_k, False, True, *tile, GROUP_M)
        grid = (len(alignment.block_experts) * (-(-2 * inner // tile[1])),)
        return launch(fused_moe_kernel, grid, arguments, out, **hints)

    order = torch.argsort(slots, stable=True)
    ends = torch.bincount(slots, minlength=experts).cumsum(0).to(torch.int32)
    expected = torch.empty(out.shape, device=launching.DEVICE)
    for expert in range(experts):
        chosen = (slots == expert).nonzero()[:, 0]
        expected[chosen] = x[chosen // top_k].float() @ weights[expert].float().T
    gathered, by_expert = x[order // top_k], expected[order]

    def grouped():
        return lambda: torch._grouped_mm(gathered, weights.transpose(1, 2), offs=ends)

    return Contest(
        Contestant("ours", partial(tiled, launching.ours), TILES),
        [
            Contestant("torch, rows gathered before", grouped, expected=by_expert, counts=False),
            *cutile.peers(partial(tiled, launching.theirs), TILES),
        ],
        expected,
        2.0**-7,
        2.0 * slots.numel() * 2 * inner * hidden,
        "TFLOP/s",
    )


def moe_rows():
    name = "fused MoE GEMM bf16 T4096 H2048 E64 top-6 I1408"
    yield contest(name, 0.9, partial(first_product, 4096, 2048, 64, 6, 1408), "cuTile (gather fused)")
