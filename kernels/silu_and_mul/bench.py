# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.peer import tensor, torch
from kernels.silu_and_mul.kernel import silu_and_mul
from kernels.silu_and_mul.reference import reference
from kernels.work import Work, empty, memory_work, normal


def silu_and_mul_work(rows, columns, dtype=np.float32) -> Work:
    gate_up, out = normal((rows, 2 * columns), dtype), empty((rows, columns), dtype)
    peer = None
    if torch:
        gate, up = tensor(gate_up).chunk(2, dim=1)
        tout = tensor(empty(out.shape, dtype))
        peer = lambda: torch.mul(torch.nn.functional.silu(gate), up, out=tout)  # noqa: E731
    return memory_work(
        "silu_and_mul",
        gate_up,
        out,
        3 * out.nbytes,
        lambda: silu_and_mul(gate_up, out),
        lambda: reference(gate_up),
        peer,
    )
