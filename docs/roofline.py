# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The roofline of a GPU and the measured works of a table: operations per second over operations for each byte that a
work has to read or write."""

import math
import re
from dataclasses import dataclass

from svg import COLORS, document, legend, line, mark, text

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 780, 470, 70, 72, 50
X_RANGE, Y_RANGE = (-2, 5), (-1.2, 3.5)  # powers of ten: operations for a byte, 10^12 operations per second

# An H200: NVIDIA's data sheet, without sparsity. 10^12 operations per second, and 10^12 bytes.
PEAKS = {"fp8": 1979, "bf16": 989, "tf32": 494, "f32, no tensor cores": 67}
BANDWIDTH = 4.8

BYTES = {"bf16": 2, "f32": 4, "tf32": 4, "fp8": 1}
# Of works by rows: operations for each element of the result (a maximum, an exponential, a division count one), and how
# many elements are read and written for it.
ROWS = {"softmax": (5, 2), "RMSNorm": (4, 2), "LayerNorm": (8, 2), "SiLU-and-mul": (5, 3), "add": (1, 3)}
HALVES = {"SiLU-and-mul"}  # of which the shape is that of two inputs


@dataclass
class Work:
    name: str
    family: str
    intensity: float
    rate: float  # 10^12 operations per second


def work_of(name, ours):
    """The work of a row of the table, None if its operations are not known."""
    speed = re.match(r"\d[\d.]*", ours)
    if not speed:
        return None
    speed = float(speed[0])
    if found := re.match(r"GEMM (bf16|fp8|tf32) (?:(\d+)\^3|(\d+)x(\d+)x(\d+))", name):
        kind, cube, *sizes = found.groups()
        m, n, k = [int(cube)] * 3 if cube else map(int, sizes)
        moved = BYTES[kind] * (m * k + k * n) + max(2, BYTES[kind]) * m * n
        return Work(name, f"GEMM {kind}", 2 * m * n * k / moved, speed)
    if found := re.match(r"attention B(\d+) H(\d+) S(\d+) D(\d+)( causal)?", name):
        batch, heads, length, size = map(int, found.groups()[:4])
        operations = 4 * batch * heads * length**2 * size / (2 if found[5] else 1)
        return Work(name, "attention", operations / (4 * BYTES["bf16"] * batch * heads * length * size), speed)
    if found := re.match(rf"({'|'.join(ROWS)}) (bf16|f32) ", name):
        operations, elements = ROWS[found[1]]
        intensity = operations / (elements * BYTES[found[2]])
        return Work(name, "rows", intensity, speed / 1000 * intensity)
    return None


def x(intensity):
    return LEFT + (math.log10(intensity) - X_RANGE[0]) / (X_RANGE[1] - X_RANGE[0]) * (WIDTH - LEFT - 30)


def y(rate):
    return HEIGHT - BOTTOM - (math.log10(rate) - Y_RANGE[0]) / (Y_RANGE[1] - Y_RANGE[0]) * (HEIGHT - TOP - BOTTOM)


def axes():
    for power in range(math.ceil(X_RANGE[0]), X_RANGE[1] + 1):
        yield line(x(10**power), TOP, x(10**power), HEIGHT - BOTTOM, "#d0d7de")
        yield text(x(10**power), HEIGHT - BOTTOM + 16, f"{10**power:g}", "middle")
    for power in range(math.ceil(Y_RANGE[0]), math.ceil(Y_RANGE[1])):
        yield line(LEFT, y(10**power), WIDTH - 30, y(10**power), "#d0d7de")
        yield text(LEFT - 6, y(10**power) + 4, f"{10**power:g}", "end")
    yield text((LEFT + WIDTH) / 2, HEIGHT - 12, "operations for each byte", "middle")
    yield text(8, TOP - 8, "10^12 operations/s", size=11)


def roofs():
    least = 10 ** X_RANGE[0]
    start = max(least, 10 ** Y_RANGE[0] / BANDWIDTH)
    yield line(
        x(start), y(start * BANDWIDTH), x(max(PEAKS.values()) / BANDWIDTH), y(max(PEAKS.values())), "#57606a", 1.5
    )
    for kind, peak in PEAKS.items():
        yield line(x(peak / BANDWIDTH), y(peak), WIDTH - 30, y(peak), "#57606a", 1.5)
        yield text(WIDTH - 32, y(peak) - 4, f"{kind}: {peak}", "end", 11)


def draw_roofline(title, rows):
    """Of rows (work, ours) of a table, as SVG."""
    works = [work for work in (work_of(*row) for row in rows) if work]
    families = list(dict.fromkeys(work.family for work in works))
    parts = [text(12, 20, title, size=14), *legend(families), *axes(), *roofs()]
    for work in works:
        words = f"{work.name}: {work.rate:.3g} * 10^12 operations/s, {work.intensity:.3g} for each byte"
        parts.append(mark(x(work.intensity), y(work.rate), COLORS[families.index(work.family)], words))
    return document(WIDTH, HEIGHT, parts)
