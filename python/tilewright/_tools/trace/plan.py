# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan of a kernel as the page draws it: decisions with their reasons, and what they come to in the code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tilewright._tools.trace import timeline
from tilewright._tools.trace.program import bytes_of, read_program
from tilewright._tools.trace.stages import Stage

_LAYOUT = re.compile(r'(#layout\d*) = #tileas\.layout<"(.*)">$')
_TILE_OF_LAYOUT = re.compile(r"(?:tensor)?<([\dx]*x\w+), (#layout\d*)>")
_LOOP = re.compile(r"%[\w:]+ = (linalg\.(?!yield|index|fill)\w+|cpu\.mma\w*).*")
_ITERATORS = re.compile(r"iterator_types = \[([^\]]*)\]")
_TILE = re.compile(r"(?:tensor|memref)<((?:\d+x)+\w+)")


def describe(explanation: Mapping[str, Any], stages: Sequence[Stage]) -> dict[str, Any]:
    names = ("name", "decisions", "facts", "instructions", "resources", "prediction")
    plan = {name: explanation[name] for name in names}
    for number, stage in enumerate(stages):
        rows = _rows_of(stage, explanation["name"])
        if stage.title == "tileas-to-nvvm":  # the one before it is the last of the dialect
            rows = _rows_of(stages[number - 1], explanation["name"])
            return plan | _of_gpu(stages[number - 1], rows, explanation) | {"stage": number - 1}
        if stage.title == "cpu-plan" and rows:
            return plan | {"stage": number, "loops": _loops(stage, rows)}
    return plan


def _rows_of(stage: Stage, name: str) -> range:
    """Of the function."""
    begins = [row for row, line in enumerate(stage.lines) if line.text.lstrip().startswith("func.func ")]
    own = [row for row in begins if re.search(rf'func @"?{re.escape(name)}"?\(', stage.lines[row].text)]
    return range(own[0], next((row for row in begins if row > own[0]), len(stage.lines))) if own else range(0)


def _of_gpu(stage: Stage, rows: range, explanation: Mapping[str, Any]) -> dict[str, Any]:
    program = read_program(stage.lines, rows)
    resources = explanation["resources"] or {}
    used = max((buffer.offset + buffer.stage_bytes * max(1, buffer.stages) for buffer in program.buffers), default=0)
    return {
        "agents": [{"name": each.name, "warps": each.warps, "registers": each.registers} for each in program.agents],
        "timeline": timeline.draw(program),
        "shared_bytes": max(used, resources.get("shared_bytes") or 0),
        "buffers": [asdict(each) | {"bytes": each.stage_bytes} for each in program.buffers],
        "layouts": _layouts(stage),
    }  # fmt: skip


def _layouts(stage: Stage) -> list[dict[str, Any]]:
    """With the types of their tiles, the largest first."""
    definitions = {match[1]: match[2] for line in stage.lines if (match := _LAYOUT.match(line.text))}
    tiles = Counter(use for line in stage.lines for use in _TILE_OF_LAYOUT.findall(line.text))
    found = [
        {"name": name, "layout": text, "tiles": [type for (type, used), _ in tiles.most_common() if used == name]}
        for name, text in definitions.items()
    ]
    return sorted(found, key=lambda each: -max(map(bytes_of, each["tiles"]), default=0))


def _loops(stage: Stage, rows: range) -> list[dict[str, Any]]:
    """Over tiles, as they are when the plan of a CPU is made."""
    return [loop for row in rows if (loop := _loop(row, stage.lines[row].text))]


def _loop(row: int, text: str) -> dict[str, Any] | None:
    match = _LOOP.match(text.strip())
    if not match:
        return None
    iterators = _ITERATORS.search(text)
    kinds = re.findall(r'"(\w+)"', iterators[1]) if iterators else []
    return {"row": row, "name": match[1], "iterators": kinds, "tiles": _TILE.findall(text)}
