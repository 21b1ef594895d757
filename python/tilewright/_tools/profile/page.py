# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles as a page: a picture of each timeline, and the numbers."""

from __future__ import annotations

from typing import Any

from tilewright._tools.page import template, write_page
from tilewright._tools.profile.table import overhead_text
from tilewright._tools.profile.timeline import Span, Timeline

_MOST_SPANS = 20_000
"""Of a kernel; the file for Perfetto has all."""


def render_profiles(profiles: list[tuple[dict[str, Any], Timeline]]) -> bytes:
    data = {"profiles": [_pack(*each) for each in profiles]}
    title = "profile of " + ", ".join(dict.fromkeys(summary["kernel"] for summary, _ in profiles))
    scripts = [template(__package__, "profile.js")]
    return write_page(title, data, note="Point at a bar for its block and time.", main="", scripts=scripts)


def _hint(timeline: Timeline, span: Span) -> str:
    iteration = f", iteration {span.iteration}" if span.iteration >= 0 else ""
    return f"block {timeline.shown(span)}{iteration}" + (f", {span.place}" if span.place else "")


def _pack(summary: dict[str, Any], timeline: Timeline) -> dict[str, Any]:
    """Times of spans are nanoseconds."""
    left = _MOST_SPANS
    rows = []
    for track in timeline.tracks:
        shown = track.spans[: max(0, left)]
        left -= len(shown)
        bars = [(span.kind, round(span.begin), round(span.end), _hint(timeline, span)) for span in shown]
        rows.append({"name": track.name, "bars": bars})
    is_cut = any(len(row["bars"]) < len(track.spans) for row, track in zip(rows, timeline.tracks, strict=True))
    facts = {"rows": rows, "nanoseconds": timeline.nanoseconds, "is_cut": is_cut}
    return {**summary, "overhead_text": overhead_text(summary), "timeline": facts}
