# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of the evaluation: NumPy arrays with the operators of the language."""

from __future__ import annotations

import ctypes
import ctypes.util
import operator

import numpy as np

from kernel_generator import dtypes
from kernel_generator.dtypes import FLOAT, DType, Undefined, bool_, float32, float64

_libm = ctypes.CDLL(ctypes.util.find_library("m"))
_libm.fma.restype = ctypes.c_double
_libm.fma.argtypes = [ctypes.c_double] * 3
_fma64 = np.frompyfunc(_libm.fma, 3, 1)


class Tile:
    """A value of tile code. `factors` are those of a product that nothing else has seen: the language fuses a product
    of floats into the sum it is an operand of (programs use a product that is not written inside of the sum in other
    ways only, so that the rule is the same for every reader)."""

    def __init__(self, values: np.ndarray, dtype: DType, factors: tuple[Tile, Tile] | None = None):
        self.values = np.asarray(values)
        self.dtype = dtype
        self.factors = factors
        assert self.values.dtype == dtype.numpy, (self.values.dtype, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def ndim(self) -> int:
        return self.values.ndim

    def __repr__(self) -> str:
        return f"{self.dtype}{self.values.tolist()}"

    def _number(self):
        assert not self.shape, "a tile of several elements is no condition and no bound"
        return self.values.item()

    def __bool__(self) -> bool:
        return bool(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __index__(self) -> int:
        assert not self.dtype.is_float
        return int(self._number())

    __hash__ = object.__hash__

    def __getitem__(self, index):
        return Tile(self.values[index], self.dtype)

    def item(self):
        return self.reshape(())

    def reshape(self, shape):
        return Tile(self.values.reshape(shape), self.dtype)

    def permute(self, axes):
        return Tile(self.values.transpose(axes), self.dtype)

    def transpose(self, axis0=None, axis1=None):
        if axis0 is None:
            return Tile(self.values.T, self.dtype)
        return Tile(self.values.swapaxes(axis0, axis1), self.dtype)

    def astype(self, dtype, *, rounding_mode=None):
        values = dtypes.convert(self.values, self.dtype, dtype)
        if rounding_mode not in (None, "RN"):
            values = dtypes.round_directed(self.values.astype(np.float64), values, dtype, rounding_mode)
        return Tile(values, dtype)

    def extract(self, index, shape):
        return Tile(self.values[_part(index, shape)].copy(), self.dtype)

    def insert(self, index, value):
        result = self.values.copy()
        result[_part(index, value.shape)] = value.values
        return Tile(result, self.dtype)


def _part(index, shape) -> tuple[slice, ...]:
    return tuple(slice(int(i) * e, (int(i) + 1) * e) for i, e in zip(index, shape, strict=True))


def is_number(value) -> bool:
    return isinstance(value, (bool, int, float))


def scalar(value, dtype: DType) -> Tile:
    if isinstance(value, Tile):
        return value.astype(dtype)
    return Tile(dtypes.number_as(value, dtype), dtype)


def as_tile(value) -> Tile:
    return value if isinstance(value, Tile) else scalar(value, dtypes.of_number(value))


def common_dtype(x, y) -> DType:
    if isinstance(x, Tile) and isinstance(y, Tile):
        return dtypes.promote(x.dtype, y.dtype)
    return dtypes.adopt(x.dtype, y) if isinstance(x, Tile) else dtypes.adopt(y.dtype, x)


def _operands(x, y, to_float: bool = False) -> tuple[np.ndarray, np.ndarray, DType]:
    """Both sides in their common type and shape."""
    dtype = common_dtype(x, y)
    if to_float and not dtype.is_float:
        dtype = float32
    sides = np.broadcast_arrays(scalar(x, dtype).values, scalar(y, dtype).values)
    return sides[0], sides[1], dtype


def _by_type(name: str, function):
    def operation(x, y):
        if is_number(x) and is_number(y):
            return function(x, y)
        a, b, dtype = _operands(x, y)
        if dtype is bool_:
            raise TypeError(f"{name} of bools")
        with np.errstate(all="ignore"):
            return Tile(function(a, b).astype(dtype.numpy), dtype)

    return operation


_plain_add, _plain_subtract, _plain_multiply = (
    _by_type(f.__name__, f) for f in (operator.add, operator.sub, operator.mul)
)


def multiply(x, y):
    result = _plain_multiply(x, y)
    if isinstance(result, Tile) and result.dtype.is_float:
        result.factors = tuple(Tile(v, result.dtype) for v in _operands(x, y)[:2])
    return result


def _fused(product, other, sign_of_product: int, sign_of_other: int) -> Tile | None:
    """The sum as one fma, if `product` is one of its type and shape."""
    if not isinstance(product, Tile) or product.factors is None:
        return None
    a, b, dtype = _operands(product, other)
    if dtype is not product.dtype or a.shape != product.shape:
        return None
    x, y = (f.values for f in product.factors)
    return Tile(fma(x if sign_of_product > 0 else -x, y, b if sign_of_other > 0 else -b, dtype), dtype)


def fma(x: np.ndarray, y: np.ndarray, z: np.ndarray, dtype: DType) -> np.ndarray:
    """x*y + z rounded once."""
    with np.errstate(all="ignore"):
        if dtype is float64:
            return np.asarray(_fma64(x, y, z)).astype(np.float64)
        product = x.astype(np.float64) * y.astype(np.float64)  # exact
        other = z.astype(np.float64)
        total = product + other
        # Knuth's error of a sum.
        part = total - product
        error = (product - (total - part)) + (other - part)
        return dtypes.from_double(dtypes.to_odd(np.asarray(total), np.asarray(error)), dtype)


def add(x, y):
    for result in (_fused(x, y, 1, 1), _fused(y, x, 1, 1)):
        if result is not None:
            return result
    return _plain_add(x, y)


def subtract(x, y):
    for result in (_fused(x, y, 1, -1), _fused(y, x, -1, 1)):
        if result is not None:
            return result
    return _plain_subtract(x, y)


def divide(x, y):
    if is_number(x) and is_number(y):
        return x / y
    a, b, dtype = _operands(x, y, to_float=True)
    with np.errstate(all="ignore"):
        return Tile((a / b).astype(dtype.numpy), dtype)


def _check_division(a: np.ndarray, b: np.ndarray, dtype: DType) -> None:
    overflow = dtype.is_signed and ((a == dtype.integer_range[0]) & (b == -1)).any()
    if overflow or (b == 0).any():
        raise Undefined("division by zero, or of the smallest number by -1")


def floor_divide(x, y):
    if is_number(x) and is_number(y):
        return x // y
    a, b, dtype = _operands(x, y)
    with np.errstate(all="ignore"):
        if dtype.is_float:
            return Tile(np.floor((a / b).astype(dtype.numpy)), dtype)
        _check_division(a, b, dtype)
        return Tile(a // b, dtype)


def ceil_divide(x, y):
    if is_number(x) and is_number(y):
        return -(-x // y)
    a, b, dtype = _operands(x, y)
    _check_division(a, b, dtype)
    quotient = a // b
    return Tile(quotient + (quotient * b != a).astype(dtype.numpy), dtype)


def modulo(x, y):
    """With the sign of the divisor."""
    if is_number(x) and is_number(y):
        return x % y
    a, b, dtype = _operands(x, y)
    with np.errstate(all="ignore"):
        if not dtype.is_float:
            _check_division(a, b, dtype)
            return Tile(a % b, dtype)
        wide = a.astype(np.float64), b.astype(np.float64)
        rest = np.fmod(*wide).astype(dtype.numpy)
        fix = ((rest < 0) != (b < 0)) & (rest != 0)
        return Tile(np.where(fix, (rest + b).astype(dtype.numpy), rest), dtype)


def rounded(operator_name: str):
    """A sum, difference or product of f32 by a rounding mode."""

    def operation(x, y, /, *, rounding_mode=None):
        if rounding_mode in (None, "RN"):
            return BINARY[operator_name](x, y)
        a, b, dtype = _operands(x, y)
        assert dtype is float32
        a, b = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            if operator_name == "mul":
                exact = a * b
            else:
                b = -b if operator_name == "sub" else b
                total = a + b
                part = total - a
                exact = dtypes.to_odd(np.asarray(total), np.asarray((a - (total - part)) + (b - part)))
                if rounding_mode == "RM":  # a sum of opposite numbers
                    zero = (exact == 0) & ((a != 0) | (np.signbit(a) != np.signbit(b)))
                    exact = np.where(zero, -0.0, exact)
            nearest = dtypes.from_double(exact, float32)
            return Tile(dtypes.round_directed(exact, nearest, float32, rounding_mode), float32)

    return operation


def _bitwise(function, is_shift: bool = False):
    def operation(x, y):
        if is_number(x) and is_number(y):
            return function(x, y)
        a, b, dtype = _operands(x, y)
        if is_shift and not ((b >= 0) & (b < dtype.bitwidth)).all():
            raise Undefined(f"a shift of {dtype} by its width or more")
        assert dtype.category < FLOAT
        return Tile(function(a, b), dtype)

    return operation


def _comparison(function):
    def operation(x, y):
        if is_number(x) and is_number(y):
            return function(x, y)
        if not isinstance(x, (Tile, bool, int, float)) or not isinstance(y, (Tile, bool, int, float)):
            return NotImplemented
        a, b, _ = _operands(x, y)
        return Tile(np.asarray(function(a, b), bool), bool_)

    return operation


def extreme_of_two(x, y, largest: bool, propagate_nan: bool = False):
    """The larger or smaller; -0 is smaller than +0."""
    a, b, dtype = _operands(x, y)
    if not dtype.is_float:
        return Tile(np.where((a > b) == largest, a, b), dtype)
    before = (a < b) | ((a == b) & np.signbit(a) & ~np.signbit(b))  # a is the smaller one
    chosen = np.where(before == largest, b, a)
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    if propagate_nan:
        return Tile(np.where(nan_a, a, np.where(nan_b, b, chosen)), dtype)
    return Tile(np.where(nan_a, b, np.where(nan_b, a, chosen)), dtype)


def negative(x):
    if is_number(x):
        return -x
    if x.dtype.is_float:
        return Tile(np.negative(x.values), x.dtype)
    with np.errstate(all="ignore"):
        return Tile(np.asarray(np.zeros_like(x.values) - x.values), x.dtype)


def absolute(x):
    if is_number(x):
        return abs(x)
    with np.errstate(all="ignore"):
        return Tile(np.abs(x.values), x.dtype)


def invert(x):
    return not x if isinstance(x, bool) else ~x if is_number(x) else Tile(np.invert(x.values), x.dtype)


def where(condition, x, y):
    condition = as_tile(condition).astype(bool_)
    dtype = common_dtype(as_tile(x) if is_number(y) else x, y)
    return Tile(np.where(condition.values, scalar(x, dtype).values, scalar(y, dtype).values), dtype)


BINARY = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "truediv": divide,
    "floordiv": floor_divide,
    "mod": modulo,
    "and": _bitwise(operator.and_),
    "or": _bitwise(operator.or_),
    "xor": _bitwise(operator.xor),
    "lshift": _bitwise(operator.lshift, is_shift=True),
    "rshift": _bitwise(operator.rshift, is_shift=True),
}
COMPARISONS = {name: _comparison(getattr(operator, name)) for name in ("lt", "le", "gt", "ge", "eq", "ne")}

for _name, _function in BINARY.items():
    setattr(Tile, f"__{_name}__", _function)
    setattr(Tile, f"__r{_name}__", lambda self, other, function=_function: function(other, self))
for _name, _function in COMPARISONS.items():
    setattr(Tile, f"__{_name}__", _function)
Tile.__hash__ = object.__hash__
Tile.__neg__ = negative
Tile.__abs__ = absolute
Tile.__invert__ = invert
