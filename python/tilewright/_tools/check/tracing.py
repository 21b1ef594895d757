# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel for one signature: its errors, the types of its variables, and its Tile IR by lines."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from tilewright import _native
from tilewright._frontend.compile import compile_traced, trace_kernel
from tilewright._frontend.ir.types import TileType
from tilewright._frontend.signature import Signature
from tilewright._frontend.trace.tracer import Named
from tilewright._tools.check.diagnostics import Diagnostic, Hint, Place, of_compiler, of_error
from tilewright._tools.levels.mlir import Names, read_module
from tilewright.errors import TileError


@dataclass
class Traced:
    diagnostics: list[Diagnostic] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)
    module: Any = None  # of Tile IR, if there are no errors


def trace(kernel: Any, name: str, specs: tuple, fallback: Place, target: str | None, time_limit: float) -> Traced:
    """With a target it is compiled for that, too. An error without a place is at `fallback`."""
    signature, result = Signature(specs), Traced()
    named: list[Named] = []
    failures: list[TileError] = []
    try:
        traced = trace_kernel(kernel, signature, named, failures)
        if not failures:
            result.module = compile_traced(kernel, signature, traced).module
            if target is not None:
                _compile(result, name, fallback, target, time_limit)
    except TileError as error:
        failures.append(error)
    except Exception as error:  # a fault of ours, or of a program's function that runs while tracing
        message = f"{type(error).__name__}: {error}"
        result.diagnostics.append(Diagnostic("error", fallback, message, type(error).__name__, name))
    result.diagnostics += [of_error(error, name, fallback) for error in failures]
    result.hints = _hints(named, fallback.path)
    return result


def _compile(result: Traced, name: str, fallback: Place, target: str, time_limit: float) -> None:
    emit = "ptx" if _native.is_nvidia_target(target) else ""  # which needs no assembler
    try:
        _native.compile_to(result.module, fallback.path, target, emit, time_limit=time_limit, packages=sys.path)
    except (TileError, ValueError) as error:
        result.diagnostics += of_compiler(error, name, fallback)


def _hints(named: list[Named], path: str) -> list[Hint]:
    """One for each place where a variable of the file gets a tile, or a tuple with some, which are named name[0] and so
    on; of a statement that is traced more than once, the first."""
    found: dict[Place, dict[str, str]] = {}
    for name, value, place in named:
        if place is not None and place.filename == path and isinstance(value.type, TileType):
            found.setdefault(Place.of(place), {}).setdefault(name, _type_text(value.type))
    return [Hint(place, _own_name(next(iter(types))), _joined(types)) for place, types in found.items()]


def _own_name(name: str) -> str:
    """Of one that may be helper.name[0]."""
    return name.partition("[")[0].rpartition(".")[2]


def _joined(types: dict[str, str]) -> str:
    texts = list(types.values())
    return f"({', '.join(texts)})" if any("[" in name for name in types) else texts[0]


def _type_text(type: TileType) -> str:
    shape = ", ".join(map(str, type.shape))
    return f"{type.dtype.name}[{shape}]" if type.shape else type.dtype.name


def code_by_line(module: Any, path: str) -> dict[int, list[str]]:
    """The operations of each line of the file; those of functions that are called also at the line of the call."""
    found: dict[int, list[str]] = {}
    for text, origins in read_module(module.text(debug_info=True), Names()):
        numbers = (frame.line for origin in origins for frame in origin if frame.file == path)
        if not text.lstrip().startswith("}"):
            for number in dict.fromkeys(numbers):
                found.setdefault(number, []).append(text.strip())
    return found
