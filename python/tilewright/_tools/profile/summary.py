# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers that a profile comes to, as the table, the page and JSON have them."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

from tilewright._tools.profile.recorder import Recorded
from tilewright._tools.profile.timeline import WAITS, Timeline, Track

_SLOWEST = 5

_MEMORY = ("DRAM", "L2", "L2 to multiprocessor")
_UNITS = {
    "product": ("tensor cores",),
    **dict.fromkeys(("copy", "load", "store", "atomic"), _MEMORY),
    "work": ("f32 units", "f64 units", "integer units", "special functions", "warp shuffles", "shared memory"),
}
"""Of what an agent does, by the names that predictions have for units."""


def summarize(recorded: Recorded, timeline: Timeline) -> dict[str, Any]:
    """Times are in seconds."""
    launches = recorded.launches
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
        **(_of_timeline(timeline, prediction) if timeline.tracks else {"tracks": [], "agents": [], "blocks": None}),
    }


def _of_timeline(timeline: Timeline, prediction: dict[str, Any]) -> dict[str, Any]:
    return {
        "timeline_seconds": timeline.nanoseconds * 1e-9,
        "records": timeline.records,
        "dropped_records": timeline.dropped,
        "agents": _of_agents(timeline, prediction.get("bounds", {})),
        "tracks": [_of_track(track, timeline) for track in timeline.tracks],
        **_balance(timeline),
        "blocks": _of_blocks(timeline, prediction),
    }


def _balance(timeline: Timeline) -> dict[str, float]:
    """Of the workers or multiprocessors that had blocks: the share of time without any, and how far apart they end."""
    intervals = timeline.busy_processors().values()
    busy = sum(end - begin for of_one in intervals for begin, end in of_one)
    ends = [of_one[-1][1] for of_one in intervals]
    return {
        "idle_fraction": 1 - busy / (timeline.nanoseconds * len(ends)),
        "last_end_seconds": (max(ends) - min(ends)) * 1e-9,
    }


def _of_track(track: Track, timeline: Timeline) -> dict[str, Any]:
    kinds: dict[str, float] = defaultdict(float)
    for span in track.spans:
        kinds[span.kind] += span.length * 1e-9
    return {
        "name": track.name,
        "blocks": len({number for span in track.spans for number in range(span.first, span.last)}),
        "busy_fraction": track.busy / (timeline.nanoseconds - track.unknown),
        "end_seconds": track.end * 1e-9,
        "seconds": dict(kinds),
    }


def _of_agents(timeline: Timeline, bounds: dict[str, float]) -> list[dict[str, Any]]:
    """The shares of each agent in all blocks together: by kind, and by kind and place. Predicted are the times of the
    units that it keeps at work."""
    tracks: dict[str, list[Track]] = defaultdict(list)
    for track in timeline.tracks:
        tracks[track.agent].append(track)
    found = []
    for agent, own in tracks.items():
        sites: dict[tuple[str, str], list[float]] = defaultdict(list)
        for track in own:
            for span in track.spans:
                sites[span.kind, span.place].append(span.length)
        whole = sum(map(sum, sites.values())) or 1
        kinds: dict[str, float] = defaultdict(float)
        for (kind, _), lengths in sites.items():
            kinds[kind] += sum(lengths) / whole
        rows = [
            {"kind": kind, "place": place, "fraction": sum(lengths) / whole, "count": len(lengths),
             "median_seconds": statistics.median(lengths) * 1e-9}
            for (kind, place), lengths in sites.items()
        ]  # fmt: skip
        units = {unit for kind in kinds for unit in _UNITS.get(kind, ())}
        found.append({
            "name": agent,
            "predicted": {unit: seconds for unit, seconds in bounds.items() if unit in units},
            "tracks": len(own),
            "busy_fraction": sum(share for kind, share in kinds.items() if kind not in WAITS),
            "fractions": dict(sorted(kinds.items(), key=lambda each: -each[1])),
            "sites": sorted(rows, key=lambda row: -row["fraction"]),
        })  # fmt: skip
    return found


def _of_blocks(timeline: Timeline, prediction: dict[str, Any]) -> dict[str, Any]:
    """Of runs of several blocks that were recorded together, each has the same share."""
    slowest = sorted(timeline.blocks, key=lambda block: -block.each)[:_SLOWEST]
    x, y, z = timeline.grid
    predicted, at_a_time = prediction.get("seconds"), min(prediction.get("blocks_at_a_time", 0), x * y * z)
    return {
        "median_seconds": statistics.median(block.each for block in timeline.blocks) * 1e-9,
        "predicted_seconds": predicted * at_a_time / (x * y * z) if predicted else None,
        "most_in_a_record": max(block.last - block.first for block in timeline.blocks),
        "slowest": [
            {"seconds": block.each * 1e-9, "block": timeline.shown(block), "track": block.where,
             "at": block.begin * 1e-9}
            for block in slowest
        ],
    }  # fmt: skip
