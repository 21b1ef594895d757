# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.rms_norm.kernel import rms_norm
from kernels.rms_norm.reference import reference
from kernels.work import Work, dtype_name, empty, normal

EPSILON = 1e-6


def rms_norm_work(rows, columns, dtype=np.float32) -> Work:
    x, weight, out = normal((rows, columns), dtype), normal(columns, dtype, 1), empty((rows, columns), dtype)
    peer = None
    if torch:
        tx, tweight = tensor(x), tensor(weight)
        peer = lambda: torch.nn.functional.rms_norm(tx, (columns,), tweight, EPSILON)  # noqa: E731
    return Work(
        kernel="rms_norm",
        shape=f"{rows}x{columns}",
        dtype=dtype_name(dtype),
        amount=2 * out.nbytes,
        unit="GB/s",
        run=lambda: rms_norm(x, weight, out, epsilon=EPSILON),
        result=out,
        reference=lambda: reference(x, weight, EPSILON),
        torch=peer,
    )
