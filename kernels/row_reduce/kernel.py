# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One number for each row: its sum, its largest element, or where that is first; and the sums of columns."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two
from kernels.wide import wide

LONGEST_ROW = 16384  # columns that one tile may hold
CHUNK = 4096

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]


@ct.kernel
def row_sum_kernel(x, out, TILE: ConstInt, WHOLE: ConstBool):
    """One block per row, which is one tile if WHOLE, else a walk over chunks. Summed in f32."""
    row = ct.bid(0)
    total = ct.zeros((1,), dtype=wide(x.dtype))
    for c in range(1 if WHOLE else ct.cdiv(x.shape[1], TILE)):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.ZERO)
        total = total + ct.sum(ct.astype(values, wide(x.dtype)), axis=1)
    ct.store(out, index=(row,), tile=ct.astype(total, out.dtype))


@ct.kernel
def row_max_kernel(x, out, TILE: ConstInt, WHOLE: ConstBool):
    """NaN are passed over."""
    row = ct.bid(0)
    highest = ct.full((1,), -float("inf"), dtype=wide(x.dtype))
    for c in range(1 if WHOLE else ct.cdiv(x.shape[1], TILE)):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        highest = ct.maximum(highest, ct.max(ct.astype(values, wide(x.dtype)), axis=1))
    ct.store(out, index=(row,), tile=ct.astype(highest, out.dtype))


@ct.kernel
def row_argmax_kernel(x, out, TILE: ConstInt, WHOLE: ConstBool):
    """Two reductions, the second over what is in L1 by then: the maximum, and the first place that has it. Each is a
    few instructions for a vector; one that carries pairs of a value and its place is four times as many (`ct.argmax`).
    A later chunk wins only with a larger element, so that the first of equal ones counts.
    """
    row = ct.bid(0)
    highest = ct.full((1,), -float("inf"), dtype=wide(x.dtype))
    place = ct.zeros((1,), dtype=ct.int32)
    for c in range(1 if WHOLE else ct.cdiv(x.shape[1], TILE)):
        values = ct.load(x, index=(row, c), shape=(1, TILE), padding_mode=ct.PaddingMode.NEG_INF)
        values = ct.astype(values, wide(x.dtype))
        higher = ct.max(values, axis=1)
        places = ct.where(values == higher[:, None], ct.arange(TILE, dtype=ct.int32)[None, :], TILE)
        place = ct.where(higher > highest, c * TILE + ct.min(places, axis=1), place)
        highest = ct.maximum(highest, higher)
    ct.store(out, index=(row,), tile=place)


@ct.kernel
def column_sum_kernel(x, out, ROWS: ConstInt, TILE: ConstInt):
    """One block for some columns, which walks over tiles of rows."""
    total = ct.zeros((ROWS, TILE), dtype=wide(x.dtype))
    for r in range(ct.cdiv(x.shape[0], ROWS)):
        values = ct.load(x, index=(r, ct.bid(0)), shape=(ROWS, TILE), padding_mode=ct.PaddingMode.ZERO)
        total = total + ct.astype(values, total.dtype)
    ct.store(out, index=(ct.bid(0),), tile=ct.astype(ct.sum(total, axis=0), out.dtype))


def _launch(kernel, x, out, stream):
    rows, columns = x.shape
    whole = columns <= LONGEST_ROW
    tile = power_of_two(columns) if whole else CHUNK
    ct.launch(stream, (rows,), kernel, (x, out, tile, whole))
    return out


def row_sum(x, out=None, *, stream=None):
    """The sum of every row of a matrix of floats, formed in f32; of x's dtype unless `out` has another."""
    return _launch(row_sum_kernel, x, np.empty(x.shape[0], x.dtype) if out is None else out, stream)


def row_max(x, out=None, *, stream=None):
    """The largest element of every row of a matrix of floats."""
    return _launch(row_max_kernel, x, np.empty(x.shape[0], x.dtype) if out is None else out, stream)


def row_argmax(x, out=None, *, stream=None):
    """The column of the first largest element of every row of a matrix of floats, as int32."""
    return _launch(row_argmax_kernel, x, np.empty(x.shape[0], np.int32) if out is None else out, stream)


def column_sum(x, out=None, *, stream=None):
    """The sum of every column of a matrix of floats, formed in f32, of f64 in f64; of x's dtype unless `out` has
    another."""
    out = np.empty(x.shape[1], x.dtype) if out is None else out
    ct.launch(stream, (ct.cdiv(x.shape[1], 256),), column_sum_kernel, (x, out, 8, 256))
    return out
