# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted against measured: the error in the middle, and whether what is predicted faster is faster."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from rich import box
from rich.table import Table

from kernels import tables

AIMS = {"gpu": (0.15, 0.9), "cpu": (0.25, 0.85)}  # the median error at most, the rank correlation at least


def ranks(values):
    """Equal ones share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            places[index] = (start + end - 1) / 2
        start = end
    return places


def rank_correlation(xs, ys) -> float:
    """Spearman's."""
    xs, ys = ranks(xs), ranks(ys)
    middle = (len(xs) - 1) / 2
    covariance = sum((x - middle) * (y - middle) for x, y in zip(xs, ys, strict=True))
    spread = sum((x - middle) ** 2 for x in xs) * sum((y - middle) ** 2 for y in ys)
    return covariance / spread**0.5 if spread else 1.0


def error_of(point) -> float:
    return abs(point["prediction"]["seconds"] - point["seconds"]) / point["seconds"]


def summary(points) -> dict:
    return {
        "points": len(points),
        "median_error": median(map(error_of, points)),
        "rank_correlation": rank_correlation(
            [point["prediction"]["seconds"] for point in points], [point["seconds"] for point in points]
        ),
    }


def predict_all(points, models, **options) -> list[dict]:
    """A record for each point that can be predicted, without its measured time."""

    def record(point):
        try:
            prediction = models.predict(point, **options)
        except Exception as error:
            print(f"{point.name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
            return None
        return {"name": point.name, "is_held_out": point.is_held_out, "prediction": prediction}

    with ThreadPoolExecutor() as pool:
        return [made for made in pool.map(record, points) if made is not None]


def show(points, target):
    shown = Table(box=box.SIMPLE_HEAD)
    for heading in ("half", "points", "median error", "aim", "rank correlation", "aim"):
        shown.add_column(heading, justify="left" if heading == "half" else "right")
    most, least = AIMS[target]
    halves = {
        "fitted": [p for p in points if not p["is_held_out"]],
        "held out": [p for p in points if p["is_held_out"]],
    }
    for name, half in halves.items():
        if half:
            told = summary(half)
            cells = f"{told['median_error']:.1%}", f"{most:.0%}", f"{told['rank_correlation']:.3f}", f"{least}"
            shown.add_row(name, str(told["points"]), *cells)
    tables.show(shown)
    worst = Table(box=box.SIMPLE_HEAD)
    for heading in ("farthest off", "predicted", "measured", "bound"):
        worst.add_column(heading, justify="left" if heading in ("farthest off", "bound") else "right")
    for point in sorted(points, key=error_of, reverse=True)[:20]:
        bounds = point["prediction"]["bounds"]
        times = (f"{seconds * 1e6:.1f} us" for seconds in (point["prediction"]["seconds"], point["seconds"]))
        worst.add_row(point["name"], *times, max(bounds, key=bounds.get))
    tables.show(worst)


def holds(points, target) -> bool:
    told, (most, least) = summary([p for p in points if p["is_held_out"]] or points), AIMS[target]
    return told["median_error"] <= most and told["rank_correlation"] >= least


def write(path, found):
    if path is not None:
        Path(path).write_text(json.dumps(found, indent=1) + "\n")
