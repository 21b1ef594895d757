# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as values of a dtype, and the bits of floats."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Union

from tilewright.dtypes import DType
from tilewright.errors import TileTypeError, TileValueError

Number = Union[bool, int, float]  # noqa: UP007


@dataclass(frozen=True)
class _Format:
    """A float of sign, exponent and mantissa. `largest` are the bits of the largest finite magnitude, `infinity` those
    that what is larger gets, `nan` those of NaN (None: there is none)."""

    exponent: int
    mantissa: int
    largest: int
    infinity: int
    nan: int | None
    signed: bool = True
    has_subnormals: bool = True

    @property
    def lowest_exponent(self) -> int:
        """The exponent of the smallest normal number."""
        return int(self.has_subnormals) - ((1 << (self.exponent - 1)) - 1)


def _ieee(exponent: int, mantissa: int) -> _Format:
    infinity = (1 << exponent) - 1 << mantissa
    return _Format(exponent, mantissa, infinity - 1, infinity, infinity | 1 << (mantissa - 1))


_FORMATS = {
    "f64": _ieee(11, 52),
    "f32": _ieee(8, 23),
    "tf32": _ieee(8, 10),  # MLIR writes tf32 in the 19 bits that it has
    "f16": _ieee(5, 10),
    "bf16": _ieee(8, 7),
    "f8E5M2": _ieee(5, 2),
    "f8E4M3FN": _Format(4, 3, 0x7E, 0x7F, 0x7F),
    "f8E8M0FNU": _Format(8, 0, 0xFE, 0xFF, 0xFF, signed=False, has_subnormals=False),
    "fnv8E5M3FNU": _Format(5, 3, 0xFE, 0xFF, 0xFF, signed=False),
    "f4E2M1FN": _Format(2, 1, 0x7, 0x7, None),
}


def convert_number(number: Number, dtype: DType) -> Number:
    """`number` as a value of `dtype`: integers wrap, floats are cut to integers and rounded to nearest even to floats.
    A number without a value in a float format is an error."""
    if dtype.is_bool:
        return bool(number)
    if dtype.is_integral:
        try:
            value = int(number)
        except (OverflowError, ValueError):
            raise TileTypeError(f"{number} has no value as {dtype}; expected a finite number") from None
        value &= (1 << dtype.bitwidth) - 1
        return value - (1 << dtype.bitwidth) if dtype.signed and value >> (dtype.bitwidth - 1) else value
    return _value_of(float_bits(number, dtype), _FORMATS[dtype.ir_name])


def float_bits(number: Number, dtype: DType) -> int:
    """The bits of the nearest value, of two as near the even one. A number that is too large becomes infinity; NaN
    or the largest value where there is none."""
    try:
        value = float(number)
    except OverflowError:
        value = math.copysign(math.inf, number)
    if dtype.ir_name == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    format = _FORMATS[dtype.ir_name]
    negative = math.copysign(1, value) < 0
    if negative and not format.signed and not math.isnan(value):
        raise TileValueError(f"{value} has no value as {dtype}, which has no sign; expected a positive number")
    sign = int(negative and format.signed) << (format.exponent + format.mantissa)
    if math.isnan(value):
        if format.nan is None:
            raise TileValueError(f"NaN has no value as {dtype}; expected a number from -6.0 to 6.0")
        return sign | format.nan
    bits = _rounded(abs(value), format)
    return sign | (format.infinity if bits > format.largest else bits)


def _rounded(magnitude: float, format: _Format) -> int:
    if magnitude == math.inf:
        return format.largest + 1
    low = format.lowest_exponent
    if magnitude == 0 or (magnitude < 2.0**low and not format.has_subnormals):
        return 0
    exponent = max(math.frexp(magnitude)[1] - 1, low)
    # Scaling by a power of two is exact in double for every format here; round() ties to even.
    mantissa = round(magnitude * 2.0 ** (format.mantissa - exponent))
    if format.mantissa == 0:  # the only mantissa is 1, an odd one: a tie goes up
        mantissa = math.floor(magnitude * 2.0**-exponent + 0.5)
    return mantissa + ((exponent - low) << format.mantissa) - (not format.has_subnormals)


def _value_of(bits: int, format: _Format) -> float:
    if format.mantissa == 52:
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    magnitude = bits & (1 << (format.exponent + format.mantissa)) - 1
    if magnitude > format.largest:
        value = math.inf if magnitude == format.infinity != format.nan else math.nan
    else:
        exponent, mantissa = magnitude >> format.mantissa, magnitude & (1 << format.mantissa) - 1
        if exponent or not format.has_subnormals:
            mantissa |= 1 << format.mantissa
        exponent = max(exponent - format.has_subnormals, 0) + format.lowest_exponent
        value = mantissa * 2.0 ** (exponent - format.mantissa)
    return -value if bits != magnitude else value
