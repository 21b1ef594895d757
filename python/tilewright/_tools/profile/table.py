# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A profile as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_MOST_TRACKS = 16
_MOST_SITES = 6


def text_of(summary: dict[str, Any]) -> str:
    lines = [
        f"{summary['kernel']}  grid {'x'.join(map(str, summary['grid']))}  {summary['arguments']}",
        f"  time       {_time_line(summary)}",
        f"  overhead   {overhead_text(summary)}",
    ]
    if summary["tracks"]:
        parts = (_bound_lines, _block_lines, _agent_lines, _balance_lines, _track_lines)
        lines += [f"  {line}" for part in parts for line in part(summary)]
    return "\n".join(lines) + "\n"


def time_text(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for scale, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if seconds * scale < 999.5:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def percent_text(fraction: float) -> str:
    return f"{100 * fraction:.1f} %"


def overhead_text(summary: dict[str, Any]) -> str:
    recorded = summary["recorded_launches"]
    if summary["overhead"] is None:
        return f"not measured: all of the {summary['launches']} launches have records"
    return (
        f"{100 * summary['overhead']:+.1f} % with records, in the median of {recorded} launches with and "
        f"{summary['launches'] - recorded} without them, in turns"
    )


def _time_line(summary: dict[str, Any]) -> str:
    text = f"{time_text(summary['median_seconds'])}, the median of launches without records"
    if summary["overhead"] is None:
        text = f"{time_text(summary['median_seconds'])} with records"
    prediction = summary["prediction"]
    if prediction is None:
        return f"{text}; nothing is predicted"
    return (
        f"{text}; predicted {time_text(prediction['seconds'])} on {prediction['device']}, bound by"
        f" {prediction['bound']}: ratio {summary['ratio']:.2f}"
    )


def _block_lines(summary: dict[str, Any]) -> Iterable[str]:
    blocks = summary["blocks"]
    text = f"{time_text(blocks['median_seconds'])} in the median"
    if blocks["predicted_seconds"] is not None:
        text += f", predicted {time_text(blocks['predicted_seconds'])}"
    if blocks["most_in_a_record"] > 1:
        text += f"; up to {blocks['most_in_a_record']} neighbours have one record"
    yield f"blocks     {text}"
    for number, slow in enumerate(blocks["slowest"]):
        title, time = "" if number else "slowest", time_text(slow["seconds"])
        yield f"{title:<10} {time:>8}  {slow['block']} on {slow['track']} at {time_text(slow['at'])}"


def _bound_lines(summary: dict[str, Any]) -> Iterable[str]:
    bounds = (summary["prediction"] or {}).get("bounds", {})
    if bounds:
        yield f"predicted  each unit alone: {_units_text(bounds, max(bounds.values()))}"


def _units_text(times: dict[str, float], whole: float) -> str:
    """Those of at least a twentieth of the whole."""
    return ", ".join(f"{name} {time_text(time)}" for name, time in sorted(times.items(), key=lambda each: -each[1])
                     if time >= 0.05 * whole)  # fmt: skip


def _agent_lines(summary: dict[str, Any]) -> Iterable[str]:
    """Workers of a CPU do one thing only."""
    for agent in summary["agents"]:
        if list(agent["fractions"]) == ["blocks"]:
            continue
        shares = ", ".join(f"{kind} {percent_text(share)}" for kind, share in agent["fractions"].items())
        yield f"{agent['name']}: busy {percent_text(agent['busy_fraction'])}; {shares}"
        if summary["prediction"]:
            whole = summary["prediction"]["seconds"]
            units = _units_text(agent["predicted"], whole) or "no unit for long"
            yield f"  predicted {units}, of {time_text(whole)}"
        for site in agent["sites"][:_MOST_SITES]:
            times = f"{site['count']:>7} times {time_text(site['median_seconds']):>8}"
            yield f"  {percent_text(site['fraction']):>6}  {times}  {site['kind']} {site['place']}".rstrip()
    if summary["dropped_records"]:
        dropped, count = summary["dropped_records"], summary["records"]
        yield f"dropped    {dropped} of {dropped + count} records, the last, for which the memory had no room"


def _balance_lines(summary: dict[str, Any]) -> Iterable[str]:
    late, whole = map(time_text, (summary["last_end_seconds"], summary["timeline_seconds"]))
    yield f"balance    {percent_text(summary['idle_fraction'])} idle; the last ends {late} behind the first, of {whole}"


def _track_lines(summary: dict[str, Any]) -> Iterable[str]:
    """Of a GPU the agents stand for their tracks."""
    if len(summary["tracks"]) > len(summary["agents"]) and list(summary["tracks"][0]["seconds"]) != ["blocks"]:
        return
    rows = [("", "busy", "blocks", "end")]
    for track in summary["tracks"][:_MOST_TRACKS]:
        rows.append((track["name"], percent_text(track["busy_fraction"]), str(track["blocks"]),
                     time_text(track["end_seconds"])))  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join([row[0].ljust(len(first)), *others])
    if len(summary["tracks"]) > _MOST_TRACKS:
        yield f"and {len(summary['tracks']) - _MOST_TRACKS} more"
