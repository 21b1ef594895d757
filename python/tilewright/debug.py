# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Output and checks at run time. All since 0.1."""

from __future__ import annotations

from tilewright._intrinsic import intrinsic


@intrinsic
def printf(format: str, /, *args) -> None:
    """C-style formatted output; the compile-time ``format`` has one of d i u o x X e E f F g G a A per tile."""


@intrinsic(host=print)
def print(*args, sep: str = " ", end: str = "\n") -> None:
    """Write the arguments to the standard output; tiles as nested brackets. f-strings are allowed."""


@intrinsic
def assert_(cond, /, message: str | None = None) -> None:
    """Stop the launch with ``message`` unless all elements of the bool_ tile ``cond`` hold. The launch raises an error
    that names the block and the source line."""
