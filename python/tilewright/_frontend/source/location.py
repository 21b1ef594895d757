# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places in source files, and how an error shows them."""

from __future__ import annotations

import ast
import linecache
import unicodedata
from dataclasses import dataclass

_SHOWN_CALLS = 4  # at each end of a long chain


@dataclass(frozen=True)
class Location:
    """A span of source text (1-based, columns in characters), and the call through which it was inlined."""

    filename: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str
    function_line: int
    caller: Location | None = None

    def render(self, message: str) -> str:
        """The message at this place, with a caret, followed by the calls that lead here."""
        lines = [f"{self.filename}:{self.line}:{self.column}: {message}", *self._excerpt()]
        callers = self._callers()
        hidden = len(callers) - 2 * _SHOWN_CALLS
        for i, place in enumerate(callers):
            if hidden > 0 and i == _SHOWN_CALLS:
                lines.append(f"... {hidden} more calls ...")
            if hidden <= 0 or not _SHOWN_CALLS <= i < _SHOWN_CALLS + hidden:
                lines.append(f"called from {place.filename}:{place.line}:{place.column}, in {place.function}:")
                lines.extend(place._excerpt())
        return "\n".join(lines)

    def _callers(self) -> list[Location]:
        """The calls that lead here, innermost first."""
        callers, place = [], self.caller
        while place is not None:
            callers.append(place)
            place = place.caller
        return callers

    def _excerpt(self) -> list[str]:
        text = linecache.getline(self.filename, self.line).rstrip()
        if not text:
            return []
        end = self.end_column if self.end_line == self.line else len(text) + 1
        # A tab stays a tab and a wide character takes two cells, so that the caret stands below its text.
        before = "".join("\t" if c == "\t" else " " * _cells(c) for c in text[: self.column - 1])
        width = sum(_cells(c) for c in text[self.column - 1 : end - 1])
        return [f"    {text}", f"    {before}{'^' * max(1, width)}"]


def _cells(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def locate(node: ast.AST, filename: str, function: str, function_line: int, caller: Location | None) -> Location:
    """The place of a syntax node; `ast` counts columns in UTF-8 bytes."""
    line, column = node.lineno, node.col_offset
    end_line, end_column = node.end_lineno or line, node.end_col_offset or column + 1
    text = linecache.getline(filename, line)
    if not text.isascii():
        column = len(text.encode()[:column].decode(errors="replace"))
        end_column = len(linecache.getline(filename, end_line).encode()[:end_column].decode(errors="replace"))
    return Location(filename, line, column + 1, end_line, end_column + 1, function, function_line, caller)
