# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules by people: decisions on a kernel for a GPU in the words of a plan file (docs/planning.md). Since 0.1."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._runtime.tracebacks import boundary
from tilewright.kernel import kernel
from tilewright.limits import time_limit


def plan_text(name: str, decisions: Mapping[str, Any]) -> str:
    """A plan file of one kernel: ``{"loop.0.stages": 4}`` becomes ``[name.loop.0]`` and ``stages = 4``."""
    tables: dict[str, list[str]] = {}
    for key, value in decisions.items():
        part, _, word = key.rpartition(".")
        shown = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else value
        tables.setdefault(f'"{name}".{part}'.rstrip("."), []).append(f"{word} = {shown}")
    return "".join("\n".join([f"[{table}]", *lines, ""]) for table, lines in tables.items())


class schedule:
    """Decisions on a kernel, one for each call: ``ct.schedule(matmul).warps(8).stages(0, 4).way("load.0", "tma")``.

    Each call returns a new schedule. ``.kernel`` is a kernel with these decisions; it compiles on its own, for GPUs,
    and `TileValueError` has the reason where they are impossible. Parts are counted as ``tilewright plan`` prints them.

    >>> @ct.kernel
    ... def gemm(a, b, c):
    ...     acc = ct.zeros((128, 128), ct.float32)
    ...     for k in range(ct.cdiv(a.shape[1], 64)):
    ...         acc = ct.mma(ct.load(a, (ct.bid(0), k), (128, 64)), ct.load(b, (k, ct.bid(1)), (64, 128)), acc)
    ...     ct.store(c, (ct.bid(0), ct.bid(1)), acc)
    >>> plan = ct.schedule(gemm).warps(8).stages(0, 3)
    >>> print(plan.text(), end='')
    ["gemm"]
    warps = 8
    ["gemm".loop.0]
    stages = 3
    >>> a, c = np.zeros((1024, 1024), np.float16), np.empty((1024, 1024), np.float32)
    >>> made = ct.explain(plan.kernel, (8, 8), (a, a, c), target='sm_90', product='H200')
    >>> made.bound in made.text
    True
    """

    def __init__(self, kernel: kernel, decisions: Mapping[str, Any] | None = None):
        self._kernel = kernel
        self.decisions: dict[str, Any] = dict(decisions or {})

    def _with(self, key: str, value: Any) -> schedule:
        return schedule(self._kernel, self.decisions | {key: value})

    def warps(self, count: int) -> schedule:
        """The number of warps of a CTA, a power of two of at most 32."""
        return self._with("warps", count)

    def persistent(self, value: bool = True) -> schedule:
        """Whether as many CTAs as multiprocessors loop over the grid."""
        return self._with("persistent", bool(value))

    def producer(self, word: str) -> schedule:
        """``"agent"``: a warpgroup of its own loads operands of products; ``"threads"``: those that multiply do."""
        return self._with("producer", word)

    def tile_order(self, group: int) -> schedule:
        """Of a persistent kernel, or one without products: tile blocks run in groups of so many along x, x first
        within a group, so that neighbours share more of what they load; 1: y first; 0: as the grid has them."""
        return self._with("tile_order", group)

    def cluster(self, count: int) -> schedule:
        """Of a persistent kernel: so many CTAs, 1, 2 or 4, work on adjacent tile blocks and load together what both
        need."""
        return self._with("cluster", count)

    def split(self, count: int) -> schedule:
        """Of a persistent kernel with one loop of products: so many CTAs, 1, 2, 4 or 8, share the iterations of each
        tile block, and add up their sums."""
        return self._with("split", count)

    def occupancy(self, count: int) -> schedule:
        """As many CTAs of a multiprocessor at a time, for which registers are limited; in the place of the hint."""
        return self._with("occupancy", count)

    def producer_registers(self, count: int) -> schedule:
        """Registers that a thread of the producer keeps, a multiple of 8; the threads that multiply get the rest."""
        return self._with("producer_registers", count)

    def slice(self, elements: int) -> schedule:
        """Elements of a slice of a tile that is too large for registers, a power of two from 1024 to 32768. A slice
        has one line of the tile at least, and 128 rows or columns of a product."""
        return self._with("slice", elements)

    def lhs(self, product: int, word: str) -> schedule:
        """Where a warpgroup reads the left operand of a product: ``"registers"`` or ``"shared"``."""
        return self._with(f"product.{product}.lhs", word)

    def atom(self, product: int, word: str) -> schedule:
        """The instruction of a product: ``"fma"``, ``"mma_sync"``, ``"wgmma"`` or ``"tcgen05"``."""
        return self._with(f"product.{product}.atom", word)

    def form(self, reduction: int, word: str) -> schedule:
        """How warps combine the lines of a reduction that they share: ``"registers"``, ``"lanes"``, ``"two_steps"``; or
        ``"warp"``: each has whole lines."""
        return self._with(f"reduction.{reduction}.form", word)

    def stages(self, loop: int, count: int) -> schedule:
        """The stages of the pipeline of a loop's loads; 1 prefetches nothing."""
        return self._with(f"loop.{loop}.stages", count)

    def order(self, loop: int, *items: str) -> schedule:
        """The steps of a loop with several products: those that start, waits for them, and the work between, as in
        ``order(0, "start product.0", "start product.1(i-1)", "wait product.0", "work", "wait product.1")``; or
        ``"serial"``."""
        return self._with(f"loop.{loop}.schedule", ", ".join(items))

    def way(self, part: str, word: str) -> schedule:
        """The way of ``"load.0"`` or ``"store.0"``: ``"tma"``, ``"cp_async"``, ``"threads"`` or ``"turned"``."""
        return self._with(f"{part}.way", word)

    def cache(self, part: str, word: str) -> schedule:
        """How caches treat the data of ``"load.0"`` or ``"store.0"`` that threads make: as by ``"default"``, or
        ``"streaming"``: it is evicted first."""
        return self._with(f"{part}.cache", word)

    @boundary
    def search(
        self,
        grid: Any,
        arguments: tuple[Any, ...],
        *,
        most: int = 200,
        target: str | None = None,
        product: str | None = None,
    ) -> PlanSearch:
        """Ranks other plans for a launch by predicted time; nothing is launched, and no array is read or written.

        Args:
            grid: Number of tile blocks, one to three integers.
            arguments: The kernel's arguments, of which shapes, strides, dtypes and integers count.
            most: How many plans are tried at most.
            target: As in ``"sm_90"``; by default the GPU that the arrays are on.
            product: As in ``"H100"``; by default the one that stands for the architecture.

        Decisions of this schedule are kept. Raises ValueError if the grid, the target or the product is none, or the
        target is no GPU, and `TileError` where the kernel cannot be compiled.
        """
        from tilewright._runtime import locks
        from tilewright._runtime.dispatch import launcher_of
        from tilewright._runtime.explanation import describe_launch, target_of

        name, arguments = self._kernel.__name__, tuple(arguments)
        launcher = launcher_of(self._kernel)
        launch = describe_launch(self.kernel, arguments)
        search = _native.search_plans(
            launch.module,
            launch.name,
            target or target_of(launcher.device(arguments)),
            _native.read_grid(name, grid),
            launch.values,
            product or "",
            most,
            packages=sys.path,
            time_limit=time_limit(),
            plan_text=launch.plan,
        )
        found = json.loads(search.json())

        def with_changes(changes: Mapping[str, Any]) -> schedule:
            return schedule(self._kernel, self.decisions | dict(changes))

        candidates = [
            Candidate(with_changes(each["changes"]), each["prediction"]["seconds"], each["prediction"]["bound"])
            for each in found["candidates"]
        ]
        refused = [(with_changes(each["changes"]), each["reason"]) for each in found["refused"]]
        key = (launch.name, launcher.specs(arguments), found["architecture"], launcher.bucket(arguments))
        plan = search.fastest()
        return PlanSearch(candidates, refused, plan, locks.file_name(*key), locks.file_text(*key, plan))

    def text(self, name: str | None = None) -> str:
        """The plan file, for the kernel's name or that of an exported one."""
        return plan_text(name or self._kernel.__name__, self.decisions)

    def write(self, path: Any) -> None:
        """Writes the plan file."""
        Path(path).write_text(self.text())

    @property
    def kernel(self) -> kernel:
        """A kernel of the same function and hints with these decisions."""
        made = self._kernel.replace_hints()
        made.decisions = dict(self.decisions)
        return made

    def __repr__(self) -> str:
        words = "".join(f" {key}={value}" for key, value in self.decisions.items())
        return f"<schedule of {self._kernel.__qualname__}{words}>"


