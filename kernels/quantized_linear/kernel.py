# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x @ weight.T for weights of 8 bits with a scale per row, and of 4 bits with a scale per group of columns.

A few rows of x are multiplied as the weight is read, many by `mma` with weights that its loop converts to x's type.
"""

import numpy as np
import tilewright as ct

from kernels.arrays import empty, on_cpu, power_of_two
from kernels.linear.kernel import FEWEST as AS_TILES
from kernels.linear.kernel import GPU_LARGEST, dot_rows, parts, sizes_of_parts
from kernels.quantized_linear.nibbles import dot, nibbles, pairs_of, scale_of, scaled_pair, unpaired, words_of

FEWEST = 8  # rows up to which the weight is multiplied as it is read
TILE_N = 4  # rows of the weight in a tile for which a row or two of x are multiplied on a CPU
SUMS = 8  # rows of the weight that are multiplied at a time
LANES = 256  # of the sums of all these rows, which stay in registers
TILE_ROWS = 16  # of a tile of weights of 4 bits on a CPU, for which factors of x are computed once
LARGEST = 16384  # columns of a part of a row
# Of a part whose factors and products stay in the first cache for all rows of a tile: a token's products of a layer of
# Llama 3 8B take 2.46 ms on two cores of AMD Zen 5, with parts of 4096 columns 2.88.
WORDS_LARGEST = 2048
GPU_SUMS = 2, 2048  # SUMS and LARGEST of int8 on a GPU: 4096 rows of 14336 take 29 us on an H200, 45 with a CPU's
SPLIT = 1024  # pairs that a block takes apart
FEW = 64  # rows of x up to which a block has them all

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


def add(*values):
    """The left members plus the right ones."""
    count = len(values) // 2
    return tuple(values[i] + values[count + i] for i in ct.static_iter(range(count)))


def sums(products):
    """Over the middle axis [1, C, H], of all products in one loop, which reads and converts what they share once."""
    return ct.reduce(products, 1, add, tuple(0.0 for _ in ct.static_iter(products)))


@ct.kernel
def int8_tiles_kernel(
    x, weight, scales, out, ROWS: ConstInt, COLUMNS: ConstInt, LARGEST: ConstInt, SMALLEST: ConstInt, TILE_N: ConstInt
):
    """One block per TILE_N rows of the weight, as in linear_kernel, which CPUs read 1.1 to 1.4 times as fast as rows by
    themselves."""
    n = ct.bid(0)
    scale = ct.load(scales, index=(n,), shape=(TILE_N,), padding_mode=ct.PaddingMode.ZERO)
    for m in ct.static_iter(range(ROWS)):
        total = dot_rows(x, weight, m, n, COLUMNS, LARGEST, SMALLEST, TILE_N) * scale
        ct.store(out, index=(m, n), tile=ct.astype(total, out.dtype).reshape((1, TILE_N)))


@ct.kernel
def int8_rows_kernel(x, weight, scales, out, COLUMNS: ConstInt, LARGEST: ConstInt, TILE_N: ConstInt):
    """One block per row of x and TILE_N rows of the weight, which are in cache for the next rows of x."""
    m, first = ct.bid(0), ct.bid(1) * TILE_N
    zero = ct.PaddingMode.ZERO
    totals = tuple(ct.zeros((1, 1), dtype=ct.float32) for _ in ct.static_iter(range(TILE_N)))
    for size, part in ct.static_iter(parts(COLUMNS, LARGEST)):
        values = ct.load(x, index=(m, part), shape=(1, size), padding_mode=zero)
        values = ct.astype(values, ct.float32).reshape((1, size, 1))
        weights = tuple(
            ct.load(weight, index=(first + n, part), shape=(1, size), padding_mode=zero).reshape((1, size, 1))
            for n in ct.static_iter(range(TILE_N))
        )
        new = sums(tuple(ct.astype(w, ct.float32) * values for w in ct.static_iter(weights)))
        totals = tuple(totals[n] + new[n] for n in ct.static_iter(range(TILE_N)))
    for n in ct.static_iter(range(TILE_N)):
        scale = ct.load(scales, index=(first + n,), shape=(), padding_mode=zero)
        ct.store(out, index=(m, first + n), tile=ct.astype(totals[n] * scale, out.dtype))


@ct.kernel
def int4_rows_kernel(
    x, like, packed, scales, out, GROUPS: ConstInt, HALF: ConstInt, LARGEST: ConstInt, TILE_N: ConstInt
):
    """The same for bytes [N, groups, HALF] of two columns each, and x [T, groups, HALF] of two elements each.

    `like` has the type of these elements.
    """
    m, first = ct.bid(0), ct.bid(1) * TILE_N
    zero = ct.PaddingMode.ZERO
    totals = tuple(ct.zeros((1, HALF), dtype=ct.float32) for _ in ct.static_iter(range(TILE_N)))
    for size, part in ct.static_iter(parts(GROUPS, LARGEST, 1)):
        pairs = ct.load(x, index=(m, part, 0), shape=(1, size, HALF), padding_mode=zero)
        a, b, shift = scaled_pair(pairs, like.dtype)
        weights = tuple(
            nibbles(ct.load(packed, index=(first + n, part, 0), shape=(1, size, HALF), padding_mode=zero), 2)
            for n in ct.static_iter(range(TILE_N))
        )
        factors = tuple(
            ct.load(scales, index=(first + n, part), shape=(1, size), padding_mode=zero).reshape((1, size, 1))
            for n in ct.static_iter(range(TILE_N))
        )
        products = tuple(
            (weights[n][0] * a + (weights[n][1] * b - shift)) * factors[n] for n in ct.static_iter(range(TILE_N))
        )
        new = sums(products)
        totals = tuple(totals[n] + new[n] for n in ct.static_iter(range(TILE_N)))
    for n in ct.static_iter(range(TILE_N)):
        total = ct.sum(totals[n], axis=1, keepdims=True)
        ct.store(out, index=(m, first + n), tile=ct.astype(total, out.dtype))


@ct.kernel
def factors_kernel(x, factors, excess, MEMBERS: ConstInt, LANES: ConstInt, TILE: ConstInt):
    """Of x as words of MEMBERS columns: the factors [T, groups, MEMBERS LANES] of `nibbles`, and the sums
    [T, groups, LANES] that their products are too large by."""
    m, part = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(m, part), shape=(1, TILE * LANES * MEMBERS), padding_mode=ct.PaddingMode.ZERO)
    tile = ct.astype(tile, ct.float32).reshape((TILE, LANES, MEMBERS))
    scale = scale_of(MEMBERS)
    ct.store(factors, index=(m, part, 0), tile=ct.permute(tile * scale, (0, 2, 1)).reshape((1, TILE, MEMBERS * LANES)))
    ct.store(excess, index=(m, part, 0), tile=ct.sum(tile * (scale + 8.0), axis=2).reshape((1, TILE, LANES)))


@ct.kernel
def int4_words_kernel(
    factors, excess, words, scales, out, ROWS: ConstInt, GROUPS: ConstInt, MEMBERS: ConstInt, LANES: ConstInt,
    LARGEST: ConstInt, TILE_N: ConstInt,
):  # fmt: skip
    """The same for words [N, groups, LANES] of MEMBERS columns each, on a CPU: its vectors are unpacked in place.

    A block has TILE_N rows of the weight as one tile, and each row of x is a step of it, so that the next block's
    weight is fetched meanwhile.
    """
    n = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    for m in ct.static_iter(range(ROWS)):
        totals = ct.zeros((TILE_N, LANES), dtype=ct.float32)
        for size, part in ct.static_iter(parts(GROUPS, LARGEST, 1)):
            tile = ct.load(factors, index=(m, part, 0), shape=(1, size, MEMBERS * LANES), padding_mode=zero)
            of_members = tuple(
                ct.extract(tile, (0, 0, member), (1, size, LANES)) for member in ct.static_iter(range(MEMBERS))
            )
            start = ct.load(excess, index=(m, part, 0), shape=(1, size, LANES), padding_mode=zero)
            tile = ct.load(words, index=(n, part, 0), shape=(TILE_N, size, LANES), padding_mode=zero)
            scale = ct.load(scales, index=(n, part), shape=(TILE_N, size), padding_mode=zero)
            product = dot(nibbles(tile, MEMBERS), of_members, start)
            totals = totals + ct.sum(product * scale.reshape((TILE_N, size, 1)), axis=1)
        total = ct.astype(ct.sum(totals, axis=1), out.dtype)
        ct.store(out, index=(m, n), tile=total.reshape((1, TILE_N)))


def multiply(acc, tile_x, tile_w, AS_ROWS):
    """Adds x [M, K] times w [K, N], or that product transposed."""
    if AS_ROWS:
        return ct.mma(tile_x, tile_w, acc)
    return ct.mma(ct.transpose(tile_w), ct.transpose(tile_x), acc)


def dequantized(nibbles, scale, dtype):
    """[N, groups, C] as [K, N], rounded to the type."""
    weights = (ct.astype(ct.astype(nibbles, ct.int32), ct.float32) - 8.0) * scale
    rows = ct.astype(weights, dtype).reshape((nibbles.shape[0], nibbles.shape[1] * nibbles.shape[2]))
    return ct.transpose(rows)


def by_weight(x):
    """Whether blocks of the same rows of the weight follow each other: a CPU converts them for the first one alone. In
    f32 they are too large for L2."""
    return on_cpu(x) and x.dtype.itemsize == 2


def place(BY_WEIGHT):
    """The block's index along the weight's rows and along x's."""
    return (ct.bid(1), ct.bid(0)) if BY_WEIGHT else (ct.bid(0), ct.bid(1))


