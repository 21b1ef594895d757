# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.softmax.kernel import softmax
from kernels.softmax.reference import reference
from kernels.work import Work, dtype_name, empty, normal


def softmax_work(rows, columns, dtype=np.float32) -> Work:
    x, out = normal((rows, columns), dtype), empty((rows, columns), dtype)
    peer = None
    if torch:
        tx, tout = tensor(x), tensor(empty(x.shape, dtype))
        peer = lambda: torch.softmax(tx, -1, out=tout)  # noqa: E731
    return Work(
        kernel="softmax",
        shape=f"{rows}x{columns}",
        dtype=dtype_name(dtype),
        amount=2 * out.nbytes,
        unit="GB/s",
        run=lambda: softmax(x, out),
        result=out,
        reference=lambda: reference(x),
        torch=peer,
    )
