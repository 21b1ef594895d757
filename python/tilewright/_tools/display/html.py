# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of HTML. Colours are those of the page around, so that a dark one stays dark."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


class Raw(str):
    """HTML already, in a cell of a table."""


def escape(value: Any) -> str:
    return value if isinstance(value, Raw) else html.escape(str(value))


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    cell = 'style="text-align: left; padding: 0.1em 0.8em 0.1em 0"'
    top = "".join(f"<th {cell}>{escape(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td {cell}>{escape(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def bar(share: float) -> Raw:
    """Of a hundredth to the whole width."""
    width = max(0.01, min(1.0, share)) * 12
    style = f"display: inline-block; width: {width:.2f}em; height: 0.8em; background: #4c78a8"
    return Raw(f'<span style="{style}"></span>')


def titled(name: str, rest: str, *parts: str) -> str:
    return f"<div><div><b>{escape(name)}</b> {escape(rest)}</div>{''.join(parts)}</div>"


def folded(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def time(seconds: float) -> str:
    return f"{1e6 * seconds:.1f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.2f} ms"
