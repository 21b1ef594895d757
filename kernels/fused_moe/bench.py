# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.fused_moe.experts import experts as run_experts
from kernels.fused_moe.kernel import TILE_M, fused_moe
from kernels.fused_moe.layer import MoeLayer
from kernels.fused_moe.reference import align_reference, experts_reference, fused_moe_reference, moe_reference
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


def fused_moe_work(tokens, hidden, experts, top_k, columns, dtype=np.float32) -> Work:
    """One product of the layer, with routing weights; PyTorch's side gathers, multiplies and scatters per expert."""
    x = normal((tokens, hidden), dtype, 1)
    weights = normal((experts, columns, hidden), dtype, 3, hidden**-0.5)
    random = np.random.default_rng(5)
    ids = np.argsort(random.random((tokens, experts)), axis=1)[:, :top_k].astype(np.int32)
    slot_weights = random.random(tokens * top_k, dtype=np.float32)
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


def experts_work(tokens, hidden, experts, top_k, inner, dtype=np.float32) -> Work:
    """The layer after routing. One or two tokens count the bytes of the chosen experts, more the operations."""
    x, out = normal((tokens, hidden), dtype, 1), empty((tokens, hidden), dtype)
    gate_up = normal((experts, 2 * inner, hidden), dtype, 3, hidden**-0.5)
    down = normal((experts, hidden, inner), dtype, 4, inner**-0.5)
    random = np.random.default_rng(5)
    ids = np.argsort(random.random((tokens, experts)), axis=1)[:, :top_k].astype(np.int32)
    weights = random.random(ids.shape, dtype=np.float32)
    few, elements = tokens <= 2, 3 * inner * hidden
    return Work(
        kernel="experts",
        shape=f"T{tokens} H{hidden} E{experts} top{top_k} I{inner}",
        dtype=dtype_name(dtype),
        amount=float(len(np.unique(ids)) * elements * out.itemsize) if few else 2.0 * ids.size * elements,
        unit="GB/s" if few else "GFLOP/s",
        run=lambda: run_experts(x, gate_up, down, weights, ids, out),
        result=out,
        reference=lambda: experts_reference(x, gate_up, down, weights, ids),
    )
