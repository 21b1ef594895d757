# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans along dimensions of a tile. ``axis`` is a compile-time integer, a tuple of them, or None for all
dimensions; ``keepdims`` keeps them with size 1. Sums have the tile's dtype and are formed in it or in a wider one, in
unspecified order. All since 0.1."""

from __future__ import annotations

from typing import Any

from tilewright._intrinsic import intrinsic
from tilewright.modes import RoundingMode
from tilewright.tile import Tile


@intrinsic
def sum(
    x, /, axis=None, *, keepdims: bool = False, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile:
    """Sum of elements.

    >>> @ct.kernel
    ... def sums(x, out):
    ...     ct.store(out, index=0, tile=ct.sum(ct.load(x, index=(0, 0), shape=(2, 4)), axis=1))
    >>> out = np.empty(2, np.int64)
    >>> sums[1](np.arange(8).reshape(2, 4), out)
    >>> out
    array([ 6, 22])
    """


@intrinsic
def prod(
    x, /, axis=None, *, keepdims: bool = False, rounding_mode: RoundingMode | None = None, flush_to_zero: bool = False
) -> Tile:
    """Product of elements."""


@intrinsic
def max(x, /, axis=None, *, keepdims: bool = False, flush_to_zero: bool = False, propagate_nan: bool = False) -> Tile:
    """Largest element; NaN is skipped unless ``propagate_nan`` or all elements are NaN."""


@intrinsic
def min(x, /, axis=None, *, keepdims: bool = False, flush_to_zero: bool = False, propagate_nan: bool = False) -> Tile:
    """Smallest element; NaN is skipped unless ``propagate_nan`` or all elements are NaN."""


@intrinsic
def argmax(x, /, axis=None, *, keepdims: bool = False, propagate_nan: bool = False) -> Tile:
    """Index (int32) of the first largest element along one axis; without axis, into the row-major elements."""


@intrinsic
def argmin(x, /, axis=None, *, keepdims: bool = False, propagate_nan: bool = False) -> Tile:
    """Index (int32) of the first smallest element along one axis; without axis, into the row-major elements."""


@intrinsic
def reduce(x, /, axis: int, func, identity, *, keepdims: bool = False) -> Any:
    """Combine the elements along ``axis``, in an order that is not specified, with ``func(a, b)``, which is associative
    and commutative and has the compile-time ``identity``. ``x`` may be a tuple of tiles of one shape: then ``func``
    takes all left members, then all right ones, and returns a tuple. A function whose order matters, such as the
    composition of affine maps, is for `scan`, whose last elements are the result.

    >>> @ct.kernel
    ... def bits(x, out):
    ...     tile = ct.load(x, index=0, shape=(4,))
    ...     ct.store(out, index=0, tile=ct.reduce(tile, 0, lambda a, b: a | b, 0))
    >>> out = np.empty(1, np.int64)
    >>> bits[1](np.array([1, 2, 8, 2]), out)
    >>> out
    array([11])
    """


@intrinsic
def scan(x, /, axis: int, func, identity, *, reverse: bool = False) -> Any:
    """Inclusive prefix combination along ``axis`` with ``func(a, b)``, which is associative and whose left operand
    comes from the elements before (with ``reverse`` behind) those of its right one; else as `reduce`."""


@intrinsic
def cumsum(
    x,
    /,
    axis: int = 0,
    *,
    reverse: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile:
    """Inclusive prefix sums.

    >>> @ct.kernel
    ... def running(x):
    ...     ct.store(x, index=0, tile=ct.cumsum(ct.load(x, index=0, shape=(4,))))
    >>> x = np.array([1, 2, 3, 4])
    >>> running[1](x)
    >>> x
    array([ 1,  3,  6, 10])
    """


@intrinsic
def cumprod(
    x,
    /,
    axis: int = 0,
    *,
    reverse: bool = False,
    rounding_mode: RoundingMode | None = None,
    flush_to_zero: bool = False,
) -> Tile:
    """Inclusive prefix products."""
