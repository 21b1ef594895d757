# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright check`: the errors of all kernels of files whose types are known, without running the files.

`parsing` makes a tree of a file, `slices` takes the part that a kernel needs, `execution` runs that part in a process
of its own (`process`, `worker`), `signatures` has the types, `tracing` the front end, and `engine` puts them together.
"""

from __future__ import annotations

import argparse
import os
import tokenize
from pathlib import Path

from tilewright._tools.check.diagnostics import Diagnostic, Place, Report
from tilewright._tools.check.formats import FORMATS
from tilewright._tools.check.process import Worker
from tilewright.limits import time_limit

_MORE_SECONDS = 5  # than the limit of the compiler, which has better words


def run(options: argparse.Namespace) -> bytes:
    limit = time_limit() if options.time_limit is None else options.time_limit
    worker = Worker(limit + _MORE_SECONDS if limit else None)
    try:
        reports = {
            path: _check(worker, path, target=options.target, time_limit=limit) for path in _files(options.files)
        }
    finally:
        worker.stop()
    errors = [each for report in reports.values() for each in report.diagnostics if each.severity == "error"]
    options.status = int(bool(errors))
    return FORMATS[options.format](reports).encode("utf-8", "surrogateescape")


def _files(paths: list[str]) -> list[str]:
    """Each once; of a folder the Python files in it and below, but for hidden folders such as .venv."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            for file in sorted(Path(path).rglob("*.py")):
                if not any(part.startswith(".") for part in file.relative_to(path).parts):
                    found[str(file)] = None
        else:
            found[path] = None
    return list(found)


def _check(worker: Worker, path: str, **settings: object) -> Report:
    try:
        with tokenize.open(path) as file:
            text = file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        message = getattr(error, "strerror", None) or str(error)
        return Report([Diagnostic("error", Place(path, 1), message, type(error).__name__)])
    return worker.check(text, path, **settings)
