# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.attention.kernel import attention
from kernels.attention.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def attention_work(heads, length, size, dtype=np.float32, *, kv_heads=None, batches=1) -> Work:
    """Causal attention; what lies above the diagonal does not count as work."""
    kv_heads = kv_heads or heads
    q = normal((batches, heads, length, size), dtype, 1)
    k = normal((batches, kv_heads, length, size), dtype, 2)
    v = normal((batches, kv_heads, length, size), dtype, 3)
    out = empty(q.shape, q.dtype)
    peer = None
    if torch:
        tq, tk, tv = tensor(q), tensor(k), tensor(v)
        grouped = kv_heads != heads
        attend = torch.nn.functional.scaled_dot_product_attention
        peer = lambda: attend(tq, tk, tv, is_causal=True, enable_gqa=grouped)  # noqa: E731
    return Work(
        kernel="attention",
        shape=f"B{batches} H{heads}/{kv_heads} S{length} D{size}",
        dtype=dtype_name(dtype),
        amount=2.0 * batches * heads * length * (length + 1) * size,
        unit="GFLOP/s",
        run=lambda: attention(q, k, v, out),
        result=out,
        reference=lambda: reference(q, k, v),
        torch=peer,
    )
