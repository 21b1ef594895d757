# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports as text: lines like those of GCC, JSON, and SARIF 2.1.0."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import tilewright
from tilewright._frontend.source.location import Location
from tilewright._tools.check.diagnostics import Diagnostic, Place, Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def gcc(reports: dict[str, Report]) -> str:
    """Each error with its line and a caret below."""
    lines = []
    for report in reports.values():
        for each in report.diagnostics:
            lines.append(_with_excerpt(each.place, f"{each.severity}: {each.message}"))
            lines += [_with_excerpt(note.place, f"note: {note.message}") for note in each.notes]
        for each in report.unchecked:
            lines.append(f"{each.place.path}:{each.place.line}:{each.place.column}: note: {each.message}")
    return "".join(f"{line}\n" for line in lines)


def _with_excerpt(place: Place, message: str) -> str:
    end_line, end_column = place.end_line or place.line, place.end_column or place.column + 1
    return Location(place.path, place.line, place.column, end_line, end_column, "", 0).render(message)


def as_json(reports: dict[str, Report]) -> str:
    rows = [{"file": path, **report.to_json()} for path, report in reports.items()]
    return json.dumps(rows, indent=2) + "\n"


def sarif(reports: dict[str, Report]) -> str:
    found = [each for report in reports.values() for each in (*report.diagnostics, *report.unchecked)]
    driver = {
        "name": "tilewright check",
        "version": tilewright.__version__,
        "semanticVersion": tilewright.__version__,
        "rules": [{"id": rule} for rule in dict.fromkeys(each.rule for each in found)],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(each) for each in found]}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(each: Diagnostic) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": each.rule,
        "level": each.severity,
        "message": {"text": each.message},
        "locations": [{"physicalLocation": _physical(each.place)}],
    }
    if each.notes:
        result["relatedLocations"] = [
            {"physicalLocation": _physical(note.place), "message": {"text": note.message}} for note in each.notes
        ]
    return result


def _physical(place: Place) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    if place.end_line:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    path = PurePath(place.path)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"artifactLocation": {"uri": uri}, "region": region}


FORMATS = {"gcc": gcc, "json": as_json, "sarif": sarif}
