# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax of rows: a row in a tile by gathers, by tile loads, and in pieces with a running maximum."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel(occupancy=4)
def by_gather(output, input, n_rows: ConstInt, TILE: ConstInt, n_cols: ConstInt):
    columns = ct.arange(TILE, dtype=ct.int32)
    for row in range(ct.bid(0), n_rows, ct.num_blocks(0)):
        values = ct.gather(input, (row, columns), check_bounds=True, padding_value=float("-inf"))
        values = ct.astype(values, ct.float32)
        numerator = ct.exp(values - ct.max(values, axis=0, keepdims=True))
        ct.scatter(output, (row, columns), ct.astype(numerator / ct.sum(numerator, axis=0), output.dtype))


@ct.kernel
def by_tile(output, input, TILE: ConstInt):
    row = ct.bid(0)
    values = ct.load(input, (row, 0), (1, TILE), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
    values = values - ct.max(values, axis=1, keepdims=True)
    powers = ct.exp(values)
    ct.store(output, (row, 0), ct.truediv(powers, ct.sum(powers, axis=1, keepdims=True)).astype(output.dtype))


@ct.kernel
def in_pieces(output, input, TILE: ConstInt):
    row = ct.bid(0)
    largest = ct.full((1, 1), -float("inf"), dtype=ct.float32)
    total = ct.zeros((1, 1), ct.float32)
    pieces = ct.num_tiles(input, axis=1, shape=(1, TILE))
    for i in range(pieces):
        values = ct.load(input, (row, i), (1, TILE), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        larger = ct.maximum(largest, ct.max(values, axis=1, keepdims=True))
        total = total * ct.exp(largest - larger) + ct.sum(ct.exp(values - larger), axis=1, keepdims=True)
        largest = larger
    for i in range(pieces):
        values = ct.load(input, (row, i), (1, TILE), padding_mode=ct.PaddingMode.NEG_INF).astype(ct.float32)
        ct.store(output, (row, i), ct.astype(ct.exp(values - largest) / total, output.dtype))


def next_power_of_two(n):
    return 1 << (n - 1).bit_length()


def check():
    torch.manual_seed(2)
    stream = torch.cuda.current_stream()
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float16, 1e-3)):
        x = torch.randn(37, 200, device="cuda", dtype=dtype) * 4
        expected = torch.softmax(x.float(), -1).to(dtype)
        tile = next_power_of_two(200)
        y = torch.empty_like(x)
        ct.launch(stream, (8, 1, 1), by_gather, (y, x, 37, tile, 200))
        yield f"gathers, {dtype}", y, expected, tolerance
        y = torch.empty_like(x)
        ct.launch(stream, (37,), by_tile, (y, x, tile))
        yield f"tiles, {dtype}", y, expected, tolerance
        y = torch.empty_like(x)
        ct.launch(stream, (37,), in_pieces, (y, x, 64))
        yield f"pieces, {dtype}", y, expected, tolerance
