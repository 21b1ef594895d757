# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file and the findings about it. Kernels whose text, and that of the definitions they use, has been seen before are
not traced again: their findings move with the lines."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tilewright._frontend.trace.language import TILE_CODE
from tilewright._tools.check import execution, signatures
from tilewright._tools.check.diagnostics import Diagnostic, Hint, Place, Report
from tilewright._tools.check.parsing import parse
from tilewright._tools.check.slices import Slice, inner_kernels, kernel_slices, statements_of
from tilewright._tools.check.tracing import code_by_line, trace
from tilewright.errors import TileError
from tilewright.kernel import kernel as Kernel

_MOST_KEPT = 512


@dataclass(frozen=True)
class _Anchors:
    """The lines that findings are relative to: the first of each statement of a slice, and those of the comments with
    its signatures."""

    path: str
    spans: tuple[tuple[int, int], ...]

    def moved(self, place: Place, to: _Anchors) -> Place:
        if place.path != self.path:
            return place
        for (first, last), (now, _) in zip(self.spans, to.spans, strict=True):
            if first <= place.line <= last:
                by = now - first
                end_line = place.end_line + by if place.end_line else 0
                return replace(place, line=place.line + by, end_line=end_line)
        return place

    def moved_all(self, diagnostics: Iterable[Diagnostic], to: _Anchors) -> list[Diagnostic]:
        return [
            replace(
                each,
                place=self.moved(each.place, to),
                notes=tuple(replace(note, place=self.moved(note.place, to)) for note in each.notes),
            )
            for each in diagnostics
        ]


@dataclass
class _Result:
    """Of a kernel."""

    anchors: _Anchors
    diagnostics: list[Diagnostic]
    unchecked: list[Diagnostic]
    hints: list[Hint]
    modules: list[Any]


