# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from ml_dtypes import float8_e4m3fn

from kernels.block_scaled_linear.kernel import BLOCK, block_scaled_linear
from kernels.block_scaled_linear.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal


def weight_and_scales(features, columns):
    """f8E4M3 and positive scales."""
    weight = empty((features, columns), float8_e4m3fn)
    weight[...] = normal((features, columns), np.float32, 1, 30.0)
    blocks = (-(-features // BLOCK), -(-columns // BLOCK))
    return weight, np.abs(normal(blocks, np.float32, 2, 0.01)) + np.float32(0.001)


def block_scaled_linear_work(rows, features, columns, dtype=np.float32) -> Work:
    """The amount is the bytes of the weight. PyTorch's side is a dense product of x's type."""
    x, out = normal((rows, columns), dtype), empty((rows, features), dtype)
    weight, scales = weight_and_scales(features, columns)
    peer = None
    if torch:
        tx, tweight, tout = tensor(x), tensor(normal((features, columns), dtype, 1)), tensor(empty(out.shape, dtype))
        peer = lambda: torch.mm(tx, tweight.T, out=tout)  # noqa: E731
    return Work(
        kernel="block_scaled_linear",
        shape=f"{rows}x{features}x{columns}",
        dtype=dtype_name(dtype),
        amount=weight.nbytes,
        unit="GB/s",
        run=lambda: block_scaled_linear(x, weight, scales, out),
        result=out,
        reference=lambda: reference(x, weight, scales),
        torch=peer,
    )
