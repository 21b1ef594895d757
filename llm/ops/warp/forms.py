# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of weights as bits: each element is decoded to f32, and blocks of rows and columns share a scale."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from ...weights import BLOCK
from .arrays import F32, name_of


@wp.func
def from_f32(bits: wp.uint32):
    return wp.cast(bits, F32)


@wp.func
def from_f16(bits: wp.uint32):
    return F32(wp.cast(wp.uint16(bits), wp.float16))


@wp.func
def from_bf16(bits: wp.uint32):
    return wp.cast(bits << wp.uint32(16), F32)


@wp.func
def from_f8(bits: wp.uint32):
    """f8e4m3: exponent and mantissa at their places in f32, whose exponents are larger by 120."""
    sign = (bits & wp.uint32(0x80)) << wp.uint32(24)
    magnitude = wp.cast((bits & wp.uint32(0x7F)) << wp.uint32(20), F32) * wp.static(F32(2.0**120))
    return wp.cast(wp.cast(magnitude, wp.uint32) | sign, F32)


@wp.func
def from_int8(bits: wp.uint32):
    return F32(wp.int32(bits << wp.uint32(24)) >> 24)


@wp.func
def from_int4(bits: wp.uint32):
    return F32(wp.int32(bits)) - 8.0


@dataclass(frozen=True)
class Form:
    """Bits of an element, their decoder, and the rows and columns that share a scale: 0 are all, and no rows are no
    scales."""

    bits: int
    decode: Any
    rows: int = 0
    columns: int = 0


DENSE = {"float32": Form(32, from_f32), "float16": Form(16, from_f16), "bfloat16": Form(16, from_bf16)}
INT8 = Form(8, from_int8, 1)
FP8 = Form(8, from_f8, BLOCK, BLOCK)


def int4(group):
    return Form(4, from_int4, 1, group)


def dense(weight):
    return DENSE[name_of(weight)]
