# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile-time evaluation. All since 0.1."""

from __future__ import annotations

from typing import Any

from tilewright._intrinsic import intrinsic


@intrinsic
def static_eval(expr, /) -> Any:
    """The value of ``expr``, evaluated by Python at compile time: any expression over compile-time values, and
    arithmetic on tiles."""


@intrinsic
def static_assert(condition, message=None, /) -> None:
    """Stop compilation with ``message``, evaluated only then, unless the compile-time ``condition`` holds.

    >>> @ct.kernel
    ... def sums(x, WIDTH: ct.Constant[int]):
    ...     ct.static_assert(WIDTH >= 4, f'WIDTH is {WIDTH}, expected at least 4')
    >>> sums[1](np.ones(4), 2)
    Traceback (most recent call last):
        ...
    tilewright.errors.TileStaticAssertionError: ... WIDTH is 2, expected at least 4
    ...
    """


@intrinsic
def static_iter(iterable) -> Any:
    """In ``for x in static_iter(iterable)``: repeat the body at compile time for each item, at most 1000. ``break``,
    ``continue`` and ``return`` are not allowed in the body.

    >>> @ct.kernel
    ... def powers(out):
    ...     for i in ct.static_iter(range(4)):
    ...         ct.store(out, index=i, tile=ct.static_eval(2**i))
    >>> out = np.empty(4, int)
    >>> powers[1](out)
    >>> out
    array([1, 2, 4, 8])
    """


@intrinsic
def static_exception(exc, /) -> Any:
    """In ``raise static_exception(exc)``: stop compilation with the exception."""


@intrinsic
def ensure_constant(value, /) -> Any:
    """``value``, which must be known at compile time."""
