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
    """Stop compilation with ``message``, evaluated only then, unless the compile-time ``condition`` holds."""


@intrinsic
def static_iter(iterable) -> Any:
    """In ``for x in static_iter(iterable)``: repeat the body at compile time for each item, at most 1000. ``break``,
    ``continue`` and ``return`` are not allowed in the body."""


@intrinsic
def static_exception(exc, /) -> Any:
    """In ``raise static_exception(exc)``: stop compilation with the exception."""


@intrinsic
def ensure_constant(value, /) -> Any:
    """``value``, which must be known at compile time."""
