# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR as text with locations: the lines without them, and where each comes from."""

from __future__ import annotations

import re

from tilewright._tools.levels.origins import Frame, Line, Origin

_ALIAS = re.compile(r"^([#!][a-zA-Z_]\w*) = (.*)$")
_ALIAS_USE = re.compile(r'"(?:[^"\\]|\\.)*"|[#!][a-zA-Z_]\w*')
_AT_END = re.compile(r"\s*\bloc\((#loc\d*)\)$")
_LOCATION_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\s*\bloc\(')
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|#?[\w.]+|->|\S)')


class Names:
    """Names for attributes and types that are the same in all modules of a trace, where MLIR numbers those of each
    module again."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def of(self, name: str, definition: str) -> str:
        base = name.rstrip("0123456789")
        if (base, definition) not in self._names:
            count = self._counts.get(base, 0)
            self._counts[base] = count + 1
            self._names[base, definition] = f"{base}{count or ''}"
        return self._names[base, definition]


def read_module(text: str, names: Names) -> list[Line]:
    """A module that was printed with debug information."""
    locations: dict[str, str] = {}
    rows = []
    for row in text.splitlines():
        alias = _ALIAS.match(row)
        if alias and alias[1].startswith("#loc"):
            locations[alias[1]] = alias[2]
        elif row.strip() and not (alias and alias[1].startswith("#di_")):  # which locations alone refer to
            rows.append(row)
    return _with_origins(_renamed([_split(row) for row in rows], names), _Locations(locations))


def _split(row: str) -> tuple[str, str]:
    """The row without locations, and the one behind its operation."""
    if match := _AT_END.search(row):
        rest = row[: match.start()]
        if "loc(" not in rest:
            return rest, match[1]
    kept, at, last = [], 0, ""
    while match := _LOCATION_OR_TEXT.search(row, at):
        if match[0].startswith('"'):
            kept.append(row[at : match.end()])
            at = match.end()
            continue
        end = _end_of_brackets(row, match.end())
        kept.append(row[at : match.start()])
        last = row[match.end() : end - 1] if not row[end:].strip() else ""
        at = end
    return "".join([*kept, row[at:]]), last


def _end_of_brackets(row: str, at: int) -> int:
    depth = 1
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', row[at:]):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return at + match.end()
    return len(row)


def _renamed(rows: list[tuple[str, str]], names: Names) -> list[tuple[str, str]]:
    own: dict[str, str] = {}

    def rename(text: str) -> str:
        return _ALIAS_USE.sub(lambda use: own.get(use[0], use[0]), text)

    found = []
    for text, location in rows:
        if alias := _ALIAS.match(text):
            definition = rename(alias[2])
            own[alias[1]] = names.of(alias[1], definition)
            text = f"{own[alias[1]]} = {definition}"
        elif own and ("#" in text or "!" in text):
            text = rename(text)
        found.append((text, location))
    return found


def _with_origins(rows: list[tuple[str, str]], locations: _Locations) -> list[Line]:
    """An operation with regions has its location behind them, and here at its first line too."""
    found = [Line(text, locations.origins(location) if location else ()) for text, location in rows]
    open_rows: list[int] = []
    for i, (text, _) in enumerate(rows):
        begun = i
        stripped = text.strip()
        if stripped.startswith("}") and open_rows:
            begun = open_rows.pop()
            if found[i].origins and not found[begun].origins:
                found[begun] = found[begun]._replace(origins=found[i].origins)
        if stripped.endswith("{"):
            # The arguments of a region may have a row of their own behind the operation.
            open_rows.append(i - 1 if i and stripped.startswith("(") else begun)
    return found


class _Locations:
    """The locations of a module by their aliases."""

    def __init__(self, aliases: dict[str, str]):
        self._aliases = aliases
        self._known: dict[str, tuple[Origin, ...]] = {}

    def origins(self, text: str) -> tuple[Origin, ...]:
        if text not in self._known:
            self._known[text] = ()  # of a cycle, which only a broken file has
            definition = self._aliases.get(text, "" if text.startswith("#loc") else text)
            self._known[text] = tuple(dict.fromkeys(_Parser(definition, self).read()))
        return self._known[text]


class _Parser:
    """One location; what it does not know has no origin."""

    def __init__(self, text: str, locations: _Locations):
        self._tokens = _TOKEN.findall(text)
        self._at = 0
        self._locations = locations

    def read(self) -> list[Origin]:
        token = self._next()
        if token == "loc":
            return self._in_brackets()
        if token == "callsite":
            self._next()
            callees = self.read()
            self._next()  # at
            callers = self.read()
            self._next()
            return [callee + caller for callee in callees for caller in callers or [()]]
        if token == "fused":
            return self._fused()
        if token == "#cuda_tile.di_loc":
            self._next()
            return self.read()
        if token.startswith('"'):
            return self._named(token)
        if token.startswith("#loc"):
            return list(self._locations.origins(token))
        return []

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _in_brackets(self) -> list[Origin]:
        self._next()
        found = self.read()
        self._next()
        return found

    def _fused(self) -> list[Origin]:
        depth = 0
        while (token := self._next()) and (depth or token != "["):  # metadata comes first
            depth += {"<": 1, ">": -1}.get(token, 0)
        found: list[Origin] = []
        while self._peek() not in ("", "]"):
            found += self.read()
            if self._peek() == ",":
                self._next()
        self._next()
        return found

    def _named(self, token: str) -> list[Origin]:
        """A file with line and column, or a name of something at a location."""
        if self._peek() == "(":
            return self._in_brackets()
        if self._peek() != ":":
            return []
        self._next()
        line = self._next()
        self._next()
        column = self._next()
        if not (line.isdigit() and column.isdigit()) or line == "0":
            return []
        return [(Frame(_unquoted(token), int(line), int(column)),)]


def _unquoted(token: str) -> str:
    r"""MLIR writes other bytes of a string as \XX."""
    text = re.sub(rb"\\([0-9A-Fa-f]{2})|\\(.)", lambda m: bytes([int(m[1], 16)]) if m[1] else m[2],
                  token[1:-1].encode("utf-8", "surrogateescape"))  # fmt: skip
    return text.decode("utf-8", "surrogateescape")
