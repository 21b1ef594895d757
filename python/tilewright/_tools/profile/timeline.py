# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of one launch as spans of time on tracks: a worker of a CPU is a track."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

Block = tuple[int, int, int]


@dataclass(frozen=True)
class Span:
    """Times are nanoseconds from the beginning of the launch."""

    kind: str
    begin: int
    end: int
    first: int  # block, by its linear number
    last: int  # the one behind the last

    @property
    def length(self) -> int:
        return self.end - self.begin


@dataclass(frozen=True)
class Track:
    name: str
    spans: list[Span]

    @property
    def busy(self) -> int:
        """Nanoseconds."""
        return sum(span.length for span in self.spans)

    @property
    def end(self) -> int:
        return max((span.end for span in self.spans), default=0)


@dataclass(frozen=True)
class Timeline:
    grid: Block
    nanoseconds: int  # of the launch
    tracks: list[Track] = field(default_factory=list)

    def spans(self) -> Iterator[tuple[Track, Span]]:
        return ((track, span) for track in self.tracks for span in track.spans)

    def block(self, number: int) -> Block:
        x, y, _ = self.grid
        return number % x, number // x % y, number // (x * y)

    def shown(self, span: Span) -> str:
        """The blocks of a span: "(3, 0, 0)", or with the number of its neighbours, "(3, 0, 0) and 15 more"."""
        more = span.last - span.first - 1
        return f"{self.block(span.first)}" + (f" and {more} more" if more else "")


def of_workers(grid: Block, nanoseconds: int, runs: Sequence[tuple[int, int, int, int, int]]) -> Timeline:
    """From (worker, first block, the one behind the last, begin, end)."""
    tracks = [
        Track(f"worker {worker}", [Span("blocks", begin, end, first, last) for _, first, last, begin, end in own])
        for worker, own in groupby(sorted(runs, key=lambda run: (run[0], run[3])), key=lambda run: run[0])
    ]
    return Timeline(grid, nanoseconds, tracks)
