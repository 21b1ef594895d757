# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.transpose.kernel import transpose
from kernels.transpose.reference import reference
from kernels.work import Work, dtype_name, empty, numbers


def transpose_work(rows, columns, dtype=np.float32) -> Work:
    x, out = numbers((rows, columns), dtype), empty((columns, rows), dtype)
    peer = None
    if torch:
        tx, tout = tensor(x).T, tensor(empty((columns, rows), dtype))
        peer = lambda: tout.copy_(tx)  # noqa: E731
    return Work(
        kernel="transpose",
        shape=f"{rows}x{columns}",
        dtype=dtype_name(dtype),
        amount=2 * out.nbytes,
        unit="GB/s",
        run=lambda: transpose(x, out),
        result=out,
        reference=lambda: reference(x),
        torch=peer,
    )
