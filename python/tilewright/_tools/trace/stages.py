# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stages of one compilation, from Tile IR to assembly, as far as it comes."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tilewright import _native
from tilewright._tools.levels import disassembler
from tilewright._tools.levels.code import read_assembly, read_llvm, read_sass
from tilewright._tools.levels.mlir import Names, read_module
from tilewright._tools.levels.origins import Line
from tilewright.errors import TileError

_HEADER = re.compile(r"^// -----// (Lowering|IR Dump After) (.*) //----- //$", re.MULTILINE)
_PASS = re.compile(r".*?\(([\w-]+)\)(?: \('[\w.]+' operation(?:: (@.*))?\))?$")


@dataclass(frozen=True)
class Stage:
    """A level, or a pass that changed something."""

    title: str
    group: str  # the lowering that it is a part of; empty for a level of its own
    lines: list[Line]
    function: str = ""  # where the pass worked on one of several


@dataclass
class Compilation:
    stages: list[Stage] = field(default_factory=list)
    unchanged: dict[str, list[str]] = field(default_factory=dict)  # passes of each lowering
    explanations: list[dict[str, Any]] = field(default_factory=list)  # of each kernel
    error: Exception | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Compiler:
    name: str  # of the input's file
    target: str
    settings: dict[str, Any]
    explain: Callable[[Any], str]  # a module, in JSON

    def compile(self, module: Any, level: str, **more: Any) -> Any:
        return _native.compile_to(module, self.name, self.target, level, lineinfo=True, **self.settings, **more)


def compile_stages(module: Any, compiler: Compiler) -> Compilation:
    """`module` is bytecode, text or the front end's."""
    made, names = Compilation(), Names()
    is_gpu = _native.is_nvidia_target(compiler.target)

    def emit(level: str, **more: Any) -> Any:
        return compiler.compile(module, level, **more)

    dumps = io.StringIO()
    try:
        text = emit("cuda_tile").output.decode("utf-8", "surrogateescape")
        made.stages.append(Stage("Tile IR", "", read_module(text, names)))
        with contextlib.redirect_stderr(dumps):  # where those before a failure go
            code = emit("ptx" if is_gpu else "asm", dump_after=["all"])
        dumps.write(code.dumps)
        _add_passes(made, dumps.getvalue(), names)
        made.stages.append(Stage("LLVM IR", "", read_llvm(_text(emit("llvm")))))
        made.stages.append(Stage("PTX" if is_gpu else "assembly", "", read_assembly(_text(code))))
        made.explanations = json.loads(compiler.explain(module))
        if is_gpu:
            _add_sass(made, emit)
    except TileError as error:
        made.error = error
        if len(made.stages) == 1:
            _add_passes(made, dumps.getvalue(), names)
    return made


def _text(made: Any) -> str:
    return made.output.decode("utf-8", "surrogateescape")


def _add_passes(made: Compilation, dumps: str, names: Names) -> None:
    group = ""
    for kind, title, body in _parts(dumps):
        if kind == "Lowering":
            group = title
            continue
        match = _PASS.match(title)
        name, function = (match[1], match[2] or "") if match else (title, "")
        lines = read_module(body, names)
        if [line.text for line in lines] == [line.text for line in made.stages[-1].lines]:
            made.unchanged.setdefault(group, []).append(name)
        else:
            made.stages.append(Stage(name, group, lines, function))


def _parts(dumps: str) -> Iterator[tuple[str, str, str]]:
    pieces = _HEADER.split(dumps)
    return zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)


def _add_sass(made: Compilation, emit: Any) -> None:
    if not disassembler.find():
        made.notes.append("no SASS: there is no nvdisasm in PATH, in /usr/local/cuda* or in Python's packages")
        return
    if why := next(filter(None, ((kernel["resources"] or {}).get("why_no_cubin") for kernel in made.explanations)), ""):
        made.notes.append(f"no SASS: {why}")
        return
    if text := disassembler.disassemble(emit("cubin").output):
        made.stages.append(Stage("SASS", "", read_sass(text)))
    else:
        made.notes.append("no SASS: nvdisasm cannot read the cubin")
