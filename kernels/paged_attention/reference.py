# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference
from kernels.attention.reference import reference as dense


def reference(q, cache_k, cache_v, tables, starts, lengths, out, *, scale) -> Reference:
    """That of attention on the keys and values of each request, taken out of their pages."""
    page = cache_k.shape[1]
    parts = []
    for request, length in enumerate(lengths):
        pages = tables[request, : -(-length // page)]
        keys, values = (
            cache[pages].reshape(-1, *cache.shape[2:])[:length].swapaxes(0, 1)[None] for cache in (cache_k, cache_v)
        )
        queries = q[starts[request] : starts[request + 1]].swapaxes(0, 1)[None]
        parts.append(dense(queries, keys, values, scale=scale))
    expected, scales = (
        np.concatenate([getattr(part, name)[0].swapaxes(0, 1) for part in parts]) for name in ("expected", "scale")
    )
    return Reference(expected, scales, max(part.bound for part in parts))
