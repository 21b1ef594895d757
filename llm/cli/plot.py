# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A comparison as a picture: for each operation a line, on it a mark per implementation at its part of the roofline."""

import math
from html import escape

LEAST = 1e-3  # of the axis; smaller parts are drawn there
LEFT, TOP, LINE, WIDTH, RIGHT = 150, 64, 24, 520, 24  # pixels
COLORS = ("#1f6feb", "#d1242f", "#2da44e", "#bf8700", "#8250df", "#0a7ea4", "#57606a", "#e16f24", "#bf3989")
MARKS = (  # elements and their attributes
    ("circle", 'cx="{x:.1f}" cy="{y:.1f}" r="5"'),
    ("rect", 'x="{x:.1f}" y="{y:.1f}" width="9" height="9" transform="translate(-4.5 -4.5)"'),
    ("rect", 'x="{x:.1f}" y="{y:.1f}" width="8" height="8" transform="rotate(45 {x:.1f} {y:.1f}) translate(-4 -4)"'),
)


def place(part):
    """Where a part of the roofline lies on the logarithmic axis."""
    part = min(max(part, LEAST), 1.25)
    return LEFT + WIDTH * (1 - math.log(part) / math.log(LEAST))


def text(x, y, words, anchor="start", size=12, color="#24292f"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}">{escape(words)}</text>'
    )


def mark(number, x, y, title):
    """A shape and color of the implementation's number; its text appears under the pointer."""
    element, attributes = MARKS[number % len(MARKS)]
    color = COLORS[number % len(COLORS)]
    shape = f'{element} {attributes.format(x=x, y=y)} fill="{color}" fill-opacity="0.85"'
    return f"<{shape}><title>{escape(title)}</title></{element}>"


def legend(names):
    drawn, x = [], LEFT
    for number, name in enumerate(names):
        drawn += [mark(number, x, 38, name), text(x + 10, 42, name)]
        x += 30 + 7 * len(name)
    return drawn


def axis(bottom):
    drawn = []
    for part in (0.001, 0.01, 0.1, 0.5, 1.0):
        x = place(part)
        drawn.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="#d0d7de"/>')
        drawn.append(text(x, bottom + 16, f"{part:g}", "middle"))
    drawn.append(text(LEFT + WIDTH / 2, bottom + 34, "fraction of the roofline", "middle"))
    return drawn


def svg(rows, title) -> str:
    """The picture of rows as `compare` has them: operation, tokens, implementation, seconds, roofline."""
    rows = [row for row in rows if "error" not in row]
    names = list(dict.fromkeys(row["implementation"] for row in rows))
    lines = list(dict.fromkeys((row["tokens"], row["operation"]) for row in rows))
    heights = {line: TOP + (n + line_groups(lines, n)) * LINE + LINE / 2 for n, line in enumerate(lines)}
    bottom = max(heights.values(), default=TOP) + LINE / 2
    drawn = [text(12, 20, title, size=14), *legend(names), *axis(bottom)]
    for (tokens, operation), y in heights.items():
        if first_of_group(lines, (tokens, operation)):
            drawn.append(text(12, y - LINE + 4, f"{tokens} token{'s' if tokens > 1 else ''}", size=13))
        drawn.append(text(LEFT - 10, y + 4, operation, "end"))
        drawn.append(f'<line x1="{LEFT}" y1="{y}" x2="{LEFT + WIDTH}" y2="{y}" stroke="#eaeef2"/>')
    for row in rows:
        y = heights[row["tokens"], row["operation"]]
        about = f"{row['implementation']}: {row['seconds'] * 1e6:.0f} µs, {row['roofline']:.2f} of the roofline"
        drawn.append(mark(names.index(row["implementation"]), place(row["roofline"]), y, about))
    wide = max(LEFT + WIDTH + RIGHT, LEFT + sum(30 + 7 * len(name) for name in names))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{bottom + 44:.0f}"'
        ' font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>'
    )
    return "\n".join([head, *drawn, "</svg>"]) + "\n"


def line_groups(lines, number):
    """Headings above a line: one for each number of tokens so far."""
    return len({tokens for tokens, _ in lines[: number + 1]})


def first_of_group(lines, line):
    return line == next(other for other in lines if other[0] == line[0])
