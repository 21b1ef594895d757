# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.cumsum.kernel import cumsum
from kernels.cumsum.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def cumsum_work(rows, columns, dtype=np.float32) -> Work:
    x, out = normal((rows, columns), dtype), empty((rows, columns), dtype)
    peer = None
    if torch:
        tx, tout = tensor(x), tensor(empty(x.shape, dtype))
        peer = lambda: torch.cumsum(tx, -1, out=tout)  # noqa: E731
    return Work(
        kernel="cumsum",
        shape=f"{rows}x{columns}",
        dtype=dtype_name(dtype),
        amount=2 * out.nbytes,
        unit="GB/s",
        run=lambda: cumsum(x, out),
        result=out,
        reference=lambda: reference(x),
        torch=peer,
    )
