# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with weights [matrices, N, K] of each form: single rows by threads that read words of the weight and add
their sums, more rows by tiles.

In a product of choices a row of x takes the matrix of its choice, or a tile of rows that of its owner (mixture.py).
"""

from functools import cache

import warp as wp

from . import forms
from .arrays import (
    F32,
    WORDS,
    ceil_div,
    describe_words,
    kernel,
    launch_blocks,
    layout,
    name_of,
    type_of,
    word_size,
)
from .fp8 import quantize

FEATURES = 4  # of a block of the product with a row, which reads x once for them
ROW_THREADS = 128
FEW = 16  # rows of the smallest tile


@cache
def row_kernel(x_type, form, word, out_type, choices):
    """choices: 0 for a product with the matrix 0, else how many successive rows of out take the same row of x."""
    word_type, count = WORDS[word], 8 * word // form.bits
    mask = word_type((1 << form.bits) - 1)
    decode, bits, scaled, both = form.decode, form.bits, form.rows > 0, form == forms.FP8
    block_rows, block_columns = form.rows, form.columns or 1 << 30
    Values, Sums = wp.types.vector(count, F32), wp.types.vector(FEATURES, F32)

    @kernel
    def product_with_row(
        x: wp.array2d(dtype=x_type),
        x_scales: wp.array2d(dtype=F32),
        weight: wp.array3d(dtype=word_type),
        scales: wp.array3d(dtype=F32),
        ids: wp.array(dtype=wp.int32),
        out: wp.array2d(dtype=out_type),
    ):
        row, block, lane = wp.tid()
        matrix, x_row = wp.int32(0), wp.int32(0)
        if wp.static(choices > 0):
            matrix = ids[row]
            x_row = row // wp.static(max(choices, 1))
        last = weight.shape[1] - 1
        sums = Sums()
        for place in range(lane, weight.shape[2], wp.block_dim()):
            column = place * count
            values = Values()
            for i in range(count):
                values[i] = F32(x[x_row, column + i])
            for f in range(FEATURES):
                feature = wp.min(block * FEATURES + f, last)
                word = weight[matrix, feature, place]
                part = F32(0.0)
                for i in range(count):
                    part += decode(wp.uint32((word >> word_type(i * bits)) & mask)) * values[i]
                if wp.static(scaled):
                    part *= scales[matrix, feature // block_rows, column // block_columns]
                if wp.static(both):
                    part *= x_scales[x_row, column // block_columns]
                sums[f] += part
        for f in range(FEATURES):
            total = wp.tile_sum(wp.tile(sums[f]))[0]
            if lane == 0 and block * FEATURES + f <= last:
                out[row, block * FEATURES + f] = out_type(total)

    return product_with_row


def product_of_rows(x, weight, scales, ids, out, form, choices=0, x_scales=None):
    """Rows of out one by one; scales [matrices, blocks of N, blocks of K]."""
    word = word_size(weight)
    while form.columns and 8 * word // form.bits > form.columns:
        word //= 2
    run = row_kernel(type_of(x), form, word, type_of(out), choices)
    grid = len(out), ceil_div(out.shape[1], FEATURES)
    launch_blocks(run, grid, ROW_THREADS, x, x_scales, describe_words(weight, word), scales, ids, out)


@cache
def tiles_kernel(dtype, out_type, tile, turned, choices):
    """A block per tile of out, each matrix with an x of its own, or x with the owners of its tiles of rows. A turned
    weight comes as [matrices, K, N]."""
    rows, features, columns = tile

    @kernel
    def product_of_tiles(
        x: wp.array3d(dtype=dtype),
        weight: wp.array3d(dtype=dtype),
        owners: wp.array(dtype=wp.int32),
        out: wp.array3d(dtype=out_type),
    ):
        part, m, n = wp.tid()
        matrix = part
        if wp.static(choices):
            matrix = owners[m]
            if matrix < 0:
                return
        sums = wp.tile_zeros(shape=(rows, features), dtype=F32, storage="shared")
        for k in range(0, x.shape[2], columns):
            a = wp.tile_load(x[part], shape=(rows, columns), offset=(m * rows, k), storage="shared")
            if wp.static(turned):
                b = wp.tile_load(weight[matrix], shape=(columns, features), offset=(k, n * features), storage="shared")
                wp.tile_matmul(a, b, sums)
            else:
                w = wp.tile_load(weight[matrix], shape=(features, columns), offset=(n * features, k), storage="shared")
                wp.tile_matmul(a, wp.tile_transpose(w), sums)
        wp.tile_store(out[part], wp.tile_astype(sums, dtype=out_type), offset=(m * rows, n * features))

    return product_of_tiles


@cache
def scaled_tiles_kernel(dtype, out_type, form, tile, choices):
    """As tiles_kernel, for weights of 8 bits and pairs of 4. Each step of the columns has a sum of its own, which is
    scaled. The second x has the odd columns, for the high halves of bytes; else it is not read."""
    rows, features, columns = tile
    decode, block_rows, both, paired = form.decode, form.rows, form == forms.FP8, form.bits == 4
    places = columns // 2 if paired else columns
    block_columns = form.columns or 1 << 30
    mask = wp.uint32((1 << form.bits) - 1)

    @wp.func
    def low(bits: wp.uint8):
        return dtype(decode(wp.uint32(bits) & mask))

    @wp.func
    def high(bits: wp.uint8):
        return dtype(decode(wp.uint32(bits) >> wp.uint32(4)))

    @kernel
    def product_of_scaled_tiles(
        x: wp.array2d(dtype=dtype),
        odd: wp.array2d(dtype=dtype),
        x_scales: wp.array2d(dtype=F32),
        weight: wp.array3d(dtype=wp.uint8),
        scales: wp.array3d(dtype=F32),
        owners: wp.array(dtype=wp.int32),
        out: wp.array2d(dtype=out_type),
    ):
        m, n = wp.tid()
        matrix = wp.int32(0)
        if wp.static(choices):
            matrix = owners[m]
            if matrix < 0:
                return
        row, feature = m * rows, n * features
        sums = wp.tile_zeros(shape=(rows, features), dtype=F32, storage="shared")
        part = wp.tile_zeros(shape=(rows, features), dtype=F32, storage="shared")
        for k in range(0, weight.shape[2], places):
            w = wp.tile_load(weight[matrix], shape=(features, places), offset=(feature, k), storage="shared")
            a = wp.tile_load(x, shape=(rows, places), offset=(row, k), storage="shared")
            wp.tile_matmul(a, wp.tile_transpose(wp.tile_map(low, w)), part, beta=0.0)
            if wp.static(paired):
                c = wp.tile_load(odd, shape=(rows, places), offset=(row, k), storage="shared")
                wp.tile_matmul(c, wp.tile_transpose(wp.tile_map(high, w)), part)
            block = k * wp.static(columns // places) // block_columns
            if wp.static(both):
                of_rows = wp.tile_load(x_scales, shape=(rows, 1), offset=(row, block), storage="shared")
                factors = wp.tile_broadcast(
                    of_rows * scales[matrix, feature // block_rows, block], shape=(rows, features)
                )
                sums += wp.tile_map(wp.mul, part, factors)
            else:
                of_features = wp.tile_load(
                    scales[matrix], shape=(features, 1), offset=(feature, block), storage="shared"
                )
                factors = wp.tile_broadcast(wp.tile_transpose(of_features), shape=(rows, features))
                sums += wp.tile_map(wp.mul, part, factors)
        wp.tile_store(out, wp.tile_astype(sums, dtype=out_type), offset=(row, feature))

    return product_of_scaled_tiles


def tile_of(rows, itemsize):
    """(rows, features, columns) of a tile, and the threads of its block."""
    if rows <= FEW:
        return (FEW, 64, 256 // itemsize), 128
    return (64, 64, 128 // itemsize), 128


def product_of_tiles(x, weight, owners, out, height=None):
    """x [X, M, K], weight [matrices, N, K] and out [X, M, N], in the type of x."""
    size, threads = tile_of(height or x.shape[1], 4 if name_of(x) == "float32" else 2)
    turned = layout_is_turned(weight)
    grid = len(x), ceil_div(out.shape[1], size[0]), ceil_div(out.shape[2], size[1])
    run = tiles_kernel(type_of(x), type_of(out), size, turned, owners is not None)
    launch_blocks(run, grid, threads, x, weight.swapaxes(1, 2) if turned else weight, owners, out)


def layout_is_turned(weight):
    """Whether successive rows, and not columns, are neighbors in memory."""
    _, _, strides, size = layout(weight)
    return strides[1] == size and strides[2] != size


def product_of_scaled_tiles(x, weight, scales, owners, out, form, x_scales=None, height=None):
    size, threads = tile_of(height or len(x), 2)
    size = *size[:2], form.columns or 128
    dtype = type_of(x)
    even, odd = (x[:, 0::2], x[:, 1::2]) if form.bits == 4 else (x, None)
    grid = ceil_div(len(x), size[0]), ceil_div(out.shape[1], size[1])
    run = scaled_tiles_kernel(dtype, type_of(out), form, size, owners is not None)
    launch_blocks(run, grid, threads, even, odd, x_scales, weight, scales, owners, out)


def linear(x, weight, out):
    if len(x) == 1:
        product_of_rows(x, weight[None], None, None, out, forms.dense(weight))
    else:
        product_of_tiles(x[None], weight[None], None, out[None])


def scaled(x, weight, scales, out, form, x_scales=None):
    if len(x) == 1:
        product_of_rows(x, weight[None], scales[None], None, out, form, 0, x_scales)
    else:
        product_of_scaled_tiles(x, weight[None], scales[None], None, out, form, x_scales)


def linear_int8(x, weight, scales, out):
    scaled(x, weight, scales[:, None], out, forms.INT8)


def linear_int4(x, packed, scales, out, *, group):
    scaled(x, packed, scales, out, forms.int4(group))


def linear_fp8(x, weight, scales, out):
    x, x_scales = quantize(x)
    scaled(x, weight, scales, out, forms.FP8, x_scales)


def head_linear(x, weight, out):
    product_of_tiles(x.swapaxes(0, 1), weight, None, out.swapaxes(0, 1))
