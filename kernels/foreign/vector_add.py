# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of vectors, three ways: tiles, gathered elements, and a grid that strides over tiles."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def add_tiles(x, y, out, TILE: ConstInt):
    block = ct.bid(0)
    total = ct.load(x, index=(block,), shape=(TILE,)) + ct.load(y, index=(block,), shape=(TILE,))
    ct.store(out, index=(block,), tile=total)


@ct.kernel
def add_elements(x, y, out, TILE: ConstInt):
    offsets = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(out, offsets, ct.gather(x, offsets) + ct.gather(y, offsets))


@ct.kernel(occupancy=2)
def add_strided(x, y, out, alpha: float, TILE: ConstInt):
    step = ct.num_blocks(0)
    for tile in range(ct.bid(0), ct.num_tiles(x, axis=0, shape=(TILE,)), step):
        left = ct.load(x, (tile,), (TILE,), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(y, (tile,), (TILE,), padding_mode=ct.PaddingMode.ZERO)
        ct.store(out, (tile,), left + alpha * right)


@ct.kernel
def add_matrices(x, y, out, ROWS: ConstInt, COLUMNS: ConstInt):
    where = (ct.bid(0), ct.bid(1))
    total = ct.load(x, where, (ROWS, COLUMNS)) + ct.load(y, where, (ROWS, COLUMNS))
    ct.store(out, where, total)


def next_power_of_two(n):
    return 1 << (n - 1).bit_length()


def check():
    torch.manual_seed(0)
    stream = torch.cuda.current_stream()
    for n in (1024, 777):
        x, y = (torch.randn(n, device="cuda") for _ in range(2))
        out = torch.empty_like(x)
        tile = min(256, next_power_of_two(n))
        ct.launch(stream, (ct.cdiv(n, tile), 1, 1), add_tiles, (x, y, out, tile))
        yield f"tiles of {n}", out, x + y, 0
        out.zero_()
        ct.launch(stream, (ct.cdiv(n, tile),), add_elements, (x, y, out, tile))
        yield f"elements of {n}", out, x + y, 0
        out.zero_()
        ct.launch(stream, (2,), add_strided, (x, y, out, 0.5, tile))
        yield f"strided grid over {n}", out, torch.add(x, y, alpha=0.5), 1e-6
    x, y = (torch.randn(65, 130, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    ct.launch(stream, (ct.cdiv(65, 16), ct.cdiv(130, 64)), add_matrices, (x, y, out, 16, 64))
    yield "matrices of f16", out, x + y, 1e-3
