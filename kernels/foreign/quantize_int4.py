# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of four bits, two to a byte, with a scale and a zero point a group; unpacked in the loop of a product."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def matmul_int4(x, packed, scales, zeros, out, TM: ConstInt, TN: ConstInt, GROUP: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    columns = column * TN + ct.arange(TN, dtype=ct.int32)
    HALF = GROUP // 2
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for group in range(ct.cdiv(x.shape[1], GROUP)):
        both = ct.load(packed, (group, column), (HALF, TN), padding_mode=ct.PaddingMode.ZERO)
        low = (both & 0xF).astype(ct.float32)
        high = (both >> 4).astype(ct.float32)
        scale = ct.gather(scales, (group, columns)).astype(ct.float32)[None, :]
        zero = ct.gather(zeros, (group, columns)).astype(ct.float32)[None, :]
        w = ct.cat(((low - zero) * scale, (high - zero) * scale), axis=0).astype(x.dtype)
        tile = ct.load(x, (row, group), (TM, GROUP), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(tile, w, acc)
    ct.store(out, (row, column), acc.astype(out.dtype))


def pack(w, group):
    """Rows of a group: its first half in the low bits, its second half in the high ones."""
    k, n = w.shape
    parts = w.float().reshape(k // group, group, n)
    low, high = parts.amin(1), parts.amax(1)
    scale = ((high - low) / 15).clamp(min=1e-5)
    zero = (-low / scale).round().clamp(0, 15)
    q = ((parts / scale[:, None]) + zero[:, None]).round().clamp(0, 15).to(torch.uint8)
    bytes_ = q[:, : group // 2] | (q[:, group // 2 :] << 4)
    exact = (q.float() - zero[:, None]) * scale[:, None]
    return bytes_.reshape(k // 2, n).contiguous(), scale.half(), zero.half(), exact.reshape(k, n)


def check():
    torch.manual_seed(21)
    x = torch.randn(20, 128, device="cuda", dtype=torch.float16)
    w = torch.randn(128, 72, device="cuda", dtype=torch.float16)
    packed, scales, zeros, exact = pack(w, 32)
    out = torch.empty(20, 72, device="cuda", dtype=torch.float16)
    grid = (ct.cdiv(20, 16), ct.cdiv(72, 32))
    ct.launch(torch.cuda.current_stream(), grid, matmul_int4, (x, packed, scales, zeros, out, 16, 32, 32))
    yield "groups of 32", out, x.float() @ exact, 2e-2
