# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""int8: rows quantized by their largest element, and a product of bytes that rescales its sums."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def quantize_rows(x, q, scales, TILE: ConstInt):
    row = ct.bid(0)
    values = ct.load(x, (row, 0), (1, TILE), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    scale = ct.maximum(ct.max(ct.abs(values), axis=1, keepdims=True), 1e-12) / 127.0
    scaled = values / scale
    rounded = ct.floor(ct.abs(scaled) + 0.5)
    signed = ct.where(scaled < 0, -rounded, rounded)
    ct.store(q, (row, 0), ct.astype(ct.minimum(ct.maximum(signed, -127.0), 127.0), ct.int8))
    ct.store(scales, (row,), scale.reshape((1,)))


@ct.kernel
def matmul_int8(a, b, a_scales, b_scales, bias, c, TM: ConstInt, TN: ConstInt, TK: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), dtype=ct.int32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        left = ct.load(a, (row, k), (TM, TK), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (k, column), (TK, TN), order=(1, 0), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(left, right, acc)
    rows = ct.load(a_scales, (row,), (TM,), padding_mode=ct.PaddingMode.ZERO)
    columns = ct.load(b_scales, (column,), (TN,), padding_mode=ct.PaddingMode.ZERO)
    add = ct.load(bias, (column,), (TN,), padding_mode=ct.PaddingMode.ZERO).astype(ct.float32)
    result = acc.astype(ct.float32) * rows[:, None] * columns[None, :] + add
    ct.store(c, (row, column), result.astype(c.dtype))


def quantize(x):
    q = torch.empty(x.shape, device=x.device, dtype=torch.int8)
    scales = torch.empty(x.shape[0], device=x.device)
    tile = 1 << (x.shape[1] - 1).bit_length()
    ct.launch(torch.cuda.current_stream(), (x.shape[0],), quantize_rows, (x, q, scales, tile))
    return q, scales


def check():
    torch.manual_seed(19)
    x = torch.randn(70, 100, device="cuda", dtype=torch.float16)
    w = torch.randn(90, 100, device="cuda", dtype=torch.float16)
    bias = torch.randn(90, device="cuda", dtype=torch.float16)
    q, s = quantize(x)
    expected = x.float().abs().amax(1) / 127
    yield "scales", s, expected, 1e-6
    yield "rows", q.float() * s[:, None], x.float(), float(expected.max())
    qw, sw = quantize(w)
    out = torch.empty(70, 90, device="cuda", dtype=torch.float16)
    # The weight stays as it is stored, a row an output: the load turns it.
    arguments = (q, qw, s, sw, bias, out, 32, 32, 32)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(70, 32), ct.cdiv(90, 32)), matmul_int8, arguments)
    exact = (q.double() @ qw.double().T) * s[:, None] * sw[None, :] + bias
    yield "product", out, exact, 1e-3
    yield "against f16", out, x.float() @ w.float().T + bias, 0.3
