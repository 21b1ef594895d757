#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the pictures of docs/gallery.md from the tables of docs/performance.md: a line for each row, and on a
logarithmic axis a mark for each ratio, above 1 where this compiler is faster.

usage: generate_gallery.py [--check]      with --check nothing is written, and an old picture is an error
"""

import math
import pathlib
import re
import sys
from dataclasses import dataclass, field

from roofline import draw_roofline
from svg import COLORS, document, legend, line, mark, text

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "gallery"
TABLES = (ROOT / "docs" / "performance.md").read_text()
LABELS, WIDTH, RIGHT, TOP, LINE = 330, 420, 30, 56, 20  # pixels
TICKS = (0.25, 0.5, 1, 2, 4, 8, 16)


@dataclass
class Row:
    """Marks of one line of a picture: the ratio to each peer, and the least and largest of several runs."""

    label: str
    ratios: dict[str, float]
    span: tuple[float, float] | None = None


@dataclass
class Picture:
    name: str
    title: str
    rows: list[Row] = field(default_factory=list)


def table_of(heading, columns):
    """The rows of the first table with these columns below a heading; below the title if that is empty."""
    text = TABLES.split(f"\n{heading}\n", 1)[1] if heading else TABLES
    body = text.split("| " + " | ".join(columns) + " |\n", 1)[1].split("\n", 1)[1]
    lines = re.match(r"(?:\|.*\n)+", body)[0].splitlines()
    return [[cell.strip() for cell in line.replace("`", "").strip("|").split("|")] for line in lines]


def against(peer):
    """The rows of the first table that compare with it."""
    for work, ratio, span, _, other in table_of("", ("work", "ratio", "range", "aim", "against")):
        if other == peer:
            low, high = span.split("-")
            yield Row(work, {peer: float(ratio)}, (float(low), float(high)))


def in_style(heading, columns, peer):
    for work, ratio, *_ in table_of(heading, columns):
        if not work.startswith("geometric mean"):
            yield Row(work, {peer: float(ratio)})


def table_of_h200():
    return table_of("## NVIDIA GPUs", ("work", "ours", "peers", "ratio", "aim"))


def on_h200():
    """Of rows that have the speeds of peers by name."""
    for work, ours, peers, *_ in table_of_h200():
        speed = re.match(r"(\d[\d.]*)(?: TFLOP/s| GB/s)?$", ours)
        named = re.findall(r"(cuBLAS|Triton|cuTile|cuDNN|FlashAttention-2|torch\.compile|PyTorch) (\d[\d.]*)", peers)
        if speed and named:
            yield Row(work, {name: float(speed[1]) / float(value) for name, value in named})


def pictures():
    kernel = ("kernel", "ratio", "range", "ours; PyTorch")
    yield Picture("cpu_pytorch", "Two cores of Zen 5: speed of PyTorch = 1", [*against("PyTorch")])
    copy = "copy of the same bytes"
    yield Picture("cpu_copy", "Two cores of Zen 5: speed of a copy of the same bytes = 1", [*against(copy)])
    rows = in_style("## Kernels in others' style on a CPU", kernel, "the better of eager and compiled")
    yield Picture("cpu_styles", "Two cores of Zen 5, kernels as others write them: speed of PyTorch = 1", [*rows])
    yield Picture("h200", "One H200: speed of each peer = 1", [*on_h200()])
    rows = in_style("### Kernels in others' style", ("kernel", "ratio", "ours", "tileiras"), "tileiras")
    yield Picture("h200_styles", "One H200, kernels as others write them: speed of NVIDIA's compiler = 1", [*rows])


def drawn(picture):
    """The picture as SVG."""
    ratios = [ratio for row in picture.rows for ratio in (*row.ratios.values(), *(row.span or ()))]
    low, high = math.log(min(0.8, *ratios) * 0.9), math.log(max(1.25, *ratios) * 1.1)
    peers = list(dict.fromkeys(peer for row in picture.rows for peer in row.ratios))
    bottom = TOP + LINE * len(picture.rows)

    def place(ratio):
        return LABELS + WIDTH * (math.log(ratio) - low) / (high - low)

    parts = [text(12, 20, picture.title, size=14)]
    if len(peers) > 1:
        parts += legend(peers)
    for tick in TICKS:
        if low <= math.log(tick) <= high:
            color, width = ("#57606a", 1.5) if tick == 1 else ("#d0d7de", 1)
            parts += [line(place(tick), TOP - 6, place(tick), bottom, color, width)]
            parts += [text(place(tick), bottom + 16, f"{tick:g}", "middle")]
    for number, row in enumerate(picture.rows):
        y = TOP + LINE * (number + 0.5)
        parts.append(text(LABELS - 12, y + 4, row.label, "end", 11))
        if row.span:
            parts.append(line(place(row.span[0]), y, place(row.span[1]), y, "#8c959f", 2))
        for peer, ratio in row.ratios.items():
            color = COLORS[peers.index(peer)]
            parts.append(mark(place(ratio), y, color, f"{row.label}: {ratio:.2f} of {peer}"))
    return document(LABELS + WIDTH + RIGHT, bottom + 28, parts)


def made_pictures():
    yield from ((picture.name, drawn(picture)) for picture in pictures())
    rows = [(work, ours) for work, ours, *_ in table_of_h200()]
    yield "h200_roofline", draw_roofline("One H200: works of the table under its roofs", rows)


def main(arguments):
    old = []
    for name, made in made_pictures():
        path = FOLDER / f"{name}.svg"
        if not path.exists() or path.read_text() != made:
            old.append(path.name)
            if "--check" not in arguments:
                path.write_text(made)
    if old and "--check" in arguments:
        sys.exit(f"{', '.join(old)} differ from docs/performance.md; run docs/generate_gallery.py")


if __name__ == "__main__":
    main(sys.argv[1:])
