# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The findings about a file, as records that travel between processes."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tilewright._frontend.source.location import Location


@dataclass(frozen=True, order=True)
class Place:
    """A span of source text: 1-based, columns in characters, the end behind the last one."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0  # 0: the end is not known
    end_column: int = 0

    @staticmethod
    def of(location: Location) -> Place:
        return Place(location.filename, location.line, location.column, location.end_line, location.end_column)


@dataclass(frozen=True)
class Note:
    place: Place
    message: str


@dataclass(frozen=True)
class Diagnostic:
    severity: str  # error, warning or note
    place: Place
    message: str
    rule: str  # the name of the error's class, or of another reason
    kernel: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Hint:
    """The type of a variable, behind its name."""

    place: Place
    name: str
    type: str


@dataclass
class Report:
    """Of a file. `unchecked` are kernels of which no types are known, or that cannot be had without running the
    file."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    unchecked: list[Diagnostic] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)  # kernels

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Report:
        return Report(
            [_diagnostic(each) for each in data["diagnostics"]],
            [_diagnostic(each) for each in data["unchecked"]],
            [Hint(**{**each, "place": Place(**each["place"])}) for each in data["hints"]],
            data["checked"],
        )


def _diagnostic(data: dict[str, Any]) -> Diagnostic:
    notes = tuple(Note(Place(**each["place"]), each["message"]) for each in data["notes"])
    return Diagnostic(**{**data, "place": Place(**data["place"]), "notes": notes})


def of_error(error: Any, kernel: str, fallback: Place) -> Diagnostic:
    """Of an exception of the front end; one without a place is at `fallback`."""
    rule, location = type(error).__name__, error.location
    if location is None:
        return Diagnostic("error", fallback, error.message, rule, kernel)
    notes, place = [], location.caller
    while place is not None:
        notes.append(Note(Place.of(place), f"called from here, in {place.function}"))
        place = place.caller
    return Diagnostic("error", Place.of(location), error.message, rule, kernel, tuple(notes))


_LINE = re.compile(r"(.+?):(\d+):(\d+): (error|warning|note|remark): (.*)")


def of_compiler(error: Any, kernel: str, fallback: Place) -> list[Diagnostic]:
    """Of an exception of the stages behind the front end, whose text has a line for each place."""
    found: list[Diagnostic] = []
    for line in str(error).splitlines():
        if not (match := _LINE.fullmatch(line)):
            continue
        place = Place(match[1], int(match[2]), int(match[3]))
        if match[4] == "error":
            found.append(Diagnostic("error", place, match[5], type(error).__name__, kernel))
        elif found:
            found[-1] = replace(found[-1], notes=(*found[-1].notes, Note(place, match[5])))
    return found or [Diagnostic("error", fallback, str(error), type(error).__name__, kernel)]
