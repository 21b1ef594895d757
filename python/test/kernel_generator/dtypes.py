# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of the evaluation, from the language's rules: promotion, conversion and rounding on NumPy arrays."""

from __future__ import annotations

import ml_dtypes
import numpy as np

BOOLEAN, INTEGRAL, FLOAT, RESTRICTED = range(4)


class DType:
    """An element type and the NumPy type that holds it. Called in tile code, a constant of exactly this type."""

    def __init__(self, name: str, numpy_type: type, category: int, bitwidth: int):
        self.name = name
        self.numpy = np.dtype(numpy_type)
        self.category = category
        self.bitwidth = bitwidth

    def __repr__(self) -> str:
        return self.name

    def __call__(self, value=0):
        from kernel_generator.tiles import scalar

        return scalar(value, self)

    @property
    def is_float(self) -> bool:
        return self.category >= FLOAT

    @property
    def is_integral(self) -> bool:
        return self.category == INTEGRAL

    @property
    def is_signed(self) -> bool:
        return self.category == INTEGRAL and not self.name.startswith("u")

    @property
    def integer_range(self) -> tuple[int, int]:
        if self.is_signed:
            return -(1 << (self.bitwidth - 1)), (1 << (self.bitwidth - 1)) - 1
        return 0, (1 << self.bitwidth) - 1


