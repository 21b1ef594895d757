# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.vector_add.kernel import vector_add
from kernels.vector_add.reference import reference
from kernels.work import Work, empty, memory_work, normal


def vector_add_work(size, dtype=np.float32) -> Work:
    x, y, out = normal(size, dtype, 1), normal(size, dtype, 2), empty(size, dtype)
    peer = None
    if torch:
        tx, ty, tout = tensor(x), tensor(y), tensor(empty(size, dtype))
        peer = lambda: torch.add(tx, ty, out=tout)  # noqa: E731
    return memory_work(
        "vector_add", x, out, 3 * out.nbytes, lambda: vector_add(x, y, out), lambda: reference(x, y), peer
    )
