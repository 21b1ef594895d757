# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches in turns: one is recorded, the next one is not, so that the cost of recording is measured beside it."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tilewright import _native
from tilewright._runtime.dispatch import launcher_of, make_launcher
from tilewright._runtime.profile import Launches, LaunchTable
from tilewright._tools.profile.agents import of_agents
from tilewright._tools.profile.timeline import Timeline, of_workers
from tilewright.tile_module import ModuleKernel


@dataclass
class Recorded:
    """The launches of one kernel with one grid and arguments that look alike."""

    launches: Launches
    profile: Any = field(default_factory=_native.LaunchProfile)  # whose memory on a GPU launches share
    plain: list[float] = field(default_factory=list)  # seconds, without records
    recorded: list[float] = field(default_factory=list)  # with them
    read: Callable[[], Timeline] | None = None  # of the fastest that was recorded

    @property
    def median(self) -> float:
        return statistics.median(_warm(self.plain or self.recorded))

    @property
    def overhead(self) -> float | None:
        """Of recording, as a fraction: the median over pairs of neighbours, which other work on the machine slows down
        alike. None if all launches were recorded."""
        pairs = _warm([recorded / plain for recorded, plain in zip(self.recorded, self.plain, strict=False)])
        return statistics.median(pairs) - 1 if pairs else None


def _warm(numbers: list[float]) -> list[float]:
    """Without that of the first launch, which reads memory that no cache has, if there are others."""
    return numbers[1:] or numbers


class Recorder:
    def __init__(self) -> None:
        self.table = LaunchTable()
        self.found: dict[tuple, Recorded] = {}
        self.recording: dict[int, Any] = {}  # launchers of code with records, by the kernel

    def launch(self, kernel: Any, grid: Any, arguments: Any, stream: Any, dependent: bool = False) -> None:
        """Replaces `launch`."""
        launcher = launcher_of(kernel)
        is_on_gpu = launcher.prepare(arguments, stream, grid)  # compiles, which is not timed
        key, launches = self.table.find(kernel, grid, arguments, is_on_gpu)
        found = self.found.setdefault(key, Recorded(launches))
        if len(found.recorded) > len(found.plain):
            found.plain.append(launcher.time(grid, arguments, stream, is_cache_cold=False))
            return
        if is_on_gpu:
            launcher = self._recording(kernel, launcher)
            launcher.prepare(arguments, stream, grid)
        seconds = launcher.time(grid, arguments, stream, is_cache_cold=False, profile=found.profile)
        if not found.recorded or seconds < min(found.recorded):
            found.read = _reader(found, is_on_gpu)
        found.recorded.append(seconds)

    def _recording(self, kernel: Any, plain: Any) -> Any:
        """Kernels of a module of Tile IR have no other code."""
        if isinstance(kernel, ModuleKernel):
            return plain
        if id(kernel) not in self.recording:
            self.recording[id(kernel)] = make_launcher(kernel, records=True)
        return self.recording[id(kernel)]


def _reader(found: Recorded, is_on_gpu: bool) -> Callable[[], Timeline]:
    """Copies the records now, before the next launch overwrites them."""
    grid, profile = found.launches.grid, found.profile
    if is_on_gpu:
        names, tracks = profile.names, profile.tracks
        return lambda: of_agents(grid, names, tracks)
    nanoseconds, runs = profile.nanoseconds, profile.runs
    return lambda: of_workers(grid, nanoseconds, runs)