class Engine:
    """Checks files. With `target`, kernels are compiled for that, else only to Tile IR. `announce(key, stage)` is
    called before the definitions of a kernel are executed (stage "definitions"), and before it is traced ("kernel")."""

    def __init__(
        self, target: str | None = None, time_limit: float = 0, announce: Callable[[str, str], None] | None = None
    ):
        self.target = target
        self.time_limit = time_limit
        self.announce = announce or (lambda key, stage: None)
        self.kept: dict[tuple, _Result] = {}
        self.shown: dict[str, list[tuple[_Result, _Anchors]]] = {}  # of the latest text of each file
        self.imported: dict[str, tuple[str, float]] = {}
        self.others = frozenset(sys.modules)  # imported by whom the engine is a part of

    def check(self, text: str, path: str, fatal: Mapping[str, str] | None = None) -> Report:
        """Kernels that have ended an earlier process are not worked on: `fatal` says why, by their keys."""
        self._forget_changed_modules()
        execution.add_import_paths(path)
        parsed = parse(text, path)
        execution.show_text(path, parsed.text)
        statements = statements_of(parsed.tree, parsed.text)
        written = signatures.written_in(text, parsed.tree)
        report = Report(diagnostics=list(parsed.faults))
        self.shown[path] = []
        slices = kernel_slices(statements)
        for part in slices:
            comments = [each for each in written if each.kernel == part.kernel]
            self._add(report, part, comments, path, fatal or {}, bool(parsed.faults))
        names = {part.kernel for part in slices}
        for each in written:
            if each.kernel not in names and not parsed.faults:
                message = (
                    f"no kernel {each.kernel!r} in this file, expected one of {', '.join(sorted(names)) or '(none)'}"
                )
                report.diagnostics.append(_fault_of(each, message, path))
        for node in inner_kernels(statements):
            place = Place(path, node.lineno, node.col_offset + 1)
            report.unchecked.append(_unchecked(node.name, place, "a function defines it"))
        self._note_modules()

        # A helper may be called from several kernels, and a kernel have several signatures: the first one's stay. Of a
        # helper in another file each call is a place here.
        def identity(each: Diagnostic) -> tuple:
            return each.place, each.message, () if each.place.path == path else tuple(n.place for n in each.notes)

        report.diagnostics = _first_by(identity, report.diagnostics)
        report.unchecked = _first_by(identity, report.unchecked)
        report.hints = _first_by(lambda each: each.place, report.hints)
        return report

    def code_of(self, path: str, line: int) -> list[str]:
        """The Tile IR of a line of the text that was checked last."""
        for result, anchors in self.shown.get(path, ()):
            before = anchors.moved(Place(path, line), result.anchors)
            if not any(first <= line <= last for first, last in anchors.spans):
                continue
            for module in result.modules:
                if code := code_by_line(module, path).get(before.line):
                    return code
        return []

    def _add(
        self,
        report: Report,
        part: Slice,
        written: list[signatures.Written],
        path: str,
        fatal: Mapping[str, str],
        is_partial: bool,
    ) -> None:
        """`is_partial`: statements of the file are no Python."""
        key = part.key([each.types for each in written])
        if key in fatal:
            message = f"checking kernel {part.kernel!r} {fatal[key]}"
            place = _definition_place(part, path)
            report.diagnostics.append(Diagnostic("error", place, message, "crash", part.kernel))
            return
        spans = [(each.first, each.last) for each in part.statements] + [(each.line, each.line) for each in written]
        anchors = _Anchors(path, tuple(spans))
        result = self.kept.pop((path, key, is_partial), None)
        if result is None:
            result = self._check_kernel(part, written, anchors, is_partial, key)
        self.kept[path, key, is_partial] = result  # the latest comes last
        while len(self.kept) > _MOST_KEPT:
            del self.kept[next(iter(self.kept))]
        self.shown[path].append((result, anchors))
        report.diagnostics += result.anchors.moved_all(result.diagnostics, anchors)
        report.unchecked += result.anchors.moved_all(result.unchecked, anchors)
        report.hints += [replace(each, place=result.anchors.moved(each.place, anchors)) for each in result.hints]
        if not result.unchecked:
            report.checked.append(part.kernel)

    def _check_kernel(
        self, part: Slice, written: list[signatures.Written], anchors: _Anchors, is_partial: bool, key: str
    ) -> _Result:
        result = _Result(anchors, [], [], [], [])
        place = _definition_place(part, anchors.path)
        if part.unknown is not None:
            name, line = part.unknown
            result.unchecked.append(_unchecked(part.kernel, place, f"{name!r} is known only when line {line} runs"))
            return result
        self.announce(key, "definitions")
        found = execution.execute(part, anchors.path)
        if isinstance(found, Diagnostic):
            if found.rule == "NameError" and is_partial:
                result.unchecked.append(_unchecked(part.kernel, place, "a definition that it needs is no Python"))
            elif found.rule == "ModuleNotFoundError" and not written:
                result.unchecked.append(_unchecked(part.kernel, place, found.message))
            else:
                result.diagnostics.append(found)
            return result
        if not isinstance(found, Kernel):
            result.unchecked.append(_unchecked(part.kernel, place, "it is no kernel of tilewright"))
            return result
        all_specs = self._specs(found, written, result, place)
        if not all_specs and not result.diagnostics:
            result.diagnostics += _refused_syntax(part, anchors.path)
            result.unchecked.append(_unchecked(part.kernel, place, "no signature"))
        for specs in all_specs:
            self.announce(key, "kernel")
            traced = trace(found, part.kernel, specs, place, self.target, self.time_limit)
            result.diagnostics += traced.diagnostics
            result.hints = result.hints or traced.hints
            result.modules += [traced.module] if traced.module is not None else []
        return result

    def _specs(self, kernel: Kernel, written: list[signatures.Written], result: _Result, place: Place) -> list[tuple]:
        found = []
        for each in written:
            try:
                found.append(signatures.specs_of(each.types, kernel))
            except ValueError as error:
                result.diagnostics.append(_fault_of(each, str(error), place.path))
        if written:
            return found
        try:
            annotated = signatures.annotated_specs(kernel)
        except (ValueError, TypeError, TileError) as error:
            result.diagnostics.append(Diagnostic("error", place, str(error), "signature", kernel.__name__))
            return []
        return [] if annotated is None else [annotated]

    def _note_modules(self) -> None:
        """The files of modules that are neither installed nor part of Python: they may change."""
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if (
                name in self.imported
                or name in self.others
                or not file
                or "-packages" in file
                or file.startswith((sys.base_prefix, _OURS))
            ):
                continue
            if (time := _time(file)) is not None:
                self.imported[name] = file, time

    def _forget_changed_modules(self) -> None:
        changed = [name for name, (file, time) in self.imported.items() if _time(file) != time]
        if changed:  # others may have taken names from them
            for name in self.imported:
                sys.modules.pop(name, None)
            self.imported.clear()
            self.kept.clear()


def _first_by(key: Callable[[Any], Any], findings: list[Any]) -> list[Any]:
    """In the order of the keys, the first finding of each."""
    found: dict[Any, Any] = {}
    for each in findings:
        found.setdefault(key(each), each)
    return [found[each] for each in sorted(found)]


_OURS = str(Path(__file__).parents[2])


def _time(file: str) -> float | None:
    try:
        return Path(file).stat().st_mtime
    except OSError:
        return None


def _definition_place(part: Slice, path: str) -> Place:
    node = part.definition.node
    return Place(path, node.lineno, node.col_offset + 1)


def _unchecked(kernel: str, place: Place, reason: str) -> Diagnostic:
    return Diagnostic("note", place, f"kernel {kernel!r} not checked: {reason}", "not-checked", kernel)


def _fault_of(written: signatures.Written, message: str, path: str) -> Diagnostic:
    place = Place(path, written.line, written.column)
    return Diagnostic("error", place, message, "signature", written.kernel)


def _refused_syntax(part: Slice, path: str) -> list[Diagnostic]:
    """Of a kernel without known types: statements that tile code never has. They may be in a branch that is not taken,
    so they are no errors."""
    found = []
    for statement in getattr(part.definition.node, "body", ()):
        for node in ast.walk(statement):
            reason = TILE_CODE.refused.get(type(node))
            if reason and isinstance(node, ast.stmt):
                place = Place(
                    path, node.lineno, node.col_offset + 1, node.end_lineno or 0, (node.end_col_offset or 0) + 1
                )
                found.append(
                    Diagnostic("warning", place, f"tile code cannot contain {reason}", "TileSyntaxError", part.kernel)
                )
    return found
