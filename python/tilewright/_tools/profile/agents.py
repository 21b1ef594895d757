# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records that agents of a GPU wrote (src/abi/AgentRecords.h) as a timeline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tilewright._tools.profile.timeline import Block, Span, Timeline, Track, block_times

_BLOCK = 1 << 30
_SETUP = ("setup", "", 0)
"""What an agent does between the beginning of a block and the first site."""

Clocks = tuple[int, int]
"""Nanoseconds of the GPU, and the lower half of a multiprocessor's clock."""

Raw = tuple[int, int, Clocks, Clocks, int, int, bytes]
"""(CTA, track, begin, end, multiprocessor, number of records, records)."""


def of_agents(grid: Block, names: tuple[list[str], list[tuple[str, str, int]]], raw: Sequence[Raw]) -> Timeline:
    agents, sites = names
    if not raw:
        return Timeline(grid, 0)
    start = min(begin[0] for _, _, begin, *_ in raw)
    rate = _nanoseconds_per_clock(raw)
    tracks, places = [], []
    for cta, track, begin, end, multiprocessor, count, records in raw:
        place = f"SM {multiprocessor}, CTA {cta}"
        words = np.frombuffer(records, np.uint32).reshape(-1, 2)
        clocks = (words[:, 0] - np.uint32(begin[1])).astype(np.float64) * rate + (begin[0] - start)
        last = float(end[0] - start) if count == len(words) else float(clocks[-1])
        spans = list(_spans(cta, float(begin[0] - start), clocks.tolist(), words[:, 1].tolist(), last, sites))
        tracks.append(Track(f"{place}, {agents[track]}", agents[track], spans, unknown=end[0] - start - last))
        places.append(place)
    kept, written = sum(len(records) // 8 for *_, records in raw), sum(count for *_, count, _ in raw)
    whole = max(end[0] for _, _, _, end, *_ in raw) - start
    return Timeline(grid, whole, tracks, block_times(zip(places, tracks, strict=True)), kept, written - kept)


def _nanoseconds_per_clock(raw: Sequence[Raw]) -> float:
    """Of all agents together: the time of a GPU moves in steps of up to a microsecond."""
    times = sum(end[0] - begin[0] for _, _, begin, end, *_ in raw)
    clocks = sum((end[1] - begin[1]) % 2**32 for _, _, begin, end, *_ in raw)
    return times / clocks if clocks and times else 1.0


def _spans(
    cta: int, begin: float, clocks: list[float], words: list[int], end: float, sites: Sequence[tuple[str, str, int]]
) -> Iterator[Span]:
    """Each record ends the span before it. A kernel that is not persistent has the one block of its CTA."""
    block, site, seen = cta, _SETUP, defaultdict[Any, int](int)
    for clock, word in zip([*clocks, max([end, *clocks[-1:]])], [*words, None], strict=True):
        kind, file, line = site
        if clock > begin:
            place = f"{Path(file).name}:{line}" if line else ""
            yield Span(kind, begin, clock, block, block + 1, place, seen[site] - 1 if site is not _SETUP else -1)
        begin = max(begin, clock)
        if word is None:
            return
        if word >= _BLOCK:
            block, site, seen = word - _BLOCK, _SETUP, defaultdict(int)
        else:
            site = sites[word]
            seen[site] += 1
