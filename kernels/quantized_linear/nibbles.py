# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of two weights each, and the pairs of elements of x that they are multiplied with."""

import sys

import numpy as np
import tilewright as ct

ONE = 0x3F800000  # the bits of 1.0
HIGH, LOW = 0xF << 19, 0xF << 15  # in a mantissa: sixteenths, and 1/256


def pairs_of(x):
    """x [T, K] as integers [T, K / 2] of twice the size, the first element of each pair in the low half."""
    name = "int64" if x.dtype.itemsize == 4 else "int32"
    return x.view(np.dtype(name) if isinstance(x, np.ndarray) else getattr(sys.modules["torch"], name))


def words_of(packed, size):
    """Bytes [N, K] as words of so many bytes each."""
    name = f"uint{8 * size}"
    return packed.view(np.dtype(name) if isinstance(packed, np.ndarray) else getattr(sys.modules["torch"], name))


def unpaired(pairs, dtype):
    """Both elements of each pair."""
    half = ct.int32 if pairs.dtype == ct.int64 else ct.int16
    shift = 32 if pairs.dtype == ct.int64 else 16
    return ct.bitcast(ct.astype(pairs, half), dtype), ct.bitcast(ct.astype(pairs >> shift, half), dtype)


def scaled_pair(pairs, dtype):
    """Factors a and b of a byte's two weights as `nibbles` has them, and the sum that their product is too large by."""
    if dtype == ct.bfloat16:  # the upper half of f32
        first, second = ct.bitcast(pairs << 16, ct.float32), ct.bitcast(pairs >> 16 << 16, ct.float32)
    else:
        first, second = unpaired(pairs, dtype)
        first, second = ct.astype(first, ct.float32), ct.astype(second, ct.float32)
    return first * 256.0, second * 16.0, first * 264.0 + second * 24.0


def scale_of(MEMBERS):
    """[1, 1, MEMBERS]: the numbers that `nibbles` divides the members of words by."""
    odd = ct.arange(MEMBERS, dtype=ct.int32) & 1
    return ct.where(odd == 1, 16.0, 256.0).reshape((1, 1, MEMBERS))


def shifted(bits, pair):
    """Two members of a word where the upper eight bits of a mantissa are."""
    return bits << (15 - 8 * pair) if pair < 2 else bits >> (8 * pair - 15)


def nibbles(words, MEMBERS):
    """1 + member / 256 of even members and 1 + member / 16 of odd ones, put into the mantissa of 1: two operations for
    each and one for two of them, instead of three for each."""
    bits = ct.astype(words, ct.int32)
    return tuple(
        ct.bitcast((shifted(bits, member // 2) & (HIGH if member % 2 else LOW)) | ONE, ct.float32)
        for member in ct.static_iter(range(MEMBERS))
    )


def dot(values, factors, excess):
    """The sum of products less the excess."""
    total = values[0] * factors[0] - excess
    for i in ct.static_iter(range(1, len(values))):
        total = values[i] * factors[i] + total
    return total
