# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from ml_dtypes import float8_e4m3fn

from kernels.block_scaled_linear.kernel import BLOCK
from kernels.fused_moe.experts import experts as run_experts
from kernels.fused_moe.experts import experts_fp8
from kernels.fused_moe.kernel import TILE_M, fused_moe
from kernels.fused_moe.layer import MoeLayer
from kernels.fused_moe.reference import (
    align_reference,
    experts_fp8_reference,
    experts_reference,
    fused_moe_reference,
    moe_reference,
)
from kernels.fused_moe.torch_layer import torch_moe
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def moe_work(tokens, hidden, experts, top_k, inner, dtype=np.float32) -> Work:
    """The whole layer; routing does not count as work."""
    x = normal((tokens, hidden), dtype, 1)
    router = normal((experts, hidden), dtype, 2)
    gate_up = normal((experts, 2 * inner, hidden), dtype, 3, hidden**-0.5)
    down = normal((experts, hidden, inner), dtype, 4, inner**-0.5)
    layer, out = MoeLayer(router, gate_up, down, top_k), empty(x.shape, x.dtype)
    peer = None
    if torch:
        weights = [tensor(array) for array in (x, router, gate_up, down)]
        peer = lambda: torch_moe(*weights, top_k)  # noqa: E731
    return Work(
        kernel="moe_layer",
        shape=f"T{tokens} H{hidden} E{experts} top{top_k} I{inner}",
        dtype=dtype_name(dtype),
        amount=2.0 * tokens * top_k * 3 * inner * hidden,
        unit="GFLOP/s",
        run=lambda: layer(x, out),
        result=out,
        reference=lambda: moe_reference(x, router, gate_up, down, top_k),
        torch=peer,
    )


def chosen(tokens, experts, top_k):
    """Routing weights f32 and experts i32 [tokens, top_k] at random."""
    random = np.random.default_rng(5)
    ids = np.argsort(random.random((tokens, experts)), axis=1)[:, :top_k].astype(np.int32)
    return random.random(ids.shape, dtype=np.float32), ids


def fused_moe_work(tokens, hidden, experts, top_k, columns, dtype=np.float32) -> Work:
    """One product of the layer, with routing weights; PyTorch's side gathers, multiplies and scatters per expert."""
    x = normal((tokens, hidden), dtype, 1)
    weights = normal((experts, columns, hidden), dtype, 3, hidden**-0.5)
    slot_weights, ids = chosen(tokens, experts, top_k)
    slot_weights = slot_weights.reshape(-1)
    alignment = align_reference(ids, experts, TILE_M)
    out = empty((tokens * top_k, columns), dtype)
    flags = dict(slots_per_row=top_k, weighted=True)
    peer = None
    if torch:
        tx, tw, tout, factor = (
            tensor(x),
            tensor(weights),
            tensor(empty(out.shape, out.dtype)),
            tensor(slot_weights)[:, None],
        )
        groups = [torch.from_numpy(np.nonzero(ids.reshape(-1) == e)[0]) for e in range(experts)]

        def peer():
            for e, slots in enumerate(groups):
                if slots.numel():
                    tout[slots] = ((tx[slots // top_k] @ tw[e].T) * factor[slots]).to(tout.dtype)

    return Work(
        kernel="fused_moe",
        shape=f"T{tokens} K{hidden} E{experts} top{top_k} N{columns}",
        dtype=dtype_name(dtype),
        amount=2.0 * tokens * top_k * columns * hidden,
        unit="GFLOP/s",
        run=lambda: fused_moe(x, weights, out, slot_weights, alignment, **flags),
        result=out,
        reference=lambda: fused_moe_reference(x, weights, slot_weights, ids, **flags),
        torch=peer,
    )


def after_routing(kernel, x, matrices, choices, run, reference) -> Work:
    """The layer after routing. One or two tokens count the bytes of the chosen experts, more the operations."""
    (weights, ids), out, gate_up = choices, empty(x.shape, x.dtype), matrices[0]
    (count, both, hidden), few = gate_up.shape, x.shape[0] <= 2
    size = sum(matrix.nbytes for matrix in matrices) // count
    return Work(
        kernel=kernel,
        shape=f"T{x.shape[0]} H{hidden} E{count} top{ids.shape[1]} I{both // 2}",
        dtype=dtype_name(x.dtype),
        amount=float(len(np.unique(ids)) * size) if few else 3.0 * ids.size * both * hidden,
        unit="GB/s" if few else "GFLOP/s",
        run=lambda: run(x, *matrices, weights, ids, out),
        result=out,
        reference=lambda: reference(x, *matrices, weights, ids),
    )


def experts_work(tokens, hidden, experts, top_k, inner, dtype=np.float32) -> Work:
    x, choices = normal((tokens, hidden), dtype, 1), chosen(tokens, experts, top_k)
    gate_up = normal((experts, 2 * inner, hidden), dtype, 3, hidden**-0.5)
    down = normal((experts, hidden, inner), dtype, 4, inner**-0.5)
    return after_routing("experts", x, (gate_up, down), choices, run_experts, experts_reference)


def matrices_and_scales(experts, rows, columns, seed=0):
    """f8E4M3 [experts, rows, columns] and positive scales, with products about as large as what they multiply."""
    weights = normal((experts, rows, columns), float8_e4m3fn, seed, 30.0)
    blocks = (experts, -(-rows // BLOCK), -(-columns // BLOCK))
    return weights, (np.abs(normal(blocks, np.float32, seed + 1)) + np.float32(0.1)) * np.float32(columns**-0.5 / 30)


def experts_fp8_work(tokens, hidden, experts, top_k, inner, dtype=np.float32) -> Work:
    x, choices = normal((tokens, hidden), dtype, 1), chosen(tokens, experts, top_k)
    matrices = *matrices_and_scales(experts, 2 * inner, hidden), *matrices_and_scales(experts, hidden, inner, 2)
    return after_routing("experts_fp8", x, matrices, choices, experts_fp8, experts_fp8_reference)