@ct.kernel
def int8_kernel(
    x, weight, scales, out, AS_ROWS: ConstBool, TILE_M: ConstInt, TILE_N: ConstInt, TILE_K: ConstInt,
    BY_WEIGHT: ConstBool,
):  # fmt: skip
    """Whole numbers of 8 bits are exact in the type of x."""
    n, m = place(BY_WEIGHT)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((TILE_M, TILE_N) if AS_ROWS else (TILE_N, TILE_M), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TILE_K)):
        tile_w = ct.load(weight, index=(k, n), shape=(TILE_K, TILE_N), order=(1, 0), padding_mode=zero)
        tile_x = ct.load(x, index=(m, k), shape=(TILE_M, TILE_K), padding_mode=zero)
        acc = multiply(acc, tile_x, ct.astype(tile_w, x.dtype), AS_ROWS)
    result = acc if AS_ROWS else ct.transpose(acc)
    scale = ct.load(scales, index=(n,), shape=(TILE_N,), padding_mode=zero)
    ct.store(out, index=(m, n), tile=ct.astype(result * scale[None, :], out.dtype))


@ct.kernel
def split_pairs_kernel(pairs, like, members, TILE: ConstInt):
    """members [2, T, K / 2]: the first elements of the pairs, and the second ones."""
    m, part = ct.bid(0), ct.bid(1)
    tile = ct.load(pairs, index=(m, part), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
    first, second = unpaired(tile, like.dtype)
    ct.store(members, index=(0, m, part), tile=first.reshape((1, 1, TILE)))
    ct.store(members, index=(1, m, part), tile=second.reshape((1, 1, TILE)))


@ct.kernel
def int4_kernel(
    members, packed, scales, out, AS_ROWS: ConstBool, TILE_M: ConstInt, TILE_N: ConstInt, GROUPS: ConstInt,
    HALF: ConstInt, BY_WEIGHT: ConstBool,
):  # fmt: skip
    """GROUPS groups in a step: first columns of the bytes, then second ones. Scaled weights are rounded to x's type."""
    n, m = place(BY_WEIGHT)
    zero = ct.PaddingMode.ZERO
    columns = GROUPS * HALF
    acc = ct.zeros((TILE_M, TILE_N) if AS_ROWS else (TILE_N, TILE_M), dtype=ct.float32)
    for k in range(ct.cdiv(packed.shape[1], columns)):
        tile = ct.load(packed, index=(n, k), shape=(TILE_N, columns), padding_mode=zero)
        tile = tile.reshape((TILE_N, GROUPS, HALF))
        scale = ct.load(scales, index=(n, k), shape=(TILE_N, GROUPS), padding_mode=zero).reshape((TILE_N, GROUPS, 1))
        first = ct.load(members, index=(0, m, k), shape=(1, TILE_M, columns), padding_mode=zero)
        second = ct.load(members, index=(1, m, k), shape=(1, TILE_M, columns), padding_mode=zero)
        weights = dequantized(tile & 15, scale, members.dtype)
        acc = multiply(acc, first.reshape((TILE_M, columns)), weights, AS_ROWS)
        weights = dequantized(tile >> 4, scale, members.dtype)
        acc = multiply(acc, second.reshape((TILE_M, columns)), weights, AS_ROWS)
    ct.store(out, index=(m, n), tile=ct.astype(acc if AS_ROWS else ct.transpose(acc), out.dtype))


def product_tile(x):
    """AS_ROWS, TILE_M, TILE_N and TILE_K.

    On a GPU the weight is the left operand, whose conversion up to 256 rows of x share. Of ten tiles these are the
    fastest on an H200 with bf16 and a weight [14336, 4096]: int8 with 64 rows 45 us, with 4096 946; int4 41 and 834.
    """
    rows = x.shape[0]
    if on_cpu(x):
        return (True, 128, 128, 64) if rows > FEW else (True, power_of_two(rows), 64, 64)
    if x.dtype.itemsize == 4:
        return False, min(128, max(power_of_two(rows), 16)), 128, 64
    tile_m = min(256, max(power_of_two(rows), 16))
    return False, tile_m, 128, 64 if tile_m > 128 else 128


def check(x, columns, out, features):
    if x.shape[1] != columns:
        raise ValueError(f"x has {x.shape[1]} columns but weight has {columns}")
    return np.empty((x.shape[0], features), x.dtype) if out is None else out


def int8_linear(x, weight, scales, out=None, *, stream=None):
    """out [T, N] = x [T, K] @ (weight i8 [N, K] * scales f32 [N]).T."""
    (rows, columns), features = x.shape, weight.shape[0]
    out = check(x, weight.shape[1], out, features)
    if rows <= AS_TILES and on_cpu(x):
        arguments = (x, weight, scales, out, rows, columns, *sizes_of_parts(x), TILE_N)
        ct.launch(stream, (ct.cdiv(features, TILE_N),), int8_tiles_kernel, arguments)
        return out
    if rows <= FEWEST:
        tile_n, largest = (SUMS, LARGEST) if on_cpu(x) else GPU_SUMS
        grid = (rows, ct.cdiv(features, tile_n))
        ct.launch(stream, grid, int8_rows_kernel, (x, weight, scales, out, columns, largest, tile_n))
        return out
    as_rows, tile_m, tile_n, tile_k = product_tile(x)
    grid = (ct.cdiv(features, tile_n), ct.cdiv(rows, tile_m))
    arguments = (x, weight, scales, out, as_rows, tile_m, tile_n, tile_k, by_weight(x))
    ct.launch(stream, grid[::-1] if by_weight(x) else grid, int8_kernel, arguments)
    return out


def int4_words(x, packed, scales, out, groups, group, stream):
    """A few rows on a CPU: words of up to 32 bits, so that a group of 128 columns is a vector of 16 lanes."""
    (rows, _), features = x.shape, packed.shape[0]
    members = min(8, max(2, group // 16))
    lanes = group // members
    words = words_of(packed, members // 2).reshape(features, groups, lanes)
    memory = empty((rows, groups, group + lanes), "float32", beside=x)
    factors, excess = memory[..., :group], memory[..., group:]
    tile = max(1, SPLIT // group)
    grid = (rows, ct.cdiv(groups, tile))
    ct.launch(stream, grid, factors_kernel, (x, factors, excess, members, lanes, tile))
    arrays = (factors, excess, words, scales, out)
    arguments = (*arrays, rows, groups, members, lanes, max(1, WORDS_LARGEST // group), TILE_ROWS)
    ct.launch(stream, (ct.cdiv(features, TILE_ROWS),), int4_words_kernel, arguments)
    return out


def int4_linear(x, packed, scales, out=None, *, group, stream=None):
    """out [T, N] = x [T, K] @ (weight * scales).T; packed u8 [N, K / 2] has weight + 8, an even column in the low half
    of a byte; scales f32 [N, K / group], group a power of two."""
    (rows, columns), features = x.shape, packed.shape[0]
    out = check(x, 2 * packed.shape[1], out, features)
    if group < 2 or group & (group - 1) or columns % group:
        raise ValueError(f"group is {group}, expected a power of two that divides {columns} columns")
    half, pairs = group // 2, pairs_of(x)
    if rows <= FEWEST:
        shape = (columns // group, half)
        if on_cpu(x):
            return int4_words(x, packed, scales, out, columns // group, group, stream)
        tile_n = max(1, min(SUMS, LANES // half))
        arrays = (pairs.reshape(rows, *shape), x, packed.reshape(features, *shape), scales, out)
        arguments = (*arrays, *shape, max(1, GPU_LARGEST // group), tile_n)
        ct.launch(stream, (rows, ct.cdiv(features, tile_n)), int4_rows_kernel, arguments)
        return out
    members = empty((2, rows, columns // 2), str(x.dtype).removeprefix("torch."), beside=x)
    ct.launch(stream, (rows, ct.cdiv(columns // 2, SPLIT)), split_pairs_kernel, (pairs, x, members, SPLIT))
    as_rows, tile_m, tile_n, tile_k = product_tile(x)
    grid = (ct.cdiv(features, tile_n), ct.cdiv(rows, tile_m))
    operands = (members, packed, scales, out)
    constants = (as_rows, tile_m, tile_n, max(1, tile_k // half), half, by_weight(x))
    ct.launch(stream, grid[::-1] if by_weight(x) else grid, int4_kernel, (*operands, *constants))
    return out
