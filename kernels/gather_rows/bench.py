# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.gather_rows.kernel import gather_rows
from kernels.gather_rows.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, empty, memory_work, numbers


def gather_rows_work(rows, columns, dtype=np.float32) -> Work:
    """As many rows as the matrix has, any of them any number of times."""
    x, out = numbers((rows, columns), dtype), empty((rows, columns), dtype)
    index = np.random.default_rng(1).integers(0, rows, rows).astype(np.int32)
    peer = None
    if torch:
        tx, tindex, tout = tensor(x), tensor(index), tensor(empty(x.shape, dtype))
        peer = lambda: torch.index_select(tx, 0, tindex, out=tout)  # noqa: E731
    return memory_work(
        "gather_rows", x, out, 2 * out.nbytes, lambda: gather_rows(x, index, out), lambda: reference(x, index), peer
    )
