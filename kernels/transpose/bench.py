# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.transpose.kernel import transpose
from kernels.transpose.reference import reference
from kernels.work import Work, empty, memory_work, numbers


def transpose_work(rows, columns, dtype=np.float32) -> Work:
    x, out = numbers((rows, columns), dtype), empty((columns, rows), dtype)
    peer = None
    if torch:
        tx, tout = tensor(x).T, tensor(empty((columns, rows), dtype))
        peer = lambda: tout.copy_(tx)  # noqa: E731
    return memory_work("transpose", x, out, 2 * out.nbytes, lambda: transpose(x, out), lambda: reference(x), peer)
