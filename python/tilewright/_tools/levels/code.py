# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR and assembly with line numbers: the lines without debug information, and where each instruction comes
from."""

from __future__ import annotations

import re

from tilewright._tools.levels.origins import Frame, Line, Origin

_METADATA = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_DEBUG_USE = re.compile(r",? !dbg !(\d+)")
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at (\d+) (\d+) (\d+))?")
_TEMPORARY = re.compile(r"(\$L__|\.L)(tmp|func_(begin|end)|info_string|debug|cu_)\w*:")
_NO_INSTRUCTION = re.compile(r"\s*($|[.$#/{}()]|[^\s]+:(\s|$))")
_SASS_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)", line (\d+)')


def read_llvm(text: str) -> list[Line]:
    places = _DebugLocations(text)
    found = []
    for row in text.splitlines():
        if row.startswith("!"):
            continue
        use = _DEBUG_USE.search(row)
        origin = places.origin(use[1]) if use else ()
        found.append(Line(_DEBUG_USE.sub("", row), (origin,) if origin else ()))
    return _without_blank_ends(found)


class _DebugLocations:
    def __init__(self, text: str):
        self._metadata = dict(_METADATA.findall(text))
        self._known: dict[str, Origin] = {}

    def origin(self, number: str) -> Origin:
        if number not in self._known:
            self._known[number] = ()
            self._known[number] = self._read(number)
        return self._known[number]

    def _read(self, number: str) -> Origin:
        line = _field(self._metadata.get(number, ""), r"\bline: (\d+)")
        if line in ("", "0"):
            return ()
        text = self._metadata[number]
        column = _field(text, r"column: (\d+)") or "0"
        frame = Frame(self._file(number), int(line), int(column))
        outer = _field(text, r"inlinedAt: !(\d+)")
        if not outer or self._is_block(number, outer):
            return (frame,)
        return (frame, *self.origin(outer))

    def _is_block(self, number: str, outer: str) -> bool:
        """On a CPU, the body of a kernel is a function that the loop over the grid calls; no program has that call."""
        return self._function(number) == f"{self._function(outer)}.block"

    def _function(self, number: str) -> str:
        text = self._metadata.get(number, "")
        if "DISubprogram(" in text:
            return _field(text, r'name: "([^"]*)"')
        scope = _field(text, r"scope: !(\d+)")
        return self._function(scope) if scope else ""

    def _file(self, number: str) -> str:
        text = self._metadata.get(number, "")
        file = _field(text, r"file: !(\d+)")
        if not file:
            scope = _field(text, r"scope: !(\d+)")
            return self._file(scope) if scope else ""
        text = self._metadata.get(file, "")
        name, folder = _field(text, r'filename: "([^"]*)"'), _field(text, r'directory: "([^"]*)"')
        return _path(folder, name)


def _field(text: str, pattern: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _path(folder: str, name: str) -> str:
    """As LLVM quotes them: other bytes as \\XX."""
    path = name if name.startswith("/") or not folder else f"{folder}/{name}"
    data = re.sub(rb"\\([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), path.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape")


def read_assembly(text: str) -> list[Line]:
    """PTX, or assembly of a CPU: an instruction is of the .loc above it."""
    rows = text.splitlines()
    files = dict(_numbered_file(file) for file in map(_FILE.match, rows) if file)
    found: list[Line] = []
    origin: Origin = ()
    is_debug = False
    for row in rows:
        if match := re.match(r"\s*\.(section|text)\b\s*(\S*)", row):
            is_debug = ".debug" in match[2]
        if place := _LOC.match(row):
            frames = [place.groups()[0:3], place.groups()[3:6]]
            origin = tuple(
                Frame(files.get(number, ""), int(line), int(column))
                for number, line, column in frames
                if number and line != "0"
            )
        elif not (is_debug or _TEMPORARY.match(row) or _FILE.match(row)):
            is_instruction = origin and not _NO_INSTRUCTION.match(row)
            found.append(Line(row, (origin,) if is_instruction else ()))
    return _without_blank_ends(found)


def _numbered_file(match: re.Match) -> tuple[str, str]:
    number, folder, name = match.groups()
    return number, _path(folder, name) if name else _path("", folder)


def read_sass(text: str) -> list[Line]:
    """The text of nvdisasm with lines: a comment above the first instruction of a place, one for each call."""
    found: list[Line] = []
    origin: Origin = ()
    is_continued = is_code = False
    for row in text.splitlines():
        if section := re.match(r"\s*\.section\s+(\S+?),", row):
            is_code = section[1].startswith(".text")
        if not is_code:
            continue
        if row.lstrip().startswith("//## File"):
            frames = tuple(Frame(_path("", file), int(line), 0) for file, line in _SASS_PLACE.findall(row))
            # A row has a place and its caller, the next one that caller and its own.
            origin = (*origin, *frames[1:]) if is_continued and origin[-1:] == frames[:1] else frames
            is_continued = True
            continue
        is_continued = False
        if instruction := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?;)", row):
            found.append(Line(f"{instruction[1]}  {instruction[2].strip()}", (origin,) if origin else ()))
        elif label := re.match(r"\s*(\.L_x?_?\d+|\.text\.\S+):", row):
            found.append(Line(f"{label[1]}:"))
    return found


def _without_blank_ends(lines: list[Line]) -> list[Line]:
    full = [i for i, line in enumerate(lines) if line.text.strip()]
    return lines[full[0] : full[-1] + 1] if full else []
