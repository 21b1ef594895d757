# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where lines of a compilation come from: places in the source, by which the levels are linked."""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    """A place in a file; column 0 where only the line is known."""

    file: str
    line: int
    column: int


# A place and the calls that led to it, innermost first. Code may know fewer of the calls than the levels above.
Origin = tuple[Frame, ...]


class Line(NamedTuple):
    """A line of a level. An operation that a pass made of several has several origins."""

    text: str
    origins: tuple[Origin, ...] = ()
