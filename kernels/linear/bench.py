# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.linear.kernel import linear
from kernels.linear.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def linear_work(rows, features, columns, dtype=np.float32) -> Work:
    """The amount is the bytes of the weight."""
    x, weight = normal((rows, columns), dtype), normal((features, columns), dtype, 1)
    out = empty((rows, features), dtype)
    peer = None
    if torch:
        tx, tweight, tout = tensor(x), tensor(weight), tensor(empty(out.shape, dtype))
        peer = lambda: torch.mm(tx, tweight.T, out=tout)  # noqa: E731
    return Work(
        kernel="linear",
        shape=f"{rows}x{features}x{columns}",
        dtype=dtype_name(dtype),
        amount=weight.nbytes,
        unit="GB/s",
        run=lambda: linear(x, weight, out),
        result=out,
        reference=lambda: reference(x, weight),
        torch=peer,
    )
