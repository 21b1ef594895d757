# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page: one file that needs nothing else. The trace is in it as packed JSON, which the script makes rows of."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from tilewright._tools.levels.origins import Line, Origin
from tilewright._tools.trace.stages import Stage

_SCRIPTS = ("page.js", "differences.js", "drawings.js", "layouts.js", "plan.js", "panes.js")


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
    data = zlib.compress(json.dumps(packed, separators=(",", ":")).encode(), 9)
    script = "\n".join(map(_template, _SCRIPTS))
    parts = {
        "title": html.escape(title),
        "style": _template("page.css"),
        "script": script,
        "script-hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "trace": base64.b64encode(data).decode(),
    }
    page = re.sub(r"@([\w-]+)@", lambda match: parts[match[1]], _template("page.html"))
    return page.encode("utf-8", "replace")


def _template(name: str) -> str:
    return resources.files(__package__).joinpath("template", name).read_text(encoding="utf-8")
