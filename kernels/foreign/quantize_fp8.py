# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fp8: blocks of 32 with a scale each, and a product that applies the scales in its loop."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def quantize_blocks(x, q, scales, BLOCK: ConstInt):
    row, block = ct.bid(0), ct.bid(1)
    values = ct.load(x, (row, block), (1, BLOCK), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    scale = ct.maximum(ct.max(ct.abs(values)), 1e-4) / 448.0
    ct.store(q, (row, block), ct.astype(values / scale, q.dtype))
    ct.scatter(scales, (row, block), scale)


@ct.kernel
def matmul_blockwise(a, b, a_scales, b_scales, c, TM: ConstInt, TN: ConstInt, BLOCK: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    rows = row * TM + ct.arange(TM, dtype=ct.int32)
    columns = column * TN + ct.arange(TN, dtype=ct.int32)
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], BLOCK)):
        left = ct.load(a, (row, k), (TM, BLOCK), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (column, k), (TN, BLOCK), padding_mode=ct.PaddingMode.ZERO)
        part = ct.mma(left, ct.transpose(right), ct.zeros((TM, TN), dtype=ct.float32))
        left_scale = ct.gather(a_scales, (rows, k))
        right_scale = ct.gather(b_scales, (columns, k))
        acc += part * left_scale[:, None] * right_scale[None, :]
    ct.store(c, (row, column), acc.astype(c.dtype))


@ct.kernel
def dequantize_matmul(x, w, w_scales, out, TM: ConstInt, TN: ConstInt, BLOCK: ConstInt):
    """Weights of fp8 become f16 in the loop."""
    row, column = ct.bid(0), ct.bid(1)
    columns = column * TN + ct.arange(TN, dtype=ct.int32)
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], BLOCK)):
        left = ct.load(x, (row, k), (TM, BLOCK), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(w, (column, k), (TN, BLOCK), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
        right = (right * ct.gather(w_scales, (columns, k))[:, None]).astype(x.dtype)
        acc = ct.mma(left, ct.transpose(right), acc)
    ct.store(out, (row, column), acc.astype(out.dtype))


def quantize(x, block, dtype=torch.float8_e4m3fn):
    rows, n = x.shape
    blocks = ct.cdiv(n, block)
    q = torch.empty(x.shape, device=x.device, dtype=dtype)
    scales = torch.empty(rows, blocks, device=x.device)
    ct.launch(torch.cuda.current_stream(), (rows, blocks), quantize_blocks, (x, q, scales, block))
    return q, scales


def expand(q, scales, block):
    return q.float() * scales.repeat_interleave(block, 1)[:, : q.shape[1]]


def check():
    torch.manual_seed(20)
    block = 32
    x = torch.randn(40, 96, device="cuda", dtype=torch.float16)
    w = torch.randn(50, 96, device="cuda", dtype=torch.float16)
    q, s = quantize(x, block)
    yield "blocks", expand(q, s, block), x.float(), 0.07
    qw, sw = quantize(w, block)
    grid = (ct.cdiv(40, 32), ct.cdiv(50, 32))
    out = torch.empty(40, 50, device="cuda", dtype=torch.float16)
    ct.launch(torch.cuda.current_stream(), grid, matmul_blockwise, (q, qw, s, sw, out, 32, 32, block))
    yield "both of fp8", out, expand(q, s, block) @ expand(qw, sw, block).T, 5e-3
    ct.launch(torch.cuda.current_stream(), grid, dequantize_matmul, (x, qw, sw, out, 32, 32, block))
    yield "weights of fp8", out, x.float() @ expand(qw, sw, block).T, 1e-2
