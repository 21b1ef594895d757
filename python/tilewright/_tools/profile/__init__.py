# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright profile`: when and where the tile blocks of a launch ran, and what that comes to.

`recorder` launches in turns with and without records, `timeline` has the records of a launch (`agents` reads those of a
GPU), and `summary` what they come to; `table`, `page`, `roofline` and `events` write that.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tilewright import _native, _runtime
from tilewright._runtime import dispatch
from tilewright._tools.profile import page
from tilewright._tools.profile.arguments import copy_to_device, make_arguments
from tilewright._tools.profile.events import write_events
from tilewright._tools.profile.recorder import Recorder
from tilewright._tools.profile.roofline import draw_roofline
from tilewright._tools.profile.summary import summarize
from tilewright._tools.profile.table import text_of


def run(options: Any, load_kernel: Callable[[str, str], Any]) -> bytes:
    _prepare(options)
    path, colon, name = options.input.rpartition(":")
    recorder = Recorder()
    if colon and path.endswith(".py"):
        _launch_kernel(recorder, load_kernel(path, name), options)
    elif options.input.endswith(".py"):
        _run_script(recorder, options)
    else:
        raise ValueError(f"found {options.input}, expected file.py:kernel or a script in Python")
    if not recorder.found:
        raise ValueError(f"{options.input} has launched no kernel")
    profiles = []
    for each in recorder.found.values():
        timeline = each.read()
        profiles.append((summarize(each, timeline), timeline))
    if options.page:
        Path(options.page).write_bytes(page.render_profiles(profiles))
    if options.events:
        Path(options.events).write_text(write_events(profiles), encoding="utf-8")
    summaries = [summary for summary, _ in profiles]
    if options.roofline:
        Path(options.roofline).write_text(draw_roofline(summaries), encoding="utf-8")
    text = json.dumps(summaries, indent=2) + "\n" if options.json else "\n".join(map(text_of, summaries))
    return text.encode()


def _prepare(options: Any) -> None:
    if options.threads:
        _native.set_num_threads(options.threads)
    if options.target:
        os.environ.update(TILEWRIGHT_TARGET=options.target)
    target = dispatch.default_target()
    if not (target.startswith("cpu") or _native.is_nvidia_target(target)):
        raise ValueError(f"found target '{target}', expected a CPU or a GPU: nothing else has times")


def _launch_kernel(recorder: Recorder, kernel: Any, options: Any) -> None:
    if not options.grid:
        raise ValueError("a kernel needs a launch, expected --grid and an --arg for each parameter")
    grid, arguments = _native.parse_grid(options.grid), make_arguments(kernel, options.arg)
    if _native.is_nvidia_target(dispatch.default_target()):
        arguments = copy_to_device(arguments)
    try:
        for _ in range(options.launches):
            recorder.launch(kernel, grid, arguments, None)
    except TypeError as error:  # as of a number for an array
        raise ValueError(error) from None


def _run_script(recorder: Recorder, options: Any) -> None:
    if not Path(options.input).is_file():
        raise ValueError(f"cannot read {options.input}")
    sys.argv = [options.input, *options.rest]
    sys.path.insert(0, str(Path(options.input).resolve().parent))
    with _launches_go_to(recorder):
        try:
            runpy.run_path(options.input, run_name="__main__")
        except SystemExit as end:
            options.status = end.code if isinstance(end.code, int) else int(end.code is not None)


@contextmanager
def _launches_go_to(recorder: Recorder) -> Iterator[None]:
    plain, _runtime.launch = _runtime.launch, recorder.launch
    try:
        yield
    finally:
        _runtime.launch = plain
