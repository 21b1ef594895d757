# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings as records of the protocol, which counts lines and columns from 0, and columns in units of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lsprotocol import types

from tilewright._tools.check.diagnostics import Diagnostic, Hint, Place
from tilewright._tools.lsp.checks import Checked

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Hint,
}


class Translation:
    """Of a document as it was checked. `units` is the length of a text in the client's units."""

    def __init__(self, checked: Checked, units: Callable[[str], int]):
        self.document, self.report = checked.document, checked.report
        self.lines = self.document.text.split("\n")
        self.units = units

    def diagnostics(self) -> list[types.Diagnostic]:
        return [self._diagnostic(each) for each in (*self.report.diagnostics, *self.report.unchecked)]

    def hints(self, first: int, last: int) -> list[types.InlayHint]:
        """Of these lines, counted from 0."""
        return [self._hint(each) for each in self.report.hints if first <= each.place.line - 1 <= last]

    def hints_at(self, line: int) -> list[Hint]:
        """Of a line, counted from 1."""
        return [each for each in self.report.hints if each.place.line == line]

    def _hint(self, hint: Hint) -> types.InlayHint:
        end = self._position(hint.place.line, hint.place.column + len(hint.name))
        return types.InlayHint(end, f": {hint.type}", kind=types.InlayHintKind.Type)

    def _diagnostic(self, each: Diagnostic) -> types.Diagnostic:
        """One in another file is shown at the call that leads there."""
        here, related = each.place, [(note.place, note.message) for note in each.notes]
        if here.path != self.document.path:
            calls = [note.place for note in each.notes if note.place.path == self.document.path]
            here, related = (calls or [Place(self.document.path, 1)])[0], [(each.place, each.message), *related]
        return types.Diagnostic(
            self._range(here),
            each.message,
            severity=_SEVERITIES[each.severity],
            code=each.rule,
            source="tilewright",
            related_information=[
                types.DiagnosticRelatedInformation(types.Location(self._uri(place.path), self._range(place)), message)
                for place, message in related
            ]
            or None,
        )

    def _uri(self, path: str) -> str:
        return self.document.uri if path == self.document.path else Path(path).absolute().as_uri()

    def _range(self, place: Place) -> types.Range:
        """To the end of the line where the end is not known."""
        start = self._position(place.line, place.column)
        if place.end_line:
            return types.Range(start, self._position(place.end_line, place.end_column))
        return types.Range(start, self._position(place.line, max(len(self._text(place.line)), place.column) + 1))

    def _position(self, line: int, column: int) -> types.Position:
        return types.Position(max(line - 1, 0), self.units(self._text(line)[: max(column - 1, 0)]))

    def _text(self, line: int) -> str:
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""
