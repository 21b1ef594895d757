# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of the pictures of docs/gallery.md."""

from html import escape

COLORS = ("#1f6feb", "#d1242f", "#2da44e", "#bf8700", "#8250df", "#0a7ea4", "#e16f24")


def text(x, y, words, anchor="start", size=12):
    attributes = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
    return f'<text {attributes} fill="#24292f">{escape(words)}</text>'


def line(x1, y1, x2, y2, color, width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"/>'


def mark(x, y, color, title):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{color}"><title>{escape(title)}</title></circle>'


def legend(names):
    """The colours of names, in one line below the title."""
    for number, name in enumerate(names):
        x = 20 + 105 * number
        yield f'<circle cx="{x}" cy="38" r="5" fill="{COLORS[number]}"/>'
        yield text(x + 9, 42, name)


def document(width, height, parts):
    size = f'width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"
