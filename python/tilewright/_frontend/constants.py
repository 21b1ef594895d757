# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as the text of MLIR attributes. Floats are written as their bits, so that nothing is rounded twice."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from tilewright._frontend.values import Number
from tilewright.dtypes import Category, DType
from tilewright.errors import TileTypeError

_MINIFLOATS = {  # exponent bits, mantissa bits, bias
    "f16": (5, 10, 15),
    "bf16": (8, 7, 127),
    "tf32": (8, 10, 127),
    "f8E4M3FN": (4, 3, 7),
    "f8E5M2": (5, 2, 15),
    "f4E2M1FN": (2, 1, 1),
}


def convert(number: Number, dtype: DType) -> Number:
    """`number` as a value of `dtype`: integers wrap, floats are cut; floats keep their value until they are encoded."""
    if dtype.category is Category.BOOLEAN:
        return bool(number)
    if dtype.is_integral:
        try:
            value = int(number)
        except (OverflowError, ValueError):
            raise TileTypeError(f"{number} has no value as {dtype}") from None
        value &= (1 << dtype.bitwidth) - 1
        return value - (1 << dtype.bitwidth) if dtype.signed and value >> (dtype.bitwidth - 1) else value
    return float(number)


def element(number: Number, dtype: DType) -> str:
    """One element inside `dense<...>`."""
    value = convert(number, dtype)
    if dtype.category is Category.BOOLEAN:
        return "true" if value else "false"
    if dtype.is_integral:
        return str(value - (1 << dtype.bitwidth) if value >= 1 << (dtype.bitwidth - 1) else value)
    return f"0x{float_bits(value, dtype):0{(dtype.bitwidth + 3) // 4}X}"


def splat(number: Number, dtype: DType, type: str) -> str:
    return f"dense<{element(number, dtype)}> : {type}"


def nested(values: Any, dtype: DType, type: str) -> str:
    """A nested tuple of numbers."""

    def text(value: Any) -> str:
        return f"[{', '.join(map(text, value))}]" if isinstance(value, Sequence) else element(value, dtype)

    return f"dense<{text(values)}> : {type}"


def scalar_attribute(number: Number, dtype: DType) -> str:
    """A typed number, as the identities of reductions want it."""
    if dtype.category is Category.BOOLEAN:
        return "true" if number else "false"
    return f"{element(number, dtype)} : {dtype.ir_name}"


def float_bits(value: float, dtype: DType) -> int:
    if dtype.ir_name == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if dtype.ir_name == "f32":
        return struct.unpack("<I", struct.pack("<f", _to_single(value)))[0]
    if dtype.ir_name == "tf32":
        # MLIR writes tf32 in the 19 bits that it has.
        return _minifloat_bits(value, *_MINIFLOATS["tf32"], dtype)
    if dtype.ir_name not in _MINIFLOATS:
        raise TileTypeError(f"a constant of dtype {dtype} is not possible; load it or use bitcast()")
    return _minifloat_bits(value, *_MINIFLOATS[dtype.ir_name], dtype)


def _to_single(value: float) -> float:
    try:
        struct.pack("<f", value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return value


def _minifloat_bits(value: float, exponent_bits: int, mantissa_bits: int, bias: int, dtype: DType) -> int:
    """Round to nearest even into a small format; what is too large becomes infinity, or NaN or the largest value in
    formats without one."""
    sign = struct.unpack("<Q", struct.pack("<d", value))[0] >> 63 << (exponent_bits + mantissa_bits)
    finite_only = dtype.ir_name in ("f8E4M3FN", "f4E2M1FN")
    top = (1 << exponent_bits) - 1
    infinity = top << mantissa_bits
    if value != value:
        nan = (
            infinity | (1 << mantissa_bits) - 1 if dtype.ir_name == "f8E4M3FN" else infinity | 1 << (mantissa_bits - 1)
        )
        return sign | nan
    largest = {"f8E4M3FN": infinity | (1 << mantissa_bits) - 2, "f4E2M1FN": infinity | 1}.get(
        dtype.ir_name, infinity - 1
    )
    magnitude = abs(value)
    if magnitude == float("inf"):
        bits = largest + 1
    elif magnitude == 0:
        bits = 0
    else:
        exponent = max(struct.unpack("<Q", struct.pack("<d", magnitude))[0] >> 52, 1) - 1023
        exponent = max(exponent, 1 - bias)
        # Scaling by a power of two is exact in double for every format here; round() ties to even.
        mantissa = round(magnitude * 2.0 ** (mantissa_bits - exponent))
        bits = mantissa + ((exponent + bias - 1) << mantissa_bits)
    if bits > largest:
        bits = infinity if not finite_only else (largest + 1 if dtype.ir_name == "f8E4M3FN" else largest)
    return sign | bits
