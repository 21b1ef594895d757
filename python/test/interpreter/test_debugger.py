# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The debugger, by scripted dialogues."""

import inspect
import linecache
import subprocess
import sys

import numpy as np
import pytest
import tilewright as ct
from tilewright import TileDebuggerQuit
from tilewright.debug import Debugger

FILE = __file__


def helper(values):
    largest = ct.max(values)
    return values - largest


@ct.kernel
def kernel(x, y, rounds):
    tile = ct.load(x, index=(ct.bid(0),), shape=(4,))
    total = ct.full((4,), 0.0, ct.float32)
    for i in range(rounds):  # noqa: B007
        total = total + tile
    shifted = helper(total)
    ct.store(y, index=(ct.bid(0),), tile=shifted)


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


LOAD, FULL, LOOP, ADD, CALL, STORE = (
    line_of(kernel.function, text) for text in ("ct.load", "ct.full", "for i", "total + tile", "helper(", "ct.store")
)
MAX = line_of(helper, "ct.max")


def arrays():
    return np.arange(8, dtype=np.float32), np.zeros(8, np.float32)


def dialogue(*commands, grid=2, rounds=3):
    """The debugger's answer to each command, without the path of this file."""
    x, y = arrays()
    with Debugger(commands) as debugger:
        kernel[grid](x, y, rounds)
    expected = rounds * x.reshape(2, 4)
    np.testing.assert_array_equal(y.reshape(2, 4), expected - expected.max(axis=1, keepdims=True))
    answers = debugger.output.replace(FILE, "FILE").split("(tile) ")
    return [answers[0], *(answer.split("\n", 1)[1] for answer in answers[1:])]


def place(line, text, function="kernel", block=0):
    return f"> FILE({line}){function}(), block ({block}, 0, 0)\n-> {text}\n"


AT_ADD = place(ADD, "total = total + tile")
AT_LOOP = place(LOOP, "for i in range(rounds):  # noqa: B007")


def test_stops_at_breakpoints_and_prints():
    said = dialogue(
        f"b {ADD}", "c", "p tile", "p total", "p tile[1:3]", "p i", "c", "p total[0]", "p total", "p nothing"
    )
    assert said[1] == f"breakpoint 1 at FILE:{ADD}\n"
    assert said[2] == "breakpoint 1\n" + AT_ADD
    assert said[3:7] == [
        "tile<4xf32> [0, 1, 2, 3]\n",
        "tile<4xf32> [0, 0, 0, 0]\n",
        "tile<2xf32> [1, 2]\n",
        "tile<i32> 0\n",
    ]
    assert said[7] == "breakpoint 1\n" + AT_ADD
    assert said[8:] == [
        "tile<f32> 0\n",
        "tile<4xf32> [0, 1, 2, 3]\n",
        "'nothing' has no value here; vars lists the variables that have\n",
    ]


def test_breakpoints_by_block_and_once():
    said = dialogue(f"b {STORE} block 1", f"tbreak {CALL}", "b", "c", "c", "p shifted", "b", "cl 1", "cl 7")
    assert said[3] == f"1  FILE:{STORE} block 1,0,0\n2  FILE:{CALL} once\n"
    assert said[4] == "breakpoint 2\n" + place(CALL, "shifted = helper(total)")
    assert said[5] == "breakpoint 1\n" + place(STORE, "ct.store(y, index=(ct.bid(0),), tile=shifted)", block=1)
    assert said[6:] == [
        "tile<4xf32> [-9, -6, -3, 0]\n",
        f"1  FILE:{STORE} block 1,0,0\n",
        "",
        "there is no breakpoint 7\n",
    ]


def test_breakpoints_need_a_line_with_code():
    said = dialogue("b 1000000", "b elsewhere.py:3", "b here", f"b {STORE + 1}")
    assert said[1:] == [
        "no operations are from line 1000000 or behind it\n",
        "the kernel has no line of elsewhere.py\n",
        "'here' is no place, expected LINE, FILE:LINE, or one of these and 'block X,Y,Z'\n",
        f"no operations are from line {STORE + 1} or behind it\n",
    ]


