# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that access rows by index, as most published ones do, beside their twins by tiles. A block works on one row;
bounds are checked."""

import functools

import numpy as np
import tilewright as ct

from bench.row import to_own
from kernels.work import empty, memory_work, normal

AGAINST, FLOOR = "the same by tiles", 0.9
ConstInt = ct.Constant[int]
EPSILON = 1e-5
ZERO, NEG_INF = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF


@ct.kernel
def copy_by_tile(x, out, TILE: ConstInt):
    ct.store(out, (ct.bid(0),), ct.load(x, (ct.bid(0),), (TILE,), padding_mode=ZERO))


@ct.kernel
def copy_by_index(x, out, TILE: ConstInt):
    at = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    ct.scatter(out, at, ct.gather(x, at))


@ct.kernel
def softmax_by_tile(x, out, TILE: ConstInt):
    row = ct.bid(0)
    values = ct.load(x, (row, 0), (1, TILE), padding_mode=NEG_INF)
    powers = ct.exp(values - ct.max(values, axis=1, keepdims=True))
    ct.store(out, (row, 0), powers / ct.sum(powers, axis=1, keepdims=True))


@ct.kernel
def softmax_by_index(x, out, TILE: ConstInt):
    row, columns = ct.bid(0), ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, (row, columns), padding_value=-float("inf"))
    powers = ct.exp(values - ct.max(values, axis=0, keepdims=True))
    ct.scatter(out, (row, columns), powers / ct.sum(powers, axis=0, keepdims=True))


@ct.kernel
def layer_norm_by_tile(x, weight, bias, out, TILE: ConstInt):
    row, columns = ct.bid(0), x.shape[1]
    values = ct.load(x, (row, 0), (1, TILE), padding_mode=ZERO)
    mean = ct.sum(values, axis=1, keepdims=True) / columns
    inside = ct.arange(TILE, dtype=ct.int32)[None, :] < columns
    distances = ct.where(inside, values - mean, 0.0)
    variance = ct.sum(distances * distances, axis=1, keepdims=True) / columns
    w, b = (ct.load(each, (0,), (TILE,), padding_mode=ZERO)[None, :] for each in (weight, bias))
    ct.store(out, (row, 0), distances * ct.rsqrt(variance + EPSILON) * w + b)


@ct.kernel
def layer_norm_by_index(x, weight, bias, out, TILE: ConstInt):
    row, columns = ct.bid(0), x.shape[1]
    at = ct.arange(TILE, dtype=ct.int32)
    values = ct.gather(x, (row, at))
    mean = ct.sum(values, axis=0, keepdims=True) / columns
    distances = ct.where(at < columns, values - mean, 0.0)
    variance = ct.sum(distances * distances, axis=0, keepdims=True) / columns
    w, b = ct.gather(weight, at), ct.gather(bias, at)
    ct.scatter(out, (row, at), distances * ct.rsqrt(variance + EPSILON) * w + b)


@ct.kernel
def rope_by_tile(x, cosine, sine, out, HALF: ConstInt):
    row = ct.bid(0)
    first, second = (ct.load(x, (row, half), (1, HALF)) for half in range(2))
    c, s = ct.load(cosine, (row, 0), (1, HALF)), ct.load(sine, (row, 0), (1, HALF))
    ct.store(out, (row, 0), first * c - second * s)
    ct.store(out, (row, 1), second * c + first * s)


@ct.kernel
def rope_by_index(x, cosine, sine, out, HALF: ConstInt):
    row, at = ct.bid(0), ct.arange(HALF, dtype=ct.int32)
    first, second = ct.gather(x, (row, at)), ct.gather(x, (row, at + HALF))
    c, s = ct.gather(cosine, (row, at)), ct.gather(sine, (row, at))
    ct.scatter(out, (row, at), first * c - second * s)
    ct.scatter(out, (row, at + HALF), second * c + first * s)


def work(kernel, grid, inputs, out, *constants):
    amount = out.nbytes + sum(each.nbytes for each in inputs)
    return memory_work(kernel.__name__, inputs[0], out, amount,
                       lambda: ct.launch(None, grid, kernel, (*inputs, out, *constants)), None, None)  # fmt: skip


def copy_work(kernel, size, tile):
    x = normal(size, np.float32)
    return work(kernel, (ct.cdiv(size, tile),), (x,), empty(size, np.float32), tile)


def rows_work(kernel, rows, columns, weights=0):
    x = normal((rows, columns), np.float32)
    inputs = (x, *(normal(columns, np.float32, seed=1 + i) for i in range(weights)))
    return work(kernel, (rows,), inputs, empty(x.shape, np.float32), 1 << (columns - 1).bit_length())


def rope_work(kernel, rows, columns):
    x = normal((rows, columns), np.float32)
    angles = [normal((rows, columns // 2), np.float32, seed=1 + i) for i in range(2)]
    return work(kernel, (rows,), (x, *angles), empty(x.shape, np.float32), columns // 2)


def indexed_rows():
    def pair(name, make, by_index, by_tile, *arguments):
        ours, twin = (functools.partial(make, kernel, *arguments) for kernel in (by_index, by_tile))
        return to_own(f"{name} by index", ours, twin, FLOOR, AGAINST)

    for tile in (64, 256, 1024, 4096, 16384):
        yield pair(f"copy f32 2^24, tiles of {tile},", copy_work, copy_by_index, copy_by_tile, 1 << 24, tile)
    for rows, columns in ((16384, 1024), (4096, 4096), (4096, 4000), (65536, 200)):
        shape = f"f32 {rows}x{columns}"
        yield pair(f"softmax {shape}", rows_work, softmax_by_index, softmax_by_tile, rows, columns)
        yield pair(f"LayerNorm {shape}", rows_work, layer_norm_by_index, layer_norm_by_tile, rows, columns, 2)
    for rows, columns in ((65536, 128), (4096, 4096)):
        yield pair(f"RoPE f32 {rows}x{columns}", rope_work, rope_by_index, rope_by_tile, rows, columns)