@dataclass(frozen=True)
class Candidate:
    """A plan with its predicted time."""

    schedule: schedule
    seconds: float
    """Predicted, of one launch."""
    bound: str
    """The bound that is longest, as in ``"DRAM"``."""


@dataclass(frozen=True)
class PlanSearch:
    """The result of a search among plans."""

    candidates: Sequence[Candidate]
    """Those that the kernel can have, each plan once, the fastest first; the compiler's own is among them."""
    refused: Sequence[tuple[schedule, str]]
    """Those that it cannot have, with the reason."""
    plan: str = field(repr=False)
    """The plan file of the fastest: all decisions, each with its runner-up."""
    file: str = field(repr=False)
    """The name of the file with which TILEWRIGHT_LOCKS replays it, for this kernel, specialization, architecture and
    shape bucket."""
    locked: str = field(repr=False)
    """The text of that file: the plan below what it is for."""

    def lock(self, folder: str | Path) -> Path:
        """Writes the plan of the fastest where ``TILEWRIGHT_LOCKS=folder`` finds it, and returns the path. A file that
        is there is replaced."""
        from tilewright._runtime import locks

        path = Path(folder) / self.file
        locks.write(path, self.locked)
        return path

    @property
    def best(self) -> schedule:
        """The decisions of the fastest."""
        return self.candidates[0].schedule

    def _repr_html_(self) -> str:
        from tilewright._tools.display.plans import of_search

        return of_search(self)

    def __str__(self) -> str:
        rows = (f"{1e6 * each.seconds:10.1f} us  {each.bound:<20}  {each.schedule!r}" for each in self.candidates[:10])
        return "\n".join([f"{len(self.candidates)} plans, {len(self.refused)} refused", *rows])
