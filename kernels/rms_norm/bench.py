# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.rms_norm.kernel import add_rms_norm, rms_norm
from kernels.rms_norm.reference import add_reference, reference
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


def add_rms_norm_work(rows, columns, dtype=np.float32) -> Work:
    """Each run adds x once more."""
    x, weight, out = normal((rows, columns), dtype), normal(columns, dtype, 1), empty((rows, columns), dtype)
    residual = normal(x.shape, dtype, 2)
    before, peer = residual.copy(), None
    if torch:
        tx, tresidual, tweight = tensor(x), tensor(residual.copy()), tensor(weight)

        def peer():
            tresidual.add_(tx)
            torch.nn.functional.rms_norm(tresidual, (columns,), tweight, EPSILON)

    return memory_work(
        "add_rms_norm",
        x,
        out,
        4 * out.nbytes,
        lambda: add_rms_norm(x, residual, weight, out, epsilon=EPSILON),
        lambda: add_reference(x, before, weight, EPSILON)[1],
        peer,
    )