def test_steps_over_and_into_helpers():
    said = dialogue(f"b {CALL}", "c", "step", "where", "return", "c")
    assert place(MAX, "largest = ct.max(values)", function="helper") == said[3]
    assert said[4] == (
        f"  FILE({CALL})kernel()\n-> shifted = helper(total)\n> FILE({MAX})helper()\n-> largest = ct.max(values)\n"
    )
    assert said[5] == place(STORE, "ct.store(y, index=(ct.bid(0),), tile=shifted)")
    said = dialogue(f"b {CALL}", "c", "next")
    assert said[3] == place(STORE, "ct.store(y, index=(ct.bid(0),), tile=shifted)")


def test_names_in_helpers_are_those_of_the_helper():
    said = dialogue(f"b {MAX + 1}", "c", "p values", "p largest", "p total", "p helper.values")
    assert said[3:] == [
        "tile<4xf32> [0, 3, 6, 9]\n",
        "tile<f32> 9\n",
        "tile<4xf32> [0, 3, 6, 9]\n",
        "tile<4xf32> [0, 3, 6, 9]\n",
    ]


def test_stepping_goes_round_loops():
    said = dialogue(f"tbreak {ADD}", "c", "n", "p i", "n", "p i")
    assert said[3:] == [AT_LOOP, "tile<i32> 0\n", AT_ADD, "tile<i32> 1\n"]


def test_an_empty_line_repeats():
    said = dialogue(f"b {ADD}", "c", "", "", "p i")
    assert said[2] == said[3] == said[4] == "breakpoint 1\n" + AT_ADD
    assert said[5] == "tile<i32> 2\n"


def test_watches_stop_where_values_change():
    said = dialogue("watch total", "c", "c", "c", "unwatch total", "unwatch total")
    assert said[1] == "'total' has no value yet\n"
    assert said[2].startswith("watch total: tile<4xf32> [0, 0, 0, 0]\n")
    assert said[3].startswith("watch total: total[1] was 0 and is 1; 3 elements have changed\n")
    assert said[4].startswith("watch total: total[1] was 1 and is 2; 3 elements have changed\n")
    assert said[5:] == ["", "'total' is not watched\n"]


def test_blocks():
    said = dialogue("block", "block 0", "block 5")
    assert said[1].endswith("block (1, 0, 0)\n" + said[1].split("\n", 1)[1])
    assert said[2:] == ["this block has begun already: 0\n", "there is no such block: 5\n"]


def test_operations():
    said = dialogue(f"b {ADD}", "c", "show", "op", "op")
    assert said[3].startswith("   %") and "addf" in said[3]
    assert said[4].startswith(AT_LOOP + "   continue ")
    assert said[5].startswith("breakpoint 1\n" + AT_ADD + "   %") and "addf" in said[5]


def test_variables_and_source():
    said = dialogue(f"b {STORE}", "c", "vars", "list", "help", "frobnicate")
    assert "shifted: tile<4xf32> [-9, -6, -3, 0]\n" in said[3]
    assert "rounds: tile<i32> 3\n" in said[3]
    assert f"{STORE:4} B->      ct.store(y, index=(ct.bid(0),), tile=shifted)\n" in said[4]
    assert "break [[FILE:]LINE [block X[,Y[,Z]]]] (b): stop there" in said[5]
    assert said[6] == "unknown command 'frobnicate', expected one of those that help lists\n"


def test_the_source_of_a_cell_of_a_notebook():
    text = "def kernel(x):\n    tile = ct.load(x, 0, 4)\n    ct.store(x, 0, tile * 2)\n"
    linecache.cache["<cell 7>"] = len(text), None, text.splitlines(keepends=True), "<cell 7>"
    names = {"ct": ct}
    exec(compile(text, "<cell 7>", "exec"), names)
    with Debugger(["next", "list", "continue"]) as debugger:
        ct.kernel(names["kernel"])[1](np.ones(4, np.float32))
    assert "-> tile = ct.load(x, 0, 4)" in debugger.output
    assert "ct.store(x, 0, tile * 2)" in debugger.output


