# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from ml_dtypes import bfloat16

from kernels.peer import tensor, torch
from kernels.quantized_linear.kernel import int4_linear, int8_linear
from kernels.quantized_linear.reference import int4_reference, int8_reference
from kernels.work import Work, dtype_name, empty, integers, normal


def work(name, x, out, run, reference) -> Work:
    """The amount is the bytes of a dense weight of x's type, with which PyTorch's side multiplies, so that rates
    compare with those of `linear`."""
    (rows, columns), features, peer = x.shape, out.shape[1], None
    if torch:
        tx, tout = tensor(x), tensor(empty(out.shape, out.dtype))
        dense = tensor(normal((features, columns), x.dtype, 2))
        peer = lambda: torch.mm(tx, dense.T, out=tout)  # noqa: E731
    shape = f"{rows}x{features}x{columns}"
    amount = features * columns * x.itemsize
    return Work(name, shape, dtype_name(x.dtype), amount, "GB/s", run, out, reference, peer)


def int8_work(rows, features, columns, dtype=bfloat16) -> Work:
    x, out = normal((rows, columns), dtype), empty((rows, features), dtype)
    weight, scales = integers((features, columns), np.int8, 1), normal(features, np.float32, 2)
    run = lambda: int8_linear(x, weight, scales, out)  # noqa: E731
    return work("int8_linear", x, out, run, lambda: int8_reference(x, weight, scales))


def int4_work(rows, features, columns, dtype=bfloat16, group=128) -> Work:
    x, out = normal((rows, columns), dtype), empty((rows, features), dtype)
    weight = integers((features, columns // 2), np.uint8, 1)
    scales = normal((features, columns // group), np.float32, 2)
    run = lambda: int4_linear(x, weight, scales, out, group=group)  # noqa: E731
    return work("int4_linear", x, out, run, lambda: int4_reference(x, weight, scales, group))
