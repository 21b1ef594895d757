# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise functions. Operands broadcast like NumPy's and are promoted to a common dtype; a Python number adopts
the dtype of the other side unless it is of a stronger kind (bool < integer < float). Two Python numbers give a
compile-time number. The result has the broadcast shape. Every function is available since 0.1."""

from __future__ import annotations

from tilewright._intrinsic import intrinsic
from tilewright.modes import RoundingMode
from tilewright.tile import Tile, TileOrScalar


@intrinsic
def add(x, y, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> TileOrScalar:
    """``x + y``. Rounding RN, RZ, RM or RP and flushing of float32 subnormals are for floats. Integers wrap."""


@intrinsic
def sub(x, y, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> TileOrScalar:
    """``x - y``. Rounding RN, RZ, RM or RP and flushing of float32 subnormals are for floats. Integers wrap."""


@intrinsic
def mul(x, y, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> TileOrScalar:
    """``x * y``. Rounding RN, RZ, RM or RP and flushing of float32 subnormals are for floats. Integers wrap."""


@intrinsic
def truediv(x, y, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> TileOrScalar:
    """``x / y`` of floats; integer operands become float32. Rounding also FULL and APPROX (float32)."""


@intrinsic
def floordiv(x, y, /) -> TileOrScalar:
    """``x // y``, rounded towards minus infinity. Undefined for an integer ``y == 0`` and for the smallest integer
    divided by -1."""


def _host_cdiv(x, y):
    return -(-x // y)


@intrinsic(host=_host_cdiv)
def cdiv(x, y, /) -> TileOrScalar:
    """``x / y`` of integers rounded towards plus infinity; also works on the host. Undefined for ``y == 0``.

    >>> ct.cdiv(1000, 64)
    16
    """


@intrinsic
def mod(x, y, /) -> TileOrScalar:
    """``x % y`` with the sign of ``y``, as in Python; but a zero of floats has the sign of ``x``, as C's fmod has.
    Undefined for an integer ``y == 0``."""


@intrinsic
def divmod(x, y, /) -> tuple[TileOrScalar, TileOrScalar]:
    """``(x // y, x % y)`` of integers. Undefined for ``y == 0``."""


@intrinsic
def pow(x, y, /) -> TileOrScalar:
    """``x ** y``. An integer ``y`` of at most 32 bits keeps its dtype; otherwise both sides are floats."""


@intrinsic
def atan2(x1, x2, /) -> TileOrScalar:
    """Angle of the point ``(x2, x1)`` in radians, in [-pi, pi]; floats."""


@intrinsic
def minimum(x, y, /, *, flush_to_zero: bool = False, propagate_nan: bool = False) -> TileOrScalar:
    """The smaller of each pair. With ``propagate_nan`` a NaN on either side wins, else the other side does."""


@intrinsic
def maximum(x, y, /, *, flush_to_zero: bool = False, propagate_nan: bool = False) -> TileOrScalar:
    """The larger of each pair. With ``propagate_nan`` a NaN on either side wins, else the other side does."""


@intrinsic
def bitwise_and(x, y, /) -> TileOrScalar:
    """``x & y`` of integers or bools of one dtype."""


@intrinsic
def bitwise_or(x, y, /) -> TileOrScalar:
    """``x | y`` of integers or bools of one dtype."""


@intrinsic
def bitwise_xor(x, y, /) -> TileOrScalar:
    """``x ^ y`` of integers or bools of one dtype."""


@intrinsic
def bitwise_lshift(x, y, /) -> TileOrScalar:
    """``x << y`` of integers. Undefined where ``y`` is negative or at least the bit width."""


@intrinsic
def bitwise_rshift(x, y, /) -> TileOrScalar:
    """``x >> y`` of integers; signed ones keep their sign. Undefined where ``y`` is negative or at least the width."""


@intrinsic
def bitwise_not(x, /) -> TileOrScalar:
    """``~x`` of integers; of bools the logical not."""


@intrinsic
def greater(x, y, /) -> TileOrScalar:
    """``x > y`` as `bool_`. False where a side is NaN."""


@intrinsic
def greater_equal(x, y, /) -> TileOrScalar:
    """``x >= y`` as `bool_`. False where a side is NaN."""


@intrinsic
def less(x, y, /) -> TileOrScalar:
    """``x < y`` as `bool_`. False where a side is NaN."""


@intrinsic
def less_equal(x, y, /) -> TileOrScalar:
    """``x <= y`` as `bool_`. False where a side is NaN."""


@intrinsic
def equal(x, y, /) -> TileOrScalar:
    """``x == y`` as `bool_`. False where a side is NaN."""


@intrinsic
def not_equal(x, y, /) -> TileOrScalar:
    """``x != y`` as `bool_`. True where a side is NaN."""


@intrinsic
def where(cond, x, y, /) -> Tile:
    """``x`` where ``cond`` (`bool_`) holds, else ``y``; all three broadcast.

    >>> @ct.kernel
    ... def clip(x, least: int):
    ...     tile = ct.load(x, index=0, shape=(4,))
    ...     ct.store(x, index=0, tile=ct.where(tile < least, least, tile))
    >>> x = np.array([3, -1, 2, -5], np.int32)
    >>> clip[1](x, 0)
    >>> x
    array([3, 0, 2, 0], dtype=int32)
    """


@intrinsic
def exp(x, /, *, rounding_mode: RoundingMode | None = None) -> TileOrScalar:
    """e to the power of ``x``, floats. Rounding FULL (default) or APPROX (float32)."""


@intrinsic
def exp2(x, /, *, flush_to_zero: bool = False) -> TileOrScalar:
    """2 to the power of ``x``, floats."""


@intrinsic
def log(x, /) -> TileOrScalar:
    """Natural logarithm, floats. NaN for negative ``x``, minus infinity for 0."""


@intrinsic
def log2(x, /) -> TileOrScalar:
    """Logarithm to base 2, floats. NaN for negative ``x``, minus infinity for 0."""


@intrinsic
def sqrt(x, /, *, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False) -> TileOrScalar:
    """Square root, floats. Rounding RN, RZ, RM, RP, or APPROX (float32). NaN for negative ``x``."""


@intrinsic
def rsqrt(x, /, *, flush_to_zero: bool = False) -> TileOrScalar:
    """``1 / sqrt(x)``, floats."""


@intrinsic
def sin(x, /) -> TileOrScalar:
    """Sine of radians, floats."""


@intrinsic
def cos(x, /) -> TileOrScalar:
    """Cosine of radians, floats."""


@intrinsic
def tan(x, /) -> TileOrScalar:
    """Tangent of radians, floats."""


@intrinsic
def sinh(x, /) -> TileOrScalar:
    """Hyperbolic sine, floats."""


@intrinsic
def cosh(x, /) -> TileOrScalar:
    """Hyperbolic cosine, floats."""


@intrinsic
def tanh(x, /, *, rounding_mode: RoundingMode | None = None) -> TileOrScalar:
    """Hyperbolic tangent, floats. Rounding FULL (default) or APPROX (float32)."""


@intrinsic
def floor(x, /) -> TileOrScalar:
    """Largest integer not above ``x``, as a float of the same dtype."""


@intrinsic
def ceil(x, /) -> TileOrScalar:
    """Smallest integer not below ``x``, as a float of the same dtype."""


@intrinsic
def abs(x, /) -> TileOrScalar:
    """Absolute value. That of the smallest integer is itself."""


@intrinsic
def negative(x, /) -> TileOrScalar:
    """``-x``. That of the smallest integer is itself."""


@intrinsic
def isnan(x, /) -> TileOrScalar:
    """True where ``x`` is NaN, floats."""
