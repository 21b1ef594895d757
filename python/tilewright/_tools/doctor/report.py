# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sections for people: two columns, and numbers of bytes in units."""

from __future__ import annotations

import textwrap
from typing import Any

_WIDTH = 110
_LEFT = 30


def render(sections: dict[str, Any]) -> str:
    return "\n".join(title + "\n" + "".join(_lines(rows)) for title, rows in sections.items())


def _lines(rows: dict[str, Any]) -> list[str]:
    lines = []
    for name, value in rows.items():
        many = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
        for number, each in enumerate(many):
            lines.append(_line("" if number else _title(name), _text(name, each)))
    return lines or ["  none\n"]


def _title(name: str) -> str:
    return name.removesuffix(" bytes").replace(" bytes ", " ")


def _line(name: str, text: str) -> str:
    if len(name) >= _LEFT:
        name += " "
    parts = textwrap.wrap(text, _WIDTH - _LEFT - 2, break_long_words=False, break_on_hyphens=False) or [""]
    return "".join(f"  {(name if not i else ''):<{_LEFT}}{part}".rstrip() + "\n" for i, part in enumerate(parts))


def _text(name: str, value: Any) -> str:
    """In units where the name says that it is a number of bytes."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if "bytes" in name.split() and isinstance(value, int):
        return _size(value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return _row(value)
    return str(value)


def _row(fields: dict[str, Any]) -> str:
    if "works" in fields:
        return ("yes" if fields["works"] else "no") + (f": {fields['because']}" if fields["because"] else "")
    return ", ".join(_field(name, value) for name, value in fields.items())


def _field(name: str, value: Any) -> str:
    """A text says itself what it is; a number does not."""
    text = _text(name, value)
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        return text.replace("yes: ", "") if value["works"] and value["because"] else f"{name}: {text}"
    return f"{_title(name)} {text}"


def _size(size: int) -> str:
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{value:.4g} {unit}"
