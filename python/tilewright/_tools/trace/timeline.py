# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CTA's agents and the stages of its rings over time: the program runs with its waits for some iterations of each
loop. Lengths are not times: a copy arrives some steps after it started, and a product takes some."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tilewright._tools.trace.program import Agent, Event, Loop, Program

_LENGTHS = {"copy": 1, "product": 4, "work": 3, "store": 2}
_ARRIVAL = 6  # of a copy, behind its commit
_MORE_ITERATIONS = 2  # than stages
_MOST_ITERATIONS = 8


def draw(program: Program) -> list[dict[str, Any]]:
    """Rows of bars: (kind, begin, end, number of use, row of the text)."""
    run = _Run(program)
    run.run()
    return run.rows()


def _unrolled(body: list[Event | Loop], iterations: int) -> Iterator[list[Event]]:
    """Events by iterations of the innermost loops; those outside are alone."""
    for each in body:
        if isinstance(each, Event):
            yield [each]
        elif any(isinstance(inner, Loop) and _is_shown(inner) for inner in each.body):
            yield from _unrolled(each.body, iterations)  # a loop over tile blocks, of which one is shown
        elif _is_shown(each):
            yield from [list(each.events())] * iterations


def _is_shown(loop: Loop) -> bool:
    return any(event.kind in ("product", "wait", "commit") for event in loop.events())


class _Ring:
    def __init__(self, stages: int):
        self.stages = stages
        self.started: list[int] = []  # of each use of a stage: its first copy,
        self.full: list[int] = []  # its arrival,
        self.read: list[int] = []  # the first wait for it,
        self.freed: list[int] = []  # and its release
        self.is_open = False

    def can_start(self) -> bool:
        return len(self.started) < self.stages + len(self.freed)

    def start(self, now: int) -> None:
        if not self.is_open:
            self.started.append(now)
            self.is_open = True


@dataclass
class _Going:
    """An agent, and the part of its program that it has not done."""

    agent: Agent
    parts: list[list[Event]]
    now: int = 0


class _Run:
    def __init__(self, program: Program):
        self.program = program
        self.rings = {buffer.name: _Ring(buffer.stages) for buffer in program.buffers if buffer.stages}
        self.bars: dict[str, list[tuple[str, int, int, int, int]]] = defaultdict(list)
        self.products: list[int] = []  # ends of those that still run
        most = max((ring.stages for ring in self.rings.values()), default=0)
        self.iterations = min(most + _MORE_ITERATIONS, _MOST_ITERATIONS)

    def run(self) -> None:
        """Each agent goes on until it has to wait for another one. Where none can, one has more iterations than the
        other, as software pipelining moves some out of loops: these are left out."""
        going = [_Going(agent, list(_unrolled(agent.program.body, self.iterations))) for agent in self.program.agents]
        while any(each.parts for each in going):
            if not any([self._go_on(each) for each in going]):
                next(each for each in going if each.parts).parts.pop(0)

    def _go_on(self, going: _Going) -> bool:
        has_done = False
        while going.parts:
            while going.parts[0]:
                then = self._do(going.agent, going.parts[0][0], going.now)
                if then is None:
                    return has_done
                going.now = then
                going.parts[0] = going.parts[0][1:]
                has_done = True
            going.parts.pop(0)
        return has_done

    def _do(self, agent: Agent, event: Event, now: int) -> int | None:
        """The time behind the event; None if it cannot happen yet."""
        ring = self.rings.get(event.ring)
        if event.kind == "acquire" and ring:
            if not ring.can_start():
                return None
            use = len(ring.started)
            return self._wait(agent, event, now, ring.freed[use - ring.stages] if use >= ring.stages else now)
        if event.kind == "wait" and ring:
            return self._wait_for_copies(agent, event, ring, now)
        if event.kind == "read" and ring:  # of the threads' own copies; the loop's next wait frees it
            return now
        if event.kind == "release" and ring:
            running = self.products if event.in_tensor_memory or self._last_is_in_tensor_memory else []
            ring.freed.append(max([now, *running]))
            return now
        if event.kind == "commit":
            for each in [ring] if ring else self.rings.values():
                if each.is_open:
                    each.full.append(now + _ARRIVAL)
                    each.is_open = False
            return now
        if event.kind == "copy" and ring:
            ring.start(now)
        if event.kind == "product":
            return self._multiply(agent, event, now)
        if event.kind == "product wait":
            kept = self.products[len(self.products) - event.pending :] if event.pending else []
            done = max([now, *self.products[: len(self.products) - len(kept)]])
            self.products = kept
            return self._wait(agent, event, now, done)
        length = _LENGTHS.get(event.kind, 0)
        if length:
            self.bars[agent.name].append((event.kind, now, now + length, -1, event.row))
        return now + length

    _last_is_in_tensor_memory = False

    def _multiply(self, agent: Agent, event: Event, now: int) -> int:
        begin = max([now, *self.products])
        end = begin + _LENGTHS["product"]
        self.bars["tensor cores"].append(("product", begin, end, -1, event.row))
        self._last_is_in_tensor_memory = event.in_tensor_memory
        if event.is_running:
            self.products.append(end)
            return now
        return self._wait(agent, event, now, end)

    def _wait_for_copies(self, agent: Agent, event: Event, ring: _Ring, now: int) -> int | None:
        """By its agent for the next stage, or by the threads for all groups of copies but the newest ones."""
        use = len(ring.read)
        is_own = len(self.program.agents) == 1
        if is_own and use:
            ring.freed.append(now)
        if use >= len(ring.full):
            return None
        then = self._wait(agent, event, now, max(now, ring.full[use]))
        ring.read.append(then)
        return then

    def _wait(self, agent: Agent, event: Event, now: int, then: int) -> int:
        if then > now:
            self.bars[agent.name].append(("waits", now, then, -1, event.row))
        return max(now, then)

    def rows(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [
            {"name": agent.name, "bars": self.bars[agent.name]} for agent in self.program.agents
        ]
        if self.bars["tensor cores"]:
            found.append({"name": "tensor cores", "bars": self.bars["tensor cores"]})
        last = max((bar[2] for row in found for bar in row["bars"]), default=0)
        for buffer in self.program.buffers:
            for stage in range(buffer.stages):
                bars = list(self._uses(self.rings[buffer.name], stage, buffer.row, last))
                found.append({"name": f"{buffer.name}, stage {stage}", "bars": bars})
        return found

    def _uses(self, ring: _Ring, stage: int, row: int, last: int) -> Iterator[tuple[str, int, int, int, int]]:
        for use in range(stage, len(ring.started), ring.stages):
            ends = [times[use] if use < len(times) else last for times in (ring.full, ring.read, ring.freed)]
            times = [ring.started[use], *ends]
            for kind, begin, end in zip(("copy", "full", "read"), times, times[1:], strict=False):
                if end > begin:
                    yield kind, begin, end, use, row
