# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices of different sizes in one launch: lists of arrays, blocks that stay and walk over all tiles."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def grouped_gemm_kernel(As, Bs, Cs, TM: ConstInt, TN: ConstInt, TK: ConstInt, SMS: ConstInt, NT: ct.Constant[bool]):
    tile = ct.bid(0)
    done = 0
    for g in range(len(As)):
        A, B, C = As[g], Bs[g], Cs[g]
        m, k = A.shape[0], A.shape[1]
        n = C.shape[1]
        tiles_n = ct.cdiv(n, TN)
        tiles = ct.cdiv(m, TM) * tiles_n
        while tile >= done and tile < done + tiles:
            row, column = (tile - done) // tiles_n, (tile - done) % tiles_n
            acc = ct.zeros((TM, TN), dtype=ct.float32)
            for kk in range(ct.cdiv(k, TK)):
                a = ct.load(A, (row, kk), (TM, TK), padding_mode=ct.PaddingMode.ZERO)
                if NT:
                    b = ct.load(B, (column, kk), (TN, TK), padding_mode=ct.PaddingMode.ZERO)
                    acc = ct.mma(a, ct.transpose(b), acc)
                else:
                    b = ct.load(B, (kk, column), (TK, TN), padding_mode=ct.PaddingMode.ZERO)
                    acc = ct.mma(a, b, acc)
            ct.store(C, (row, column), acc.astype(C.dtype))
            tile += SMS
        done += tiles


def grouped_gemm(As, Bs, nt=False):
    Cs = [torch.empty(A.shape[0], B.shape[0 if nt else 1], device=A.device, dtype=A.dtype)
          for A, B in zip(As, Bs, strict=True)]  # fmt: skip
    arguments = (As, Bs, Cs, 32, 32, 32, 3, nt)
    ct.launch(torch.cuda.current_stream(), (3,), grouped_gemm_kernel, arguments)
    return Cs


def check():
    torch.manual_seed(14)
    sizes = [(64, 64, 32), (40, 100, 48), (16, 32, 128), (100, 24, 8)]
    for dtype, tolerance in ((torch.float16, 1e-2), (torch.bfloat16, 5e-2)):
        As = [torch.randn(m, k, device="cuda").to(dtype) for m, n, k in sizes]
        Bs = [torch.randn(k, n, device="cuda").to(dtype) for m, n, k in sizes]
        for i, C in enumerate(grouped_gemm(As, Bs)):
            yield f"{dtype}, matrix {i}", C, As[i].float() @ Bs[i].float(), tolerance
        for i, C in enumerate(grouped_gemm(As, [B.T.contiguous() for B in Bs], nt=True)):
            yield f"{dtype}, B transposed, matrix {i}", C, As[i].float() @ Bs[i].float(), tolerance
