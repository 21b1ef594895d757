# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of two weights each, and the pairs of elements of x that they are multiplied with."""

import sys

import numpy as np
import tilewright as ct

from kernels.arrays import on_cpu

ONE = 0x3F800000  # the bits of 1.0
HIGH, LOW = 0xF << 19, 0xF << 15  # in a mantissa: sixteenths, and 1/256


def pairs_of(x):
    """x [T, K] as integers [T, K / 2] of twice the size, the first element of each pair in the low half."""
    name = "int64" if x.dtype.itemsize == 4 else "int32"
    return x.view(np.dtype(name) if on_cpu(x) else getattr(sys.modules["torch"], name))


def unpaired(pairs, dtype):
    """Both elements of each pair."""
    half = ct.int32 if pairs.dtype == ct.int64 else ct.int16
    shift = 32 if pairs.dtype == ct.int64 else 16
    return ct.bitcast(ct.astype(pairs, half), dtype), ct.bitcast(ct.astype(pairs >> shift, half), dtype)


def scaled_pair(pairs, dtype):
    """Factors a and b of the weights that `halves` has, and the sum that their product is too large by."""
    if dtype == ct.bfloat16:  # the upper half of f32
        first, second = ct.bitcast(pairs << 16, ct.float32), ct.bitcast(pairs >> 16 << 16, ct.float32)
    else:
        first, second = unpaired(pairs, dtype)
        first, second = ct.astype(first, ct.float32), ct.astype(second, ct.float32)
    return first * 256.0, second * 16.0, first * 264.0 + second * 24.0


def halves(packed):
    """1 + low / 256 and 1 + high / 16, put into the mantissa of 1: two operations for each, instead of three."""
    bits = ct.astype(packed, ct.int32) << 15
    return ct.bitcast((bits & LOW) | ONE, ct.float32), ct.bitcast((bits & HIGH) | ONE, ct.float32)
