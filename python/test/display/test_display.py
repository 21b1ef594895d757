# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notebooks show kernels, plans, searches and the dialogue of the debugger as tables."""

import re
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
import tilewright as ct
from tilewright._tools.display import tiles
from tilewright.debug import Debugger

VOID = {"br", "img"}


@ct.kernel(occupancy=2)
def scale(x, y, factor: float, TILE: ct.Constant[int]):
    tile = ct.load(x, index=ct.bid(0), shape=(TILE,))
    ct.store(y, index=ct.bid(0), tile=tile * factor)


class Checker(HTMLParser):
    """Tags close in the order in which they open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def text_of(shown):
    return " | ".join(text.strip() for text in Checker(shown._repr_html_()).texts if text.strip())


def arrays():
    return np.arange(8, dtype=np.float32), np.empty(8, np.float32)


def test_a_kernel_shows_its_parameters_specializations_and_plans():
    kernel = scale.replace_hints()
    shown = text_of(kernel)
    assert "scale | kernel, test_display.py:" in shown and "occupancy=2" in shown
    assert "factor | number | TILE | constant int" in shown and "compiled" not in shown
    kernel[2](*arrays(), 2.0, 4)
    kernel[1](np.zeros((3, 8), np.float32)[:, 0], np.empty(3, np.float32), 2.0, 4)
    shown = text_of(kernel)
    assert shown.count("compiled for cpu") == 2
    assert "x | array or number | float32[::1]@16 | float32[:]" in shown and "float32 | float32" in shown
    assert "plan for cpu: float32[::1]@16, float32[::1]@16, float32, 4 | decision | value | reason" in shown
    assert "vector_bits" in shown


def test_a_kernel_that_was_interpreted_has_no_plan(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_INTERPRET", "1")
    kernel = scale.replace_hints()
    kernel[2](*arrays(), 2.0, 4)
    assert "compiled for interpreter" in text_of(kernel) and "plan for" not in text_of(kernel)


def test_a_report_shows_bounds_and_decisions():
    shown = text_of(ct.explain(scale, 2, (*arrays(), 2.0, 4)))
    assert "scale | for cpu:host: predicted" in shown and "bound by" in shown and "vector_bits" in shown


def test_searches_show_a_ranking():
    shown = text_of(ct.schedule(scale).search(2, (*arrays(), 2.0, 4), target="sm_90"))
    assert "plans | by predicted time" in shown and "the compiler's" in shown and "refused" in shown

    def arguments(tile):
        return *arrays(), 2.0, tile

    shown = text_of(ct.tune.exhaustive_search([4, 8, 5], None, lambda tile: (1,), scale, arguments, quiet=True))
    assert "2 configurations | measured" in shown and "1 failed" in shown and "TileTypeError" in shown


def test_the_debugger_shows_tiles_by_colour():
    x, y = arrays()
    x[2] = np.nan
    with Debugger(["next", "next", "print tile", "print tile[1]"]) as session:
        scale[2](x, y, 2.0, 4)
    shown = session._repr_html_()
    assert "(tile) print tile" in text_of(session)
    assert re.findall(r'title="(.*?)"', shown) == ["[0, 0] 0", "[0, 1] 1", "[0, 2] nan", "[0, 3] 3"]
    colours = re.findall(r"background: (#\w+)", shown)
    assert colours[0] == "#5a8cd7" and colours[3] == "#e16e5a" and colours[2] == tiles._SPECIAL


@pytest.mark.parametrize("words", ["[1e-05, -inf]", "[True, False]", "[?, 0x1f]", "[ 1,\n  2]"])
def test_elements_of_all_kinds(words):
    assert tiles.of_dialogue(f"(tile) print x\ntile<2xf32> {words}\n").count("<td") == 2


def test_tiles_with_parts_left_out_stay_text():
    text = "x: tile<512xf32> [0, 1, 2, ..., 511]"
    assert text in "".join(Checker(tiles.of_dialogue(text)).texts)
    assert "<td" not in tiles.of_dialogue(text)


def test_large_tiles_have_colours_only():
    text = f"tile<2x64xf32>\n{[[*range(64)], [*range(64)]]}"
    assert Checker(tiles.of_dialogue(text)).texts == ["tile<2x64xf32>"]


def test_a_dialogue_in_a_notebook(monkeypatch, capsys):
    tiles.write("tile<2xf32> [1, 2]")
    assert capsys.readouterr().out == "tile<2xf32> [1, 2]"
    shown = []
    display = SimpleNamespace(HTML=lambda text: text, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    tiles.write("tile<2xf32> [1, 2]")
    assert "<td" in shown[0] and capsys.readouterr().out == ""
