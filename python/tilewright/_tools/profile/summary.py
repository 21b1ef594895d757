# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers that a profile comes to, as the table, the page and JSON have them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

from tilewright._tools.profile.recorder import Recorded
from tilewright._tools.profile.timeline import Timeline, Track

_SLOWEST = 5


def summarize(recorded: Recorded) -> dict[str, Any]:
    """Times are in seconds."""
    launches, timeline = recorded.launches, recorded.timeline
    prediction = launches.predict()
    predicted = prediction.get("seconds")
    return {
        "kernel": launches.kernel.__name__,
        "grid": list(launches.grid),
        "arguments": launches.arguments,
        "device": prediction.get("device"),
        "launches": len(recorded.plain) + len(recorded.recorded),
        "median_seconds": recorded.median,
        "recorded_launches": len(recorded.recorded),
        "recorded_seconds": min(recorded.recorded),
        "overhead": recorded.overhead,
        "ratio": recorded.median / predicted if predicted else None,
        "prediction": prediction or None,
        **(_of_timeline(timeline, predicted) if timeline and timeline.tracks else {"tracks": [], "blocks": None}),
    }


def _of_timeline(timeline: Timeline, predicted: float | None) -> dict[str, Any]:
    ends = [track.end for track in timeline.tracks]
    return {
        "timeline_seconds": timeline.nanoseconds * 1e-9,
        "tracks": [_of_track(track, timeline) for track in timeline.tracks],
        "idle_fraction": 1 - sum(track.busy for track in timeline.tracks) / (len(ends) * timeline.nanoseconds),
        "last_end_seconds": (max(ends) - min(ends)) * 1e-9,
        "blocks": _of_blocks(timeline, predicted),
    }


def _of_track(track: Track, timeline: Timeline) -> dict[str, Any]:
    kinds: dict[str, float] = defaultdict(float)
    for span in track.spans:
        kinds[span.kind] += span.length * 1e-9
    return {
        "name": track.name,
        "blocks": sum(span.last - span.first for span in track.spans),
        "busy_fraction": track.busy / timeline.nanoseconds,
        "end_seconds": track.end * 1e-9,
        "seconds": dict(kinds),
    }


def _of_blocks(timeline: Timeline, predicted: float | None) -> dict[str, Any]:
    """Of runs of several blocks that were recorded together, each has the same share."""
    each = [(span.length / (span.last - span.first), track, span) for track, span in timeline.spans()]
    slowest = sorted(each, key=lambda found: -found[0])[:_SLOWEST]
    x, y, z = timeline.grid
    at_a_time = min(len(timeline.tracks), x * y * z)
    return {
        "median_seconds": statistics.median(length for length, *_ in each) * 1e-9,
        "predicted_seconds": predicted * at_a_time / (x * y * z) if predicted else None,
        "most_in_a_record": max(span.last - span.first for _, _, span in each),
        "slowest": [
            {"seconds": length * 1e-9, "block": timeline.shown(span), "track": track.name, "at": span.begin * 1e-9}
            for length, track, span in slowest
        ],
    }
