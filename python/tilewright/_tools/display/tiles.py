# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that the debugger printed, as tables whose cells are coloured by value."""

from __future__ import annotations

import math
import re
import sys

from tilewright._tools.display.html import escape

_TILE = re.compile(r"tile<((?:\d+x)+)\w+>\s+(?=\[)")  # of one dimension at least
_BRACKET = re.compile(r"[\[\]]")
_NUMBER = re.compile(r"[^\s\[\],]+")
_LOWEST, _HIGHEST = (90, 140, 215), (225, 110, 90)  # red, green, blue
_SPECIAL = "#e0b000"  # NaN, infinities and undefined elements
_LARGE = 32  # columns from which on cells have no text


def of_dialogue(text: str) -> str:
    """The dialogue of a debugger, with its tiles drawn. A tile that is printed with parts left out stays text."""
    parts, end = [], 0
    for match in _TILE.finditer(text):
        shape = [int(extent) for extent in match[1].rstrip("x").split("x")]
        behind = _end_of_list(text, match.end())
        words = _NUMBER.findall(text[match.end() : behind])
        if len(words) == math.prod(shape):
            parts += [_text(text[end : match.end()].rstrip()), heat_map(shape, words)]
            end = behind
    return "".join([*parts, _text(text[end:])])


def write(text: str) -> None:
    """Shows a part of a dialogue as it comes: in a notebook with tiles drawn, else as text."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or not hasattr(shell, "kernel") or not _TILE.search(text):
        sys.stdout.write(text)
        return
    from IPython.display import HTML, display

    display(HTML(of_dialogue(text)))


def _end_of_list(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`."""
    depth = 0
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "[" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _text(text: str) -> str:
    return f'<pre style="margin: 0">{escape(text.strip(chr(10)))}</pre>' if text.strip() else ""


def heat_map(shape: list[int], words: list[str]) -> str:
    """Rows of the last dimension below each other; blue for the smallest number, red for the largest."""
    numbers = [_number(word) for word in words]
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    columns = shape[-1]
    rows = []
    for first in range(0, len(words), columns):
        cells = "".join(_cell(words, numbers, i, columns, low, high) for i in range(first, first + columns))
        rows.append(f"<tr>{cells}</tr>")
    return f'<table style="border-collapse: collapse; margin: 0.3em 0">{"".join(rows)}</table>'


def _number(word: str) -> float:
    try:
        return float({"True": "1", "False": "0", "?": "nan"}.get(word, word))
    except ValueError:  # an address
        return math.nan


def _cell(words: list[str], numbers: list[float], i: int, columns: int, low: float, high: float) -> str:
    colour = _SPECIAL
    if math.isfinite(numbers[i]):
        share = (numbers[i] - low) / (high - low) if high > low else 0.5
        colour = "#{:02x}{:02x}{:02x}".format(
            *(round(a + (b - a) * share) for a, b in ((90, 225), (140, 110), (215, 90)))
        )
    shown = escape(words[i]) if columns <= _LARGE else ""
    style = f"background: {colour}; color: black; padding: 0.15em 0.4em; text-align: right"
    row, column = divmod(i, columns)
    return f'<td style="{style}" title="[{row}, {column}] {escape(words[i])}">{shown}</td>'
