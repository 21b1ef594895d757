# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.layer_norm.kernel import layer_norm
from kernels.layer_norm.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, empty, memory_work, normal

EPSILON = 1e-5


def layer_norm_work(rows, columns, dtype=np.float32) -> Work:
    x, out = normal((rows, columns), dtype), empty((rows, columns), dtype)
    weight, bias = normal(columns, dtype, 1), normal(columns, dtype, 2)
    peer = None
    if torch:
        tx, tweight, tbias = tensor(x), tensor(weight), tensor(bias)
        peer = lambda: torch.nn.functional.layer_norm(tx, (columns,), tweight, tbias, EPSILON)  # noqa: E731
    return memory_work(
        "layer_norm",
        x,
        out,
        2 * out.nbytes,
        lambda: layer_norm(x, weight, bias, out, epsilon=EPSILON),
        lambda: reference(x, weight, bias, EPSILON),
        peer,
    )
