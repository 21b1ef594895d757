# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for a GPU in its last form in the dialect tileas: what its agents do in which order, and where its buffers
are in shared memory."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tilewright._tools.levels.origins import Line

# The operations in a drawing; those on tiles without a row are work.
_KINDS = {
    "producer_acquire": "acquire",
    "producer_commit": "commit",
    "consumer_wait": "wait",
    "consumer_release": "release",
    "async_load": "copy",
    "async_load_ptr": "copy",
    "tma_load": "copy",
    "async_commit": "commit",
    "async_wait": "wait",
    "stage": "read",
    "mma": "product",
    "mma_scaled": "product",
    "tmem_mma": "product",
    "mma_wait": "product wait",
    "tmem_wait": "product wait",
    "tma_store": "store",
    "tma_store_wait": "",
}
_OPERATION = re.compile(r"(?:%[\w#:, %]+ = )?\"?([a-z_]\w*)\.([\w.]+)")
_RING = re.compile(r"(%\w+)(?:\[| at |,| :)")
_PIPELINE = re.compile(r"(%\w+) = tileas\.create_pipeline .*?(?:at (\d+) )?: <(\d+) x\[(.*)\]>")
_ALLOCATION = re.compile(r"(%\w+) = tileas\.(?:alloc|create_exchange)(?: at (\d+))? : .*?<(.*?)(?:, #\w+)?>")
_BUFFER = re.compile(r"<([\dx]+x[a-zA-Z]\w*)")
_AGENTS = re.compile(r"tileas\.agents warps = \[([^\]]*)\], registers = \[([^\]]*)\]")


@dataclass(frozen=True)
class Event:
    kind: str
    row: int  # of the stage's lines
    ring: str = ""
    pending: int = 0  # what a wait leaves running
    is_running: bool = False  # a product that is waited for later
    in_tensor_memory: bool = False


@dataclass
class Loop:
    body: list[Event | Loop] = field(default_factory=list)

    def events(self) -> Iterator[Event]:
        for each in self.body:
            if isinstance(each, Loop):
                yield from each.events()
            else:
                yield each


@dataclass
class Agent:
    name: str
    warps: int = 0  # 0: all
    registers: int = 0
    program: Loop = field(default_factory=Loop)


@dataclass(frozen=True)
class Buffer:
    """A part of shared memory; a ring has several stages of these types."""

    name: str
    row: int
    life: tuple[int, int]  # rows of its first and last use, by the consumers where a producer uses it too
    offset: int
    types: tuple[str, ...]
    stages: int = 0  # 0: no ring

    @property
    def stage_bytes(self) -> int:
        return sum(map(bytes_of, self.types))


@dataclass
class Program:
    agents: list[Agent]
    buffers: list[Buffer]


def bytes_of(type: str) -> int:
    """Of 128x64xbf16."""
    *shape, element = type.split("x")
    digits = re.search(r"\d+", element)
    bits = int(digits[0]) if digits else 64
    return math.prod(map(int, shape)) * (8 if bits == 1 else bits) // 8


def read_program(lines: Sequence[Line], rows: range) -> Program:
    return _Reader(lines, rows).program


class _Reader:
    def __init__(self, lines: Sequence[Line], rows: range):
        self.lines, self.rows = lines, rows
        everyone = Agent("threads")
        self.program = Program([everyone], [])
        self.open: list[Loop | None] = []  # of each region; None: it is a part of the one around it
        self.agent = everyone
        for row in rows:
            self._read(row, lines[row].text.strip())

    def _read(self, row: int, text: str) -> None:
        if text.startswith("}"):
            if self.open:
                self.open.pop()
            if text == "}, {" and len(self.program.agents) == 2:  # the producer's region follows that of the consumers
                self.agent = self.program.agents[1]
        if agents := _AGENTS.match(text):
            numbers = [[int(each) for each in numbers.split(",")] for numbers in agents.groups()]
            names = ("consumers", "producer")
            self.program.agents = [Agent(*each) for each in zip(names, *numbers, strict=False)]
            self.agent = self.program.agents[0]
            self.open.append(None)
            return
        self._note_buffer(row, text)
        self._note_event(row, text)
        if text.endswith("{"):
            loop = Loop() if "scf.for" in text or "scf.while" in text else None
            if loop:
                self._body().append(loop)
            self.open.append(loop)

    def _body(self) -> list[Event | Loop]:
        return next((loop.body for loop in reversed(self.open) if loop), self.agent.program.body)

    def _note_buffer(self, row: int, text: str) -> None:
        if ring := _PIPELINE.match(text):
            types = tuple(_BUFFER.findall(ring[4]))
            self.program.buffers.append(
                Buffer(ring[1], row, self._life(ring[1], row), int(ring[2] or 0), types, int(ring[3]))
            )
        elif (place := _ALLOCATION.match(text)) and re.fullmatch(r"[\dx]+x\w+", place[3]):
            life = self._life(place[1], row)
            self.program.buffers.append(Buffer(place[1], row, life, int(place[2] or 0), (place[3],)))

    def _life(self, name: str, row: int) -> tuple[int, int]:
        use = re.compile(rf"{re.escape(name)}\b")
        found = []
        for number in range(row + 1, self.rows.stop):
            text = self.lines[number].text.strip()
            if text == "}, {" or text.startswith(f"{name} = "):  # the producer's region, or another value of the name
                break
            if use.search(text) and "consumer_start" not in text:
                found.append(number)
        return (found[0], found[-1]) if found else (row, row)

    def _note_event(self, row: int, text: str) -> None:
        operation = _OPERATION.match(text)
        if not operation:
            return
        dialect, name = operation.groups()
        if dialect != "tileas" or name not in _KINDS:
            if "tensor<" in text and name not in ("constant", "yield", "for", "while", "if"):
                self._note_work(row)
            return
        if not (kind := _KINDS[name]):
            return
        rings = {buffer.name for buffer in self.program.buffers if buffer.stages}
        ring = next((each for each in _RING.findall(text) if each in rings), "")
        pending = re.search(r" but (\d+)" if name == "mma_wait" else r"%\w+, (\d+) ", text)
        is_running = "running" in text
        self._body().append(
            Event(kind, row, ring, int(pending[1]) if pending else 0, is_running, name.startswith("tmem_"))
        )

    def _note_work(self, row: int) -> None:
        body = self._body()
        if not (body and isinstance(body[-1], Event) and body[-1].kind == "work"):
            body.append(Event("work", row))