bool_ = DType("bool_", np.bool_, BOOLEAN, 1)
INTEGERS = [
    DType(f"{sign}int{bits}", getattr(np, f"{sign}int{bits}"), INTEGRAL, bits)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
]
int8, int16, int32, int64, uint8, uint16, uint32, uint64 = INTEGERS
float16 = DType("float16", np.float16, FLOAT, 16)
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16, FLOAT, 16)
float32 = DType("float32", np.float32, FLOAT, 32)
float64 = DType("float64", np.float64, FLOAT, 64)
FLOATS = [float16, bfloat16, float32, float64]
tfloat32 = DType("tfloat32", np.float32, RESTRICTED, 32)
float8_e4m3fn = DType("float8_e4m3fn", ml_dtypes.float8_e4m3fn, RESTRICTED, 8)
float8_e5m2 = DType("float8_e5m2", ml_dtypes.float8_e5m2, RESTRICTED, 8)
float8_e8m0fnu = DType("float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, RESTRICTED, 8)
SMALL_FLOATS = [float8_e4m3fn, float8_e5m2]
ALL = [bool_, *INTEGERS, *FLOATS, tfloat32, *SMALL_FLOATS, float8_e8m0fnu]
BY_NAME = {dtype.name: dtype for dtype in ALL}


def of_array(array: np.ndarray) -> DType:
    return next(dtype for dtype in ALL if dtype.numpy == array.dtype)


def of_number(value: bool | int | float) -> DType:
    """The dtype of a Python number where nothing else decides."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return next(t for t in (int32, int64, uint64) if t.integer_range[0] <= value <= t.integer_range[1])
    return float32


class Undefined(ValueError):
    """The program is wrong: it does what the language leaves undefined."""


class NoPromotion(TypeError):
    """The language refuses to mix these types."""


def promote(a: DType, b: DType) -> DType:
    if a is b:
        return a
    if RESTRICTED in (a.category, b.category):
        raise NoPromotion(f"{a} with {b}")
    if a.category != b.category:
        return max(a, b, key=lambda t: t.category)
    if a.bitwidth == b.bitwidth or a.is_signed != b.is_signed:
        raise NoPromotion(f"{a} with {b}")
    return max(a, b, key=lambda t: t.bitwidth)


def adopt(dtype: DType, number: bool | int | float) -> DType:
    """The type of an operation on a tile of `dtype` and a Python number, which is weaker within a category."""
    own = of_number(number)
    return own if own.category > dtype.category else dtype


# ---- rounding ----


def to_odd(rounded: np.ndarray, error: np.ndarray) -> np.ndarray:
    """An f64 nearest to an exact value, and the sign of what it lacks, as the neighbour with an odd last bit: rounded
    once more, to any type of at most 51 bits, that gives what rounding the exact value once gives."""
    bits = rounded.view(np.int64)
    even = (bits & 1) == 0
    inexact = (error != 0) & np.isfinite(rounded) & even
    away = (error > 0) == (rounded > 0)
    # Zero has no neighbour in the direction of its sign bit that is nearer; an exact value of 0 is never inexact.
    step = np.where(away, 1, -1)
    return np.where(inexact & (rounded != 0), bits + step, bits).view(np.float64)


def from_double(values: np.ndarray, dtype: DType) -> np.ndarray:
    """f64 rounded once to a float type; the 8-bit types saturate."""
    values = np.asarray(values, np.float64)
    if dtype is float64:
        return values
    if dtype in (float16, float32):
        return values.astype(dtype.numpy)
    # ml_dtypes rounds to f32 on the way: make that step harmless.
    single = values.astype(np.float32)
    error = values - single.astype(np.float64)
    bits = single.view(np.int32)
    adjust = (error != 0) & np.isfinite(single) & (single != 0) & ((bits & 1) == 0)
    step = np.where((error > 0) == (single > 0), 1, -1).astype(np.int32)
    single = np.where(adjust, bits + step, bits).astype(np.int32).view(np.float32)
    if dtype is tfloat32:
        return single
    if dtype is not bfloat16:
        largest = float(ml_dtypes.finfo(dtype.numpy).max)
        single = np.where(np.isnan(single), single, np.clip(single, -largest, largest))
    return single.astype(dtype.numpy)


def round_directed(exact: np.ndarray, nearest: np.ndarray, dtype: DType, mode: str) -> np.ndarray:
    """`nearest`, an exact f64 (or one rounded to odd) in `dtype`, moved to the neighbour that the mode asks for."""
    rounded = nearest.astype(np.float64)
    if mode == "RZ":
        toward = np.where(np.abs(rounded) > np.abs(exact), 0.0, rounded)
    elif mode == "RM":
        toward = np.where(rounded > exact, -np.inf, rounded)
    else:
        toward = np.where(rounded < exact, np.inf, rounded)
    return np.nextafter(nearest, toward.astype(dtype.numpy)).astype(dtype.numpy)


def from_integers(values: np.ndarray, dtype: DType) -> np.ndarray:
    """Integers rounded once to a float type."""
    exact = np.asarray(values).astype(np.longdouble)  # 64 bits of mantissa hold every integer
    double = exact.astype(np.float64)
    if dtype is float64:
        return double
    return from_double(to_odd(double, (exact - double).astype(np.float64)), dtype)


def convert(values: np.ndarray, source: DType, target: DType) -> np.ndarray:
    """As `astype` does it: to nearest even, towards zero to integers, modulo 2^width among integers."""
    if source is target:
        return values
    if target is bool_:
        return values.astype(np.float64) != 0 if source.is_float else values != 0
    if target.is_float:
        if source.is_float:
            return from_double(values.astype(np.float64), target)
        if target.category == RESTRICTED:  # through f32
            return from_double(from_integers(values, float32).astype(np.float64), target)
        return from_integers(values, target)
    if source.is_float:
        whole = np.trunc(values.astype(np.float64))
        low, high = target.integer_range
        if not ((whole >= low) & (whole <= high)).all():
            raise Undefined(f"a float beyond the range of {target}")
        return whole.astype(target.numpy)
    return values.astype(target.numpy)


def number_as(value: bool | int | float, dtype: DType) -> np.ndarray:
    """A Python number as a constant of a type: integers wrap, floats round once."""
    if dtype is bool_:
        return np.array(value != 0)
    if dtype.is_integral:
        wrapped = int(value) & ((1 << dtype.bitwidth) - 1)
        if dtype.is_signed and wrapped >> (dtype.bitwidth - 1):
            wrapped -= 1 << dtype.bitwidth
        return np.array(wrapped, dtype.numpy)
    if isinstance(value, int):
        return from_integers(np.array(value, np.int64 if value < 1 << 63 else np.uint64), dtype)
    return from_double(np.array(value, np.float64), dtype)
