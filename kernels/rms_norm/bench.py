# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.rms_norm.kernel import rms_norm
from kernels.rms_norm.reference import reference
from kernels.work import Work, empty, memory_work, normal

EPSILON = 1e-6


def rms_norm_work(rows, columns, dtype=np.float32) -> Work:
    x, weight, out = normal((rows, columns), dtype), normal(columns, dtype, 1), empty((rows, columns), dtype)
    peer = None
    if torch:
        tx, tweight = tensor(x), tensor(weight)
        peer = lambda: torch.nn.functional.rms_norm(tx, (columns,), tweight, EPSILON)  # noqa: E731
    return memory_work(
        "rms_norm",
        x,
        out,
        2 * out.nbytes,
        lambda: rms_norm(x, weight, out, epsilon=EPSILON),
        lambda: reference(x, weight, EPSILON),
        peer,
    )
