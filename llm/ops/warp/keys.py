# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers with their places as one integer, all different: larger numbers are first, of equal ones the first place."""

import warp as wp

from .arrays import F32

SIGN = wp.uint32(0x80000000)
ALL = wp.uint32(0xFFFFFFFF)


@wp.func
def key_of(value: F32, place: int):
    """Never 0, which is below all keys."""
    bits = wp.cast(value, wp.uint32)
    if bits >= SIGN:
        bits = ALL - bits
    else:
        bits = bits + SIGN
    return (wp.uint64(bits) << wp.uint64(32)) | wp.uint64(ALL - wp.uint32(place))


@wp.func
def place_of(key: wp.uint64):
    return wp.int32(ALL - wp.uint32(key))
