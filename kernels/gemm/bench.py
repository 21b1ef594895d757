# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.gemm.kernel import gemm
from kernels.gemm.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, dtype_name, empty, normal, numbers


def gemm_work(
    rows,
    columns,
    depth,
    dtype=np.float32,
    *,
    transposed_a=False,
    transposed_b=False,
    epilogue=False,
    tile=None,
) -> Work:
    """`epilogue` adds a bias and applies SiLU. PyTorch's side is always the plain product into memory that exists, of
    operands that lie the same way."""
    integers = np.dtype(dtype).kind in "iu"
    a = numbers((depth, rows) if transposed_a else (rows, depth), dtype, 1)
    b = numbers((columns, depth) if transposed_b else (depth, columns), dtype, 2)
    out = empty((rows, columns), np.int32 if integers else dtype)
    bias = normal(columns, np.float32, 3) if epilogue else None
    flags = dict(bias=bias, silu=epilogue, transposed_a=transposed_a, transposed_b=transposed_b)
    peer = None
    if torch and not integers:  # its torch.mm has no int32 result of int8
        ta, tb, tout = tensor(a), tensor(b), tensor(empty(out.shape, out.dtype))
        ta, tb = ta.T if transposed_a else ta, tb.T if transposed_b else tb
        peer = lambda: torch.mm(ta, tb, out=tout)  # noqa: E731
    return Work(
        kernel="gemm",
        shape=f"{rows}x{columns}x{depth}",
        dtype=dtype_name(dtype),
        amount=2.0 * rows * columns * depth,
        unit="GOP/s" if integers else "GFLOP/s",
        run=lambda: gemm(a, b, out, tile=tile, **flags),
        result=out,
        reference=lambda: reference(a, b, **flags),
        torch=peer,
    )
