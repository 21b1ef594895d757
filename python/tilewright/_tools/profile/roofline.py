# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The roofline as SVG: operations per second over operations for each byte of DRAM, both as the compiler counts them,
and the launches below the roof that the device's peak and bandwidth make."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 720, 420, 70, 40, 50
_PREFIXES = ("", "k", "M", "G", "T", "P")


@dataclass(frozen=True)
class Point:
    """A launch."""

    name: str
    intensity: float
    measured: float  # operations per second
    predicted: float


def points_of(summaries: Sequence[dict[str, Any]]) -> list[Point]:
    """Of launches whose work is known; a kernel that only copies has no operations."""
    found = []
    for summary in summaries:
        prediction = summary["prediction"]
        if prediction and prediction["operations"] > 0 and prediction["dram_bytes"] > 0:
            operations = prediction["operations"]
            name = f"{summary['kernel']} {'x'.join(map(str, summary['grid']))}"
            times = operations / summary["median_seconds"], operations / prediction["seconds"]
            found.append(Point(name, prediction["intensity"], *times))
    return found


def draw_roofline(summaries: Sequence[dict[str, Any]]) -> str:
    """ValueError if no launch has a place in it."""
    points = points_of(summaries)
    if not points:
        raise ValueError("no roofline: of no launch both operations and bytes of DRAM are known")
    return _Drawing(points, _roofs(summaries)).text()


@dataclass(frozen=True)
class _Roof:
    """Kernels that use different units have different peaks."""

    device: str
    peak: float  # operations per second
    bandwidth: float  # bytes per second

    @property
    def ridge(self) -> float:
        return self.peak / self.bandwidth


def _roofs(summaries: Sequence[dict[str, Any]]) -> list[_Roof]:
    predictions = [summary["prediction"] for summary in summaries if summary["prediction"]]
    roofs = [_Roof(each["device"], each["peak_operations"], each["dram_bandwidth"]) for each in predictions]
    return [roof for roof in dict.fromkeys(roofs) if roof.peak > 0 and roof.bandwidth > 0]


class _Drawing:
    def __init__(self, points: list[Point], roofs: list[_Roof]):
        self.points, self.roofs = points, roofs
        across = [each.intensity for each in points] + [roof.ridge for roof in roofs]
        up = [rate for each in points for rate in (each.measured, each.predicted)] + [roof.peak for roof in roofs]
        self.x_range = math.floor(math.log10(min(across) / 2)), math.ceil(math.log10(max(across) * 4))
        self.y_range = math.floor(math.log10(min(up) / 2)), math.ceil(math.log10(max(up) * 1.5))

    def x(self, intensity: float) -> float:
        low, high = self.x_range
        return _LEFT + (math.log10(intensity) - low) / (high - low) * (_WIDTH - _LEFT - 20)

    def y(self, rate: float) -> float:
        low, high = self.y_range
        return _HEIGHT - _BOTTOM - (math.log10(rate) - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    def text(self) -> str:
        devices = ", ".join(dict.fromkeys(roof.device for roof in self.roofs))
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}"'
            f' viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="11">',
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
            _label(_LEFT, 20, f"roofline of {devices}", 'font-size="14"'),
            *self._axes(),
            *(line for roof in self.roofs for line in self._roof(roof)),
            *(line for number, point in enumerate(self.points) for line in self._point(number, point)),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _axes(self) -> Iterator[str]:
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - 20
        for power in range(self.x_range[0], self.x_range[1] + 1):
            place = self.x(10.0**power)
            yield _line(place, _TOP, place, bottom, "#ddd")
            yield _label(place, bottom + 15, _scaled(10.0**power), 'text-anchor="middle"')
        for power in range(self.y_range[0], self.y_range[1] + 1):
            place = self.y(10.0**power)
            yield _line(_LEFT, place, right, place, "#ddd")
            yield _label(_LEFT - 5, place + 4, _scaled(10.0**power), 'text-anchor="end"')
        yield _label((_LEFT + right) / 2, _HEIGHT - 15, "operations for each byte of DRAM", 'text-anchor="middle"')
        turn = f'text-anchor="middle" transform="rotate(-90 14 {(_TOP + bottom) / 2:.1f})"'
        yield _label(14, (_TOP + bottom) / 2, "operations per second", turn)

    def _roof(self, roof: _Roof) -> Iterator[str]:
        low = max(10.0 ** self.x_range[0], 10.0 ** self.y_range[0] / roof.bandwidth)
        ends = (low, low * roof.bandwidth), (roof.ridge, roof.peak), (10.0 ** self.x_range[1], roof.peak)
        places = " ".join(f"{self.x(across):.1f},{self.y(up):.1f}" for across, up in ends)
        yield f'<polyline points="{places}" fill="none" stroke="#444" stroke-width="2"/>'
        yield _label(_WIDTH - 24, self.y(roof.peak) - 5, f"{_scaled(roof.peak)}op/s", 'text-anchor="end"')
        yield _label(self.x(low) + 8, self.y(low * roof.bandwidth) - 12, f"{_scaled(roof.bandwidth)}B/s")

    def _point(self, number: int, point: Point) -> Iterator[str]:
        """The launch as a dot, its prediction as a circle above or below it."""
        colour, across = f"hsl({number * 67 % 360} 60% 40%)", self.x(point.intensity)
        hint = f"{point.name}: {_scaled(point.measured)}op/s, predicted {_scaled(point.predicted)}op/s"
        yield _line(across, self.y(point.measured), across, self.y(point.predicted), colour)
        yield (
            f'<circle cx="{across:.1f}" cy="{self.y(point.predicted):.1f}" r="4" fill="none" stroke="{colour}">'
            f"<title>{html.escape(hint)}</title></circle>"
        )
        yield (
            f'<circle cx="{across:.1f}" cy="{self.y(point.measured):.1f}" r="4" fill="{colour}">'
            f"<title>{html.escape(hint)}</title></circle>"
        )
        yield _label(across + 8, self.y(point.measured) + 4, point.name, f'fill="{colour}"')


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _label(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{html.escape(text)}</text>'


def _scaled(number: float) -> str:
    """With three digits and a prefix, as in "137 G"."""
    step = 0
    while number >= 999.5 and step + 1 < len(_PREFIXES):
        number, step = number / 1000, step + 1
    return f"{number:.3g} {_PREFIXES[step]}" if _PREFIXES[step] else f"{number:.3g} "
