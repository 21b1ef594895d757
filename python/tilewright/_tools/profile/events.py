# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records as trace events in JSON, which Perfetto and the view of traces in browsers open. A kernel is a process and a
track is a thread of it; the prediction has a thread for each bound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tilewright._tools.profile.table import overhead_text
from tilewright._tools.profile.timeline import Timeline

_PREDICTED = 1_000_000  # the first thread of the prediction, behind all tracks


def write_events(profiles: list[tuple[dict[str, Any], Timeline]]) -> str:
    events = [event for process, each in enumerate(profiles, 1) for event in _of_kernel(process, *each)]
    overheads = {summary["kernel"]: overhead_text(summary) for summary, _ in profiles}
    return json.dumps({"displayTimeUnit": "ns", "otherData": {"overhead": overheads}, "traceEvents": events})


def _of_kernel(process: int, summary: dict[str, Any], timeline: Timeline) -> Iterator[dict[str, Any]]:
    title = f"{summary['kernel']} {'x'.join(map(str, summary['grid']))}"
    yield _name("process_name", process, 0, title)
    for thread, track in enumerate(timeline.tracks, 1):
        yield _name("thread_name", process, thread, track.name)
        for span in track.spans:
            arguments = {"block": timeline.shown(span), "place": span.place, "iteration": span.iteration}
            yield _span(process, thread, span.kind, span.begin, span.length, arguments)
    prediction = summary["prediction"] or {"bounds": {}}
    times = {"all": prediction["seconds"], **prediction["bounds"]} if prediction["bounds"] else {}
    for thread, (name, seconds) in enumerate(times.items(), _PREDICTED):
        yield _name("thread_name", process, thread, f"predicted: {name}")
        yield _span(process, thread, name, 0, seconds * 1e9, {"device": prediction["device"]})


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def _span(process: int, thread: int, name: str, begin: float, length: float, arguments: Any) -> dict[str, Any]:
    """Times of events are microseconds."""
    times = {"ts": begin / 1000, "dur": length / 1000}
    return {"ph": "X", "name": name, "pid": process, "tid": thread, "args": arguments, **times}
