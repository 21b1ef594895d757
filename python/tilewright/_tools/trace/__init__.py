# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright trace`: one page in HTML with all levels of a kernel, linked by the places in its source.

`stages` compiles and reads what that prints, `plan` makes drawings of it (`program` has what agents of a
GPU do, `timeline` when), and `page` writes the file from the folder `template`.
"""

from __future__ import annotations

import contextlib
import sys
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._tools.check.diagnostics import Diagnostic, Place, of_compiler, of_error
from tilewright._tools.trace import page, plan
from tilewright._tools.trace.stages import Compilation, Compiler, compile_stages
from tilewright.errors import TileError

_MOST_BYTES_OF_SOURCE = 1 << 20


def run(options: Any, compiler: Compiler, read_module: Callable[[], Any]) -> bytes:
    """A kernel that fails has a page too, and the exit status 1."""
    sources: dict[str, str] = {}
    try:
        made = _compile(read_module(), compiler, sources)
    except TileError as error:  # of the front end
        made = Compilation(error=error)
    diagnostics = _diagnose(made.error, compiler.name)
    if made.error is not None:
        options.status = 1
        print(made.error, file=sys.stderr)
    places = [place for each in diagnostics for place in (each.place, *(note.place for note in each.notes))]
    for path in dict.fromkeys([*page.files_of(made.stages), *(place.path for place in places)]):
        sources.setdefault(path, _source(path))
    kernel = made.explanations[0]["name"] if made.explanations else Path(options.input).name
    packed = page.pack(
        made.stages,
        sources,
        kernel=kernel,
        target=options.target,
        error=str(made.error or ""),
        failed=list(dict.fromkeys((place.path, place.line) for place in places if place.line)),
        plans=[plan.describe(each, made.stages) for each in made.explanations],
        unchanged=made.unchanged,
        notes=made.notes,
    )
    return page.render(f"{kernel} for {options.target}", packed)


def _compile(module: Any, compiler: Compiler, sources: dict[str, str]) -> Compilation:
    """Text is its own source, and so is that of bytecode without locations."""
    made = compile_stages(module, compiler)
    if not isinstance(module, bytes):
        return made
    if b"\0" in module and made.stages and not page.files_of(made.stages[:1]):
        with contextlib.suppress(ValueError):  # of bytecode of other dialects
            module = _native.disassemble(module, compiler.name)
            made = compile_stages(module, compiler)
    if b"\0" not in module and (compiler.name in page.files_of(made.stages) or made.error is not None):
        sources[compiler.name] = module.decode("utf-8", "replace")
    return made


def _diagnose(error: Exception | None, name: str) -> list[Diagnostic]:
    if error is None:
        return []
    nowhere = Place(name, 0)  # the message says it, if anything does
    if isinstance(error, TileError) and error.location is not None:
        return [of_error(error, "", nowhere)]
    return of_compiler(error, "", nowhere)


def _source(path: str) -> str:
    """Of a file that is there; the trace of a module may name files of another machine."""
    try:
        with tokenize.open(path) as file:
            return file.read(_MOST_BYTES_OF_SOURCE)
    except (OSError, SyntaxError, ValueError):
        return ""
