# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file as a syntax tree, as far as it has one: statements that are half typed are left out, and the others stay."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from tilewright._tools.check.diagnostics import Diagnostic, Place

_MOST_FAULTS = 20
# A line that begins a statement of the module. The keywords go on with one, and so do brackets and ends of strings.
_BEGIN = re.compile(r"(?!(else|elif|except|finally)\b)[\w@]")


@dataclass(frozen=True)
class Parsed:
    tree: ast.Module
    text: str  # with empty lines in the place of statements that are no Python
    faults: list[Diagnostic]


def parse(text: str, path: str) -> Parsed:
    lines = text.split("\n")
    faults: list[Diagnostic] = []
    while len(faults) < _MOST_FAULTS:
        try:
            return Parsed(_tree(lines), "\n".join(lines), faults)
        except SyntaxError as error:
            span, error = _blame(lines, error)
            faults.append(_fault(error, path))
        except (ValueError, RecursionError, MemoryError) as error:  # a null byte, or nested too deep
            faults.append(Diagnostic("error", Place(path, 1), str(error) or type(error).__name__, "SyntaxError"))
            break
        if not any(line.strip() for line in lines[span.start : span.stop]):
            break
        lines[span.start : span.stop] = [""] * len(span)
    return Parsed(ast.Module([], []), "", faults)


def _tree(lines: list[str]) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse("\n".join(lines))


def _fault(error: SyntaxError, path: str) -> Diagnostic:
    line, column = error.lineno or 1, max(error.offset or 1, 1)
    end_line, end_column = error.end_lineno or 0, error.end_offset or 0
    if (end_line, end_column) <= (line, column) or end_column < 1:
        end_line = end_column = 0
    return Diagnostic("error", Place(path, line, column, end_line, end_column), error.msg, "SyntaxError")


def _blame(lines: list[str], error: SyntaxError) -> tuple[range, SyntaxError]:
    """The lines of the statement that is wrong, and its error. An open bracket is noticed in the statement behind
    it."""
    span = _statement_at(lines, min(error.lineno or len(lines), len(lines)) - 1)
    if _own_error(lines, span) is not None:
        return span, error
    before = span
    while before.start > 0:
        before = _statement_at(lines, before.start - 1)
        own = _own_error(lines, before)
        if own is not None:
            return before, own
    return span, error


def _own_error(lines: list[str], span: range) -> SyntaxError | None:
    try:
        _tree([""] * span.start + lines[span.start : span.stop])
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _statement_at(lines: list[str], index: int) -> range:
    """The lines of the module's statement around a line, and those of its decorators."""
    first = index
    while first > 0 and not _BEGIN.match(lines[first]):
        first -= 1
    after = first + 1
    while after < len(lines) and (lines[after - 1].startswith("@") or not _BEGIN.match(lines[after])):
        after += 1
    while first > 0 and lines[first - 1].startswith("@"):
        first -= 1
    return range(first, after)
