# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows rounded to f8e4m3 with a scale for each 128 columns."""

from functools import cache

import numpy as np
import warp as wp

from ...weights import BLOCK, FP8_MAX
from .arrays import F32, ceil_div, empty, kernel, launch_blocks, type_of

THREADS = 32
LARGEST = F32(FP8_MAX)
SMALLEST = F32(float(np.finfo(np.float32).tiny))  # of the scales
LEAST_POWER = F32(2.0**-6)  # of numbers with four bits
SHIFT = F32(2.0**20)  # beside a number of so many times its power the last bit of f32 is that of f8


@wp.func
def as_f8(value: F32):
    """The nearest number of f8, of two the even one."""
    power = wp.cast(wp.cast(value, wp.uint32) & wp.uint32(0x7F800000), F32)
    large = wp.max(power, LEAST_POWER) * SHIFT
    if value < 0.0:
        return (value - large) + large
    return (value + large) - large


@cache
def quantize_kernel(dtype):
    @kernel
    def quantize(
        x: wp.array2d(dtype=dtype),
        out: wp.array2d(dtype=wp.bfloat16),
        scales: wp.array2d(dtype=F32),
    ):
        """A block for 128 columns of a row."""
        row, group, lane = wp.tid()
        begin, end = group * BLOCK, wp.min(group * BLOCK + BLOCK, x.shape[1])
        largest = F32(0.0)
        for column in range(begin + lane, end, wp.block_dim()):
            largest = wp.max(largest, wp.abs(F32(x[row, column])))
        scale = wp.max(wp.tile_max(wp.tile(largest))[0] / LARGEST, SMALLEST)
        for column in range(begin + lane, end, wp.block_dim()):
            out[row, column] = wp.bfloat16(as_f8(F32(x[row, column]) / scale))
        if lane == 0:
            scales[row, group] = scale

    return quantize


def quantize(x):
    """x [T, K] as numbers of f8 in bf16, which has them all, and scales f32 [T, ceil(K / 128)]."""
    rows, columns = x.shape
    groups = ceil_div(columns, BLOCK)
    out, scales = empty(x, (rows, columns), "bfloat16"), empty(x, (rows, groups), "float32")
    launch_blocks(quantize_kernel(type_of(x)), (rows, groups), THREADS, x, out, scales)
    return out, scales
