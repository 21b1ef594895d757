# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposing: a tile turned in registers, a load that turns, axes of higher rank."""

import cuda.tile as ct
import torch


@ct.kernel
def transpose_kernel(x, y, tm: ct.Constant[int], tn: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(j, i), tile=ct.transpose(ct.load(x, index=(i, j), shape=(tm, tn))))


@ct.kernel
def turned_load(x, y, tm: ct.Constant[int], tn: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(j, i), shape=(tn, tm), order=(1, 0))
    ct.store(y, index=(j, i), tile=tile)


@ct.kernel
def permute_kernel(x, y, a: ct.Constant[int], b: ct.Constant[int], c: ct.Constant[int]):
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    tile = ct.load(x, (i, j, k), (a, b, c))
    ct.store(y, (k, i, j), ct.permute(tile, (2, 0, 1)))


def check():
    stream = torch.cuda.current_stream()
    x = torch.arange(100 * 70, device="cuda", dtype=torch.int32).reshape(100, 70)
    for name, kernel in (("in registers", transpose_kernel), ("by the load", turned_load)):
        y = torch.zeros(70, 100, device="cuda", dtype=torch.int32)
        ct.launch(stream, (ct.cdiv(100, 32), ct.cdiv(70, 16)), kernel, (x, y, 32, 16))
        yield name, y, x.T, 0
    x = torch.randn(10, 20, 36, device="cuda")
    y = torch.zeros(36, 10, 20, device="cuda")
    grid = (ct.cdiv(10, 4), ct.cdiv(20, 8), ct.cdiv(36, 16))
    ct.launch(stream, grid, permute_kernel, (x, y, 4, 8, 16))
    yield "three axes", y, x.permute(2, 0, 1), 0
