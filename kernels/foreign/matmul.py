# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices: a block per tile in an order that shares operands, and blocks that stay."""

from math import ceil

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


def swizzled(tiles_m, tiles_n, block, group):
    """The tile of a block when blocks go down `group` rows of tiles before they go right."""
    in_group = group * tiles_n
    first_row = block // in_group * group
    rows = min(tiles_m - first_row, group)
    return first_row + block % in_group % rows, block % in_group // rows


@ct.kernel(num_ctas=ct.ByTarget(sm_100=2, default=1))
def matmul_kernel(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    row, column = swizzled(ct.cdiv(A.shape[0], tm), ct.cdiv(B.shape[1], tn), ct.bid(0), 4)
    accumulator = ct.full((tm, tn), 0, dtype=ct.float32)
    dtype = ct.tfloat32 if A.dtype == ct.float32 else A.dtype
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        a = ct.load(A, index=(row, k), shape=(tm, tk), padding_mode=ct.PaddingMode.ZERO).astype(dtype)
        b = ct.load(B, index=(k, column), shape=(tk, tn), padding_mode=ct.PaddingMode.ZERO).astype(dtype)
        accumulator = ct.mma(a, b, accumulator)
    ct.store(C, index=(row, column), tile=ct.astype(accumulator, C.dtype))


@ct.kernel
def persistent_kernel(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt, transposed: ct.Constant[bool]):
    tiles_m = ct.cdiv(C.shape[0], tm)
    tiles_n = ct.cdiv(C.shape[1], tn)
    k_tiles = ct.cdiv(A.shape[1], tk)
    zero = ct.PaddingMode.ZERO
    for tile in range(ct.bid(0), tiles_m * tiles_n, ct.num_blocks(0)):
        row, column = swizzled(tiles_m, tiles_n, tile, 2)
        accumulator = ct.zeros((tm, tn), dtype=ct.float32)
        for k in range(k_tiles):
            a = ct.load(A, (row, k), (tm, tk), padding_mode=zero)
            if transposed:
                b = ct.load(B, (k, column), (tk, tn), order=(1, 0), padding_mode=zero)
            else:
                b = ct.load(B, (k, column), (tk, tn), padding_mode=zero)
            accumulator = ct.mma(a, b, acc=accumulator)
        ct.store(C, (row, column), accumulator.astype(C.dtype))


def matmul(A, B, tm=32, tn=64, tk=32):
    C = torch.empty((A.shape[0], B.shape[1]), device=A.device, dtype=A.dtype)
    grid = (ceil(A.shape[0] / tm) * ceil(B.shape[1] / tn), 1, 1)
    ct.launch(torch.cuda.current_stream(), grid, matmul_kernel, (A, B, C, tm, tn, tk))
    return C


def persistent_matmul(A, B, transposed=False):
    n = B.shape[0] if transposed else B.shape[1]
    C = torch.empty((A.shape[0], n), device=A.device, dtype=A.dtype)
    sms = torch.cuda.get_device_properties("cuda").multi_processor_count
    tiles = ceil(A.shape[0] / 32) * ceil(n / 32)
    arguments = (A, B, C, 32, 32, 32, transposed)
    ct.launch(torch.cuda.current_stream(), (min(sms, tiles),), persistent_kernel, arguments)
    return C


def check():
    torch.manual_seed(0)
    for dtype, tolerance in ((torch.float16, 1e-2), (torch.bfloat16, 5e-2), (torch.float32, 2e-2)):
        A = torch.randn(150, 96, device="cuda", dtype=dtype)
        B = torch.randn(96, 130, device="cuda", dtype=dtype)
        yield f"swizzled, {dtype}", matmul(A, B), A @ B, tolerance
    A = torch.randn(100, 70, device="cuda", dtype=torch.float16)
    B = torch.randn(70, 72, device="cuda", dtype=torch.float16)
    yield "persistent", persistent_matmul(A, B), A @ B, 1e-2
    yield "persistent, B transposed", persistent_matmul(A, B.T.contiguous(), True), A @ B, 1e-2
