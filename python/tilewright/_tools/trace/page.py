# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trace as the data of a page, which the script makes rows of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tilewright._tools.levels.origins import Line, Origin
from tilewright._tools.page import template, write_page
from tilewright._tools.trace.stages import Stage

_SCRIPTS = [template(__package__, name) for name in ("page.js", "differences.js", "layouts.js", "plan.js", "panes.js")]
_NOTE = "A click on a line marks what it was made of, and what became of it, on every level. Escape clears the marks."


class _Table:
    """Numbers for values, in the order in which they come first."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


def pack(stages: Sequence[Stage], sources: Mapping[str, str], **facts: Any) -> dict[str, Any]:
    """The data of the script. Texts and places that several stages have are there once."""
    texts, places, origins, files = _Table(), _Table(), _Table(), _Table()
    places.number(())  # of lines that come from nowhere

    def place(line: Line) -> int:
        return places.number(tuple(origins.number(origin) for origin in line.origins))

    packed = [
        {
            "title": stage.title,
            "group": stage.group,
            "function": stage.function,
            "texts": _steps(texts.number(line.text) for line in stage.lines),
            "places": _steps(place(line) for line in stage.lines),
        }
        for stage in stages
    ]
    for name in sources:
        if sources[name]:
            files.number(name)
    return {
        **facts,
        "stages": packed,
        "texts": list(texts.numbers),
        "places": list(places.numbers),
        "origins": [[(files.number(f.file), f.line, f.column) for f in origin] for origin in origins.numbers],
        "files": [{"name": name, "lines": sources.get(name, "").splitlines()} for name in files.numbers],
    }


def _steps(numbers: Iterable[int]) -> list[int]:
    """The differences of neighbours: mostly 1, which packs well."""
    found, last = [], 0
    for number in numbers:
        found.append(number - last)
        last = number
    return found


def files_of(stages: Iterable[Stage]) -> list[str]:
    seen: dict[Origin, None] = {origin: None for stage in stages for line in stage.lines for origin in line.origins}
    return list(dict.fromkeys(frame.file for origin in seen for frame in origin))


def render(title: str, packed: Mapping[str, Any]) -> bytes:
    return write_page(title, packed, note=_NOTE, main='<nav></nav><div id="panes"></div>', scripts=_SCRIPTS)
