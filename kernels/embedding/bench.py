# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.embedding.kernel import embedding
from kernels.embedding.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, empty, memory_work, normal


def embedding_work(tokens, vocabulary, columns, dtype=np.float32) -> Work:
    table, out = normal((vocabulary, columns), dtype), empty((tokens, columns), dtype)
    ids = np.random.default_rng(1).integers(0, vocabulary, tokens).astype(np.int32)
    peer = None
    if torch:
        tids, ttable, tout = tensor(ids), tensor(table), tensor(empty(out.shape, dtype))
        peer = lambda: torch.index_select(ttable, 0, tids, out=tout)  # noqa: E731
    run = lambda: embedding(ids, table, out)  # noqa: E731
    return memory_work("embedding", table, out, 2 * out.nbytes, run, lambda: reference(ids, table), peer)
