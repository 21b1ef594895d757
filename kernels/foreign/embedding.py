# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of a table by token, their gradient by atomic additions, and a table that is updated in place."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def look_up(tokens, table, out, TM: ConstInt, TN: ConstInt):
    rows = ct.bid(0) * TM + ct.arange(TM, dtype=ct.int32)
    columns = ct.bid(1) * TN + ct.arange(TN, dtype=ct.int32)
    token = ct.gather(tokens, rows, padding_value=-1)
    values = ct.gather(table, (token[:, None], columns[None, :]), padding_value=0)
    ct.scatter(out, (rows[:, None], columns[None, :]), values)


@ct.kernel
def add_rows(tokens, gradient, out, TN: ConstInt):
    row = ct.bid(0)
    columns = ct.bid(1) * TN + ct.arange(TN, dtype=ct.int32)
    token = ct.load(tokens, index=(row,), shape=(1,)).item()
    values = ct.gather(gradient, (row, columns))
    ct.atomic_add(out, (token, columns), values, memory_order=ct.MemoryOrder.RELAXED)


@ct.kernel
def adam_step(
    weight, new_weight, gradient, first, second, rate: float, b1: float, b2: float, eps: float, TILE: ConstInt
):
    block = ct.bid(0)
    g = ct.load(gradient, (block,), (TILE,), padding_mode=ct.PaddingMode.ZERO)
    m = ct.load(first, (block,), (TILE,), padding_mode=ct.PaddingMode.ZERO) * b1 + g * (1 - b1)
    v = ct.load(second, (block,), (TILE,), padding_mode=ct.PaddingMode.ZERO) * b2 + g * g * (1 - b2)
    ct.store(first, (block,), m)
    ct.store(second, (block,), v)
    w = ct.load(weight, (block,), (TILE,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(new_weight, (block,), w - rate * m / (ct.sqrt(v) + eps))


def check():
    torch.manual_seed(26)
    stream = torch.cuda.current_stream()
    table = torch.randn(50, 70, device="cuda")
    tokens = torch.randint(0, 50, (33,), device="cuda", dtype=torch.int32)
    out = torch.empty(33, 70, device="cuda")
    ct.launch(stream, (ct.cdiv(33, 8), ct.cdiv(70, 32)), look_up, (tokens, table, out, 8, 32))
    yield "rows", out, table[tokens.long()], 0
    gradient = torch.randn(33, 70, device="cuda")
    summed = torch.zeros_like(table)
    ct.launch(stream, (33, ct.cdiv(70, 32)), add_rows, (tokens, gradient, summed, 32))
    yield "gradient", summed, torch.zeros_like(table).index_add_(0, tokens.long(), gradient), 1e-5

    weight, first, second = (
        torch.randn(300, device="cuda"),
        torch.zeros(300, device="cuda"),
        torch.rand(300, device="cuda"),
    )
    gradient = torch.randn(300, device="cuda")
    m, v = gradient * 0.1, second * 0.99 + gradient * gradient * 0.01
    expected = weight - 0.01 * m / (v.sqrt() + 1e-8)
    arguments = (weight, weight, gradient, first, second, 0.01, 0.9, 0.99, 1e-8, 64)
    ct.launch(stream, (ct.cdiv(300, 64),), adam_step, arguments)
    yield "step, weights", weight, expected, 1e-5
    yield "step, second moment", second, v, 1e-5
