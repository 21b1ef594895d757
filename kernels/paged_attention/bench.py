# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.paged_attention.kernel import attention
from kernels.paged_attention.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def paged(lengths, queries, heads, kv_heads, size, values, page, dtype) -> dict:
    """Arguments of attention: requests of so many keys, the last of which are queries, in pages in any order."""
    counts = [-(-length // page) for length in lengths]
    order = np.random.default_rng(5).permutation(sum(counts) + 1).astype(np.int32)
    tables = np.zeros((len(lengths), max(counts)), np.int32)
    for row, count, end in zip(tables, counts, np.cumsum(counts), strict=True):
        row[:count] = order[end - count : end]
    starts = np.concatenate([[0], np.cumsum(queries)]).astype(np.int32)
    tokens = int(starts[-1])
    return {
        "q": normal((tokens, heads, size), dtype, 1),
        "cache_k": normal((len(order), page, kv_heads, size), dtype, 2),
        "cache_v": normal((len(order), page, kv_heads, values), dtype, 3),
        "tables": tables,
        "starts": starts,
        "lengths": np.array(lengths, np.int32),
        "out": empty((tokens, heads, values), dtype),
        "scale": size**-0.5,
    }


def decode_work(requests, length, heads, kv_heads, size, dtype=np.float32, page=64) -> Work:
    """One query of each request; the bytes of keys and values count."""
    case = paged([length] * requests, [1] * requests, heads, kv_heads, size, size, page, dtype)
    peer = None
    if torch:
        q = tensor(case["q"])[:, :, None]
        k, v = (tensor(normal((requests, kv_heads, length, size), dtype, seed)) for seed in (2, 3))
        attend = torch.nn.functional.scaled_dot_product_attention
        peer = lambda: attend(q, k, v, enable_gqa=heads != kv_heads)  # noqa: E731
    return Work(
        kernel="decode attention",
        shape=f"R{requests} H{heads}/{kv_heads} S{length} D{size}",
        dtype=dtype_name(dtype),
        amount=2.0 * requests * length * kv_heads * size * np.dtype(dtype).itemsize,
        unit="GB/s",
        run=lambda: attention(**case),
        result=case["out"],
        reference=lambda: reference(**case),
        torch=peer,
    )