def test_quitting_ends_the_launch():
    x, y = arrays()
    with pytest.raises(TileDebuggerQuit, match="the debugger has ended the launch"), Debugger(["q"]):
        kernel[2](x, y, 1)
    assert not y.any()
    kernel[2](x, y, 1)  # compiled again
    assert y.any()


def test_failing_asserts_stop():
    @ct.kernel
    def strict(x):
        tile = ct.load(x, index=(0,), shape=(4,))
        ct.assert_(tile > 0, "positive")

    with pytest.raises(AssertionError), Debugger(["c", "p tile"]) as debugger:
        strict[1](np.array([1, 2, 0, 4], np.float32))
    assert "this assert fails: positive\n" in debugger.output
    assert "tile<4xf32> [1, 2, 0, 4]\n" in debugger.output


def test_checked_mode_stops_behind_findings(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "1")

    @ct.kernel
    def racing(x):
        ct.store(x, index=(0,), tile=ct.full((4,), 1.0, ct.float32))

    with pytest.raises(ct.errors.TileCheckError), Debugger(["c", "vars"]) as debugger:
        racing[2](np.empty(4, np.float32))
    assert "checked mode has found something in the operation before\n" in debugger.output


TEXT = """entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %start, %none = load_ptr_tko weak %a : tile<ptr<f32>> -> tile<f32>, token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %start) -> (tile<f32>) {
    %next = addf %s, %start : tile<f32>
    continue %next : tile<f32>
  }
  %t = store_ptr_tko weak %a, %sum token=%none : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "k.mlir"
    path.write_text(TEXT)
    return path


def test_modules_as_text(module):
    a = np.full(1, 1.5, np.float32)
    with Debugger(["b 7", "c", "p %next", "p %i", "c", "p %next", "b 9", "cl 1", "c", "p %sum", "p %s"]) as debugger:
        ct.load_module(module).k[1](a, 2)
    said = [answer.split("\n", 1)[1] for answer in debugger.output.split("(tile) ")[1:]]
    assert said[2:4] == ["tile<f32> 3\n", "tile<i32> 0\n"]
    assert said[5] == "tile<f32> 4.5\n"
    assert said[9:] == ["tile<f32> 4.5\n", "tile<f32> 3\n"]
    assert a == 4.5


def run(*arguments, commands):
    result = subprocess.run(
        [sys.executable, "-m", "tilewright", *map(str, arguments)],
        input="\n".join(commands) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    return result.returncode, result.stdout, result.stderr


def test_command_line(module, tmp_path):
    status, out, error = run("run", module, "--arg", "arange:1", "--arg", 3, "--debug", commands=["p %n", "c"])
    assert (status, error) == (0, "")
    assert f"> {module}(2)k(), block (0, 0, 0)\n-> %start, %none = load_ptr_tko" in out
    assert "(tile) tile<i32> 3\n" in out

    script = tmp_path / "script.py"
    script.write_text(
        "import sys, numpy as np, tilewright as ct\n"
        "@ct.kernel\n"
        "def fill(x):\n"
        "    value = ct.full((4,), 2.0, ct.float32)\n"
        "    ct.store(x, index=(0,), tile=value)\n"
        "x = np.zeros(4, np.float32)\n"
        "fill[1](x)\n"
        "print('done', x, sys.argv[1:])\n"
    )
    status, out, error = run("debug", script, "--flag", commands=["b 5", "c", "p value", "c"])
    assert (status, error) == (0, "")
    assert "tile<4xf32> [2, 2, 2, 2]\n" in out
    assert out.endswith("done [2. 2. 2. 2.] ['--flag']\n")
    status, out, _ = run("debug", script, commands=["q"])
    assert status == 1 and out.endswith("the debugger has ended the script\n")
