# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.head_linear.kernel import head_linear
from kernels.head_linear.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def head_linear_work(tokens, heads, columns, depth, dtype=np.float32) -> Work:
    """The key matrices of latent attention: each a transposed part of a larger one."""
    x = normal((tokens, heads, depth), dtype, 1)
    both = normal((heads, 2 * depth, columns), dtype, 2)
    weight, out = both[:, :depth].swapaxes(1, 2), empty((tokens, heads, columns), dtype)
    peer = None
    if torch:
        tx, tout = tensor(x).transpose(0, 1), tensor(empty(out.shape, dtype)).transpose(0, 1)
        tweight = tensor(both)[:, :depth]
        peer = lambda: torch.bmm(tx, tweight, out=tout)  # noqa: E731
    return Work(
        kernel="head_linear",
        shape=f"{tokens}x{heads}x{columns}x{depth}",
        dtype=dtype_name(dtype),
        amount=2.0 * tokens * heads * columns * depth,
        unit="GFLOP/s",
        run=lambda: head_linear(x, weight, out),
        result=out,
        reference=lambda: reference(x, weight),
        torch=peer,
    )
