# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.row_reduce.kernel import row_argmax, row_max, row_sum
from kernels.row_reduce.reference import row_argmax_reference, row_max_reference, row_sum_reference
from kernels.work import Work, empty, memory_work, normal


def row_sum_work(rows, columns, dtype=np.float32) -> Work:
    return _work(row_sum, row_sum_reference, torch and torch.sum, rows, columns, dtype, dtype)


def row_max_work(rows, columns, dtype=np.float32) -> Work:
    return _work(row_max, row_max_reference, torch and torch.amax, rows, columns, dtype, dtype)


def row_argmax_work(rows, columns, dtype=np.float32) -> Work:
    return _work(row_argmax, row_argmax_reference, torch and torch.argmax, rows, columns, dtype, np.int32)


def _work(kernel, reference, in_torch, rows, columns, dtype, out_dtype) -> Work:
    x, out = normal((rows, columns), dtype), empty(rows, out_dtype)
    peer = None
    if torch:
        tx = tensor(x)
        tout = in_torch(tx, -1)
        peer = lambda: in_torch(tx, -1, out=tout)  # noqa: E731
    return memory_work(kernel.__name__, x, out, x.nbytes, lambda: kernel(x, out), lambda: reference(x), peer)
