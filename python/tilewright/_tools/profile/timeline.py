# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of one launch as spans of time on tracks: a worker of a CPU is a track, or an agent of a thread block of
a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

Block = tuple[int, int, int]

WAITS = ("wait", "acquire", "product wait", "store wait", "barrier")
"""Kinds of spans in which an agent does nothing."""


@dataclass(frozen=True)
class Span:
    """Times are nanoseconds from the beginning of the launch."""

    kind: str
    begin: float
    end: float
    first: int  # block, by its linear number
    last: int  # the one behind the last
    place: str = ""  # in the source
    iteration: int = -1  # how often the agent was there before in the block

    @property
    def length(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True)
class Track:
    name: str
    agent: str  # tracks of one agent do the same in other blocks
    spans: list[Span]
    unknown: float = 0  # nanoseconds behind the last span, of which the records had no room

    @property
    def busy(self) -> float:
        """Nanoseconds."""
        return sum(span.length for span in self.spans if span.kind not in WAITS)

    @property
    def end(self) -> float:
        return max((span.end for span in self.spans), default=0)


@dataclass(frozen=True)
class BlockTime:
    """Of a tile block, or of neighbours that were recorded together."""

    first: int
    last: int
    begin: float
    end: float
    where: str

    @property
    def processor(self) -> str:
        """A worker of a CPU, or the multiprocessor that has the CTA."""
        return self.where.partition(",")[0]

    @property
    def each(self) -> float:
        return (self.end - self.begin) / (self.last - self.first)


@dataclass(frozen=True)
class Timeline:
    grid: Block
    nanoseconds: float  # of the launch
    tracks: list[Track] = field(default_factory=list)
    blocks: list[BlockTime] = field(default_factory=list)
    records: int = 0
    dropped: int = 0  # others, the last of their tracks, that had no room

    def busy_processors(self) -> dict[str, list[tuple[float, float]]]:
        """By processor, the intervals in which it has blocks, in order and apart."""
        found: dict[str, list[tuple[float, float]]] = {}
        for one in sorted(self.blocks, key=lambda block: block.begin):
            intervals = found.setdefault(one.processor, [])
            if intervals and one.begin <= intervals[-1][1]:
                intervals[-1] = intervals[-1][0], max(intervals[-1][1], one.end)
            else:
                intervals.append((one.begin, one.end))
        return found

    def block(self, number: int) -> Block:
        x, y, _ = self.grid
        return number % x, number // x % y, number // (x * y)

    def shown(self, blocks: Span | BlockTime) -> str:
        """As "(3, 0, 0)", or with the number of its neighbours, "(3, 0, 0) and 15 more"."""
        more = blocks.last - blocks.first - 1
        return f"{self.block(blocks.first)}" + (f" and {more} more" if more else "")


def of_workers(grid: Block, nanoseconds: int, runs: Sequence[tuple[int, int, int, int, int]]) -> Timeline:
    """From (worker, first block, the one behind the last, begin, end)."""
    tracks = [
        Track(
            f"worker {worker}",
            "worker",
            [Span("blocks", begin, end, first, last) for _, first, last, begin, end in own],
        )
        for worker, own in groupby(sorted(runs, key=lambda run: (run[0], run[3])), key=lambda run: run[0])
    ]
    return Timeline(grid, nanoseconds, tracks, [_block_of(track, span) for track in tracks for span in track.spans])


def _block_of(track: Track, span: Span) -> BlockTime:
    return BlockTime(span.first, span.last, span.begin, span.end, track.name)


def block_times(tracks: Iterator[tuple[str, Track]]) -> list[BlockTime]:
    """Of the blocks of each place, from the first span of any of its tracks to the last one."""
    found: dict[tuple[str, int], tuple[float, float]] = {}
    for place, track in tracks:
        for span in track.spans:
            begin, end = found.get((place, span.first), (span.begin, span.end))
            found[place, span.first] = min(begin, span.begin), max(end, span.end)
    return [BlockTime(first, first + 1, *times, place) for (place, first), times in found.items()]
