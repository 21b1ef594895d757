# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_PROFILE: each launch is timed, and when Python ends a table has the measured and the predicted times.

Launches are waited for one by one. On a GPU a time is that between two events around the launch; on the CPU it is that
of the clock from call to return.
"""

from __future__ import annotations

import atexit
import json
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._runtime import environment
from tilewright.errors import TileError

_TERMINAL = ("1", "on", "yes", "true")


@dataclass
class Launches:
    """Those of one kernel with one grid and arguments that look alike."""

    kernel: Any
    grid: tuple[int, int, int]
    arguments: str
    described: Any = None  # a DescribedLaunch where the time can be predicted
    device: int | None = None  # of a GPU
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def predict(self) -> dict[str, Any]:
        """Of a GPU that no table has, the prediction is for the product that stands for its architecture. Empty where
        there is none."""
        from tilewright._runtime.explanation import explain_launch, target_of

        if self.described is None:
            return {}
        name, target = "", target_of(self.device)
        if self.device is not None:
            name, target, *_ = _native.describe_gpu(self.device)
        for product in dict.fromkeys((name, "")):
            try:
                made = explain_launch(self.described, self.grid, target, product)
            except (TileError, ValueError):
                continue
            return made.data["prediction"] if made.seconds else {}
        return {}


class LaunchTable:
    """Launches by their kernel, grid and arguments."""

    def __init__(self) -> None:
        self.launches: dict[tuple, Launches] = {}

    def find(self, kernel: Any, grid: Any, arguments: Any, is_on_gpu: bool) -> tuple[tuple, Launches]:
        """The key of a launch, and those that are like it."""
        extents = _native.read_grid(kernel.__name__, grid)
        key = id(kernel), extents, ", ".join(map(_shown, arguments))
        if key not in self.launches:
            self.launches[key] = Launches(kernel, *key[1:])
            if is_on_gpu or _is_on_cpu():
                _describe(self.launches[key], tuple(arguments))
        return key, self.launches[key]


class _Profile:
    def __init__(self) -> None:
        self.table = LaunchTable()

    def launch(self, kernel: Any, grid: Any, arguments: Any, stream: Any) -> None:
        from tilewright._runtime.dispatch import launcher_of

        launcher = launcher_of(kernel)
        is_on_gpu = launcher.prepare(arguments, stream, grid)  # compiles, which is not timed
        seconds = launcher.time(grid, arguments, stream, is_cache_cold=False)
        self.table.find(kernel, grid, arguments, is_on_gpu)[1].seconds.append(seconds)

    def rows(self) -> list[dict[str, Any]]:
        rows = []
        for launches in sorted(self.table.launches.values(), key=lambda each: -sum(each.seconds)):
            prediction = launches.predict()
            predicted = prediction.get("seconds")
            row = {"kernel": launches.kernel.__name__, "grid": list(launches.grid), "arguments": launches.arguments}
            row |= {"launches": len(launches.seconds), "median_seconds": launches.median}
            row |= {"predicted_seconds": predicted, "ratio": launches.median / predicted if predicted else None}
            rows.append(row | {"bound": prediction.get("bound"), "device": prediction.get("device")})
        return rows


def _is_on_cpu() -> bool:
    """Not in the interpreter, and not on a GPU to which arrays are copied."""
    from tilewright._runtime.dispatch import default_target

    return default_target().startswith("cpu")


def _describe(launches: Launches, arguments: tuple) -> None:
    from tilewright._runtime.dispatch import launcher_of
    from tilewright._runtime.explanation import describe_launch

    try:
        launches.described = describe_launch(launches.kernel, arguments)
    except TileError:
        return
    launches.device = launcher_of(launches.kernel).device(arguments)


def _shown(argument: Any) -> str:
    """As in float32[4096x1024]."""
    if isinstance(argument, (list, tuple)):
        return f"({', '.join(map(_shown, argument))})"
    if not hasattr(argument, "shape"):
        return repr(argument)
    dtype = str(getattr(argument, "dtype", "")).rpartition(".")[2]
    return f"{dtype}[{'x'.join(map(str, argument.shape))}]"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def _table(rows: list[dict[str, Any]]) -> str:
    cells = [("kernel", "grid", "arguments", "launches", "median", "predicted", "ratio", "bound", "device")]
    for row in rows:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        times = _time(row["median_seconds"]), _time(row["predicted_seconds"])
        grid = "x".join(map(str, row["grid"]))
        cells.append((row["kernel"], grid, row["arguments"], str(row["launches"]), *times, ratio, row["bound"] or "-",
                      row["device"] or "-"))  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _write(profile: _Profile, where: str) -> None:
    rows = profile.rows()
    text = json.dumps(rows, indent=2) + "\n" if where.endswith(".json") else _table(rows)
    if where in _TERMINAL:
        sys.stderr.write(text)
    else:
        Path(where).write_text(text)


def launch_of(plain: Any) -> Any:
    """The function for launches: `plain` itself without TILEWRIGHT_PROFILE."""
    where = environment.value("TILEWRIGHT_PROFILE")
    if not where:
        return plain
    profile = _Profile()
    atexit.register(_write, profile, where)

    def launch(kernel: Any, grid: Any, arguments: Any, stream: Any, dependent: bool) -> None:
        profile.launch(kernel, grid, arguments, stream)

    return launch
