# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright check`: errors of kernels in files that are not run."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from tilewright.__main__ import main
from tilewright._tools.check.diagnostics import Place, Report
from tilewright._tools.check.engine import Engine
from tilewright._tools.check.parsing import parse
from tilewright._tools.check.process import Worker

ROOT = Path(__file__).resolve().parents[3]
HEAD = """from typing import Annotated
import tilewright as ct

Vector = Annotated[ct.Array, "float32[::1]@16"]
TILE = 64
"""
GOOD = """
@ct.kernel
def good(a: Vector, out: Vector):
    ct.store(out, (ct.bid(0),), ct.load(a, (ct.bid(0),), (TILE,)) + 1)
"""


@pytest.fixture
def checked(tmp_path, capsys, monkeypatch):
    """Runs the command on a file with the text: (status, output)."""
    monkeypatch.chdir(tmp_path)

    def run(text, *words):
        Path("file.py").write_text(text)
        status = main(["check", "file.py", *words])
        return status, capsys.readouterr().out

    return run


def report_of(text, engine=None):
    return (engine or Engine()).check(text, "/nowhere/file.py")


def messages(report):
    return [(each.place.line, each.message) for each in report.diagnostics]


def test_no_errors(checked):
    assert checked(HEAD + GOOD) == (0, "")
    assert checked("x = 1\n") == (0, "")


def test_several_errors_of_a_file(checked):
    status, text = checked(
        HEAD
        + """
def helper(x):
    return ct.reshape(x, (63,))

@ct.kernel
def several(a: Vector, n: int):
    x = ct.load(a, (0,), (TILE,)) * missing
    y = x + 1
    for i in range(n):
        z = helper(ct.load(a, (i,), (TILE,)))
        x = z
    ct.store(a, (0,), ct.zeros((3,), ct.float32))

@ct.kernel
def another(a: Vector):
    a[0] = 1
"""
    )
    assert status == 1
    places = [line.split(" error: ")[0] for line in text.splitlines() if " error: " in line]
    assert places == ["file.py:8:12:", "file.py:12:37:", "file.py:17:23:", "file.py:21:5:"]
    assert "        x = ct.load(a, (0,), (TILE,)) * missing\n" + " " * 40 + "^^^^^^^\n" in text
    assert "file.py:15:13: note: called from here, in several\n" in text
    assert "has no value, since" not in text  # errors that follow from others


def test_a_file_is_not_run(checked):
    status, text = checked(
        HEAD
        + GOOD
        + """
from pathlib import Path
Path("ran").touch()
made = Path("ran").touch()
if True:
    Path("ran").touch()
for _ in (Path("ran").touch(),):
    pass
size = int(Path("ran").read_text())

@ct.kernel
def needs(a: Vector):
    ct.store(a, (0,), ct.zeros((size,), ct.float32))
"""
    )
    assert (status, Path("ran").exists()) == (0, False)
    assert text == "file.py:21:1: note: kernel 'needs' not checked: 'size' is known only when line 18 runs\n"


def test_definitions_are_found(checked):
    Path("beside.py").write_text("WIDTH = 32\n")
    text = """from __future__ import annotations
import math
from dataclasses import dataclass
from beside import WIDTH

try:
    import ml_dtypes_that_is_missing
except ImportError:
    ml_dtypes_that_is_missing = None
if WIDTH > 16:
    HALF = WIDTH // 2
else:
    HALF = 0
SIZES = tuple(1 << i for i in range(8))
COUNT = int(math.sqrt(SIZES[4])) if ml_dtypes_that_is_missing is None else 0

@dataclass(frozen=True)
class Shape:
    rows: int
    columns: int = HALF

SHAPE = (COUNT, WIDTH // 2)
plus = ct.kernel(lambda: None) if False else 1

@ct.kernel
def uses(a: Annotated[ct.Array, "float32[:,::1]"], n: ct.ScalarInt64, scale: float, T: ct.Constant[int] = 4):
    x = ct.load(a, (n, 0), SHAPE) * scale + plus
    ct.store(a, (0, 0), x)
""".replace("import math\n", "import math\n" + HEAD)
    assert checked(text) == (0, "")


def test_signatures_in_comments(checked):
    text = (
        HEAD
        + """
# tilewright: signature scale: float32[::1], float32[::1], 16
# tilewright: signature scale: float16[::1], float16[::1], 15
# tilewright: signature scale: float16[::1]
# tilewright: signature scael: float32
@ct.kernel
def scale(a, out, T: ct.Constant[int]):
    ct.store(out, (0,), ct.load(a, (0,), (T,)))
"""
    )
    status, text = checked(text)
    assert status == 1 and text.count(": error: ") == 3
    assert "file.py:9:1: error: the signature has 1 entries, expected 3 (a, out, T)\n" in text
    assert "file.py:10:1: error: no kernel 'scael' in this file, expected one of scale\n" in text
    assert "file.py:13:" in text and "shape (15,)" in text


def test_texts_that_look_like_signatures(checked):
    text = f'TEXT = """\n# tilewright: signature other: float32\n"""\n{HEAD}{GOOD}'
    assert checked(text) == (0, "")


def test_kernels_without_types(checked):
    status, text = checked(
        HEAD
        + """
@ct.kernel
def open_types(a, out):
    try:
        pass
    except ValueError:
        pass

def make():
    @ct.kernel
    def inner(a):
        pass
    return inner

@ct.kernel
def wrong(a: Annotated[ct.Array, "f32[:]"]):
    pass
"""
    )
    assert status == 1
    lines = text.splitlines()
    assert lines[0] == "file.py:9:5: warning: tile code cannot contain try/except"
    assert "file.py:8:1: note: kernel 'open_types' not checked: no signature" in lines
    assert "file.py:16:5: note: kernel 'inner' not checked: a function defines it" in lines
    assert any(line.startswith("file.py:21:1: error: unknown dtype 'f32'") for line in lines)


def test_statements_that_are_no_python():
    text = HEAD + GOOD + "\n@ct.kernel\ndef half(a: Vector):\n    x = ct.load(a, (0,\n" + GOOD.replace("good", "after")
    report = report_of(text)
    assert messages(report) == [(13, "'(' was never closed")]
    assert report.checked == ["good", "after"]
    for broken in ('"""', "def f(:", "    x =", "@", "class", "\0", "ct.", "'", ")", "f(\n\n\ndef g(:\n", "if x:\n"):
        for at in range(0, len(text), 37):
            parsed = parse(text[:at] + broken + text[at:], "f")
            assert all(1 <= each.place.line <= parsed.text.count("\n") + 20 for each in parsed.faults)


def test_definitions_that_are_half_typed():
    """Errors that only follow from that are left out."""
    report = report_of((HEAD + GOOD).replace("import tilewright as ct", "import tilewright as ct = ("))
    assert messages(report) == [(2, "invalid syntax")]
    reasons = [each.message for each in report.unchecked]
    assert reasons == ["kernel 'good' not checked: a definition that it needs is no Python"]
    shared = HEAD + "WIDTH = int(TYLE)\n" + (GOOD + GOOD.replace("good", "another")).replace("TILE", "WIDTH")
    assert messages(report_of(shared)) == [(6, "NameError: name 'TYLE' is not defined")]


@pytest.mark.parametrize("statement", ["from __future__ import nothing\n", "if TILE:\n    WIDTH = 64\n    return\n"])
def test_statements_that_only_look_like_python(statement):
    report = report_of(statement + HEAD + GOOD + GOOD.replace("good", "wide").replace("TILE", "WIDTH"))
    assert {each.rule for each in report.diagnostics} <= {"SyntaxError", "NameError"}
    assert report.diagnostics or report.unchecked


def test_every_beginning_of_a_file():
    """As it is typed."""
    engine, text = Engine(), HEAD + GOOD
    for end in range(len(text)):
        report_of(text[:end], engine)
    assert report_of(text, engine).checked == ["good"]


def test_findings_move_with_the_lines():
    worked_on = []
    engine = Engine(announce=lambda key, stage: worked_on.append(stage))
    text = HEAD + "\n@ct.kernel\ndef bad(a: Vector):\n    x = ct.bid(0)\n    y = x + nothing\n" + GOOD
    first = report_of(text, engine)
    moved = report_of(text.replace("TILE = 64", "\n\nOTHER = 1\nTILE = 64"), engine)
    assert worked_on == ["definitions", "kernel"] * 2
    assert [each.place.line for each in first.diagnostics] == [10]
    assert [each.place for each in moved.diagnostics] == [Place("/nowhere/file.py", 13, 13, 13, 20)]
    assert [(each.name, each.type, each.place.line) for each in moved.hints] == [("x", "int32", 12)]
    assert any("get_tile_block_id" in row or "addf" in row for row in engine.code_of("/nowhere/file.py", 17))
    report_of(text.replace("TILE = 64", "TILE = 32"), engine)
    assert len(worked_on) == 6


def test_types_of_variables_and_code_of_lines():
    engine = Engine()
    report = report_of(
        HEAD
        + """
@ct.kernel
def typed(a: Vector, n: int):
    total = ct.zeros((TILE,), ct.float32)
    for i in range(n):
        rows, plain = ct.load(a, (i,), (TILE,)), 3
        pair = rows, 3, i
        total += ct.exp(rows)
    ct.store(a, (0,), total)
""",
        engine,
    )
    assert [(each.place.line, each.place.column, each.name, each.type) for each in report.hints] == [
        (9, 5, "total", "float32[64]"),
        (10, 9, "i", "int32"),
        (11, 9, "rows", "float32[64]"),
        (12, 9, "pair", "(float32[64], int32)"),
        (13, 9, "total", "float32[64]"),
    ]
    code = engine.code_of("/nowhere/file.py", 13)
    assert any(" exp " in row for row in code) and any(" addf " in row for row in code)
    assert engine.code_of("/nowhere/file.py", 3) == []


def test_a_helper_of_several_kernels():
    helper = "\ndef helper(x):\n    y = x + 1\n    return ct.reshape(y, (7,))\n"
    kernel = GOOD.replace("+ 1", "+ helper(ct.load(a, (0,), (TILE,)))")
    report = report_of(HEAD + helper + kernel + kernel.replace("good", "another"))
    assert [each.kernel for each in report.diagnostics] == ["good"]
    assert [hint.name for hint in report.hints] == ["y"]


def test_modules_that_change(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "beside_me.py").write_text("SIZE = 63\n")
    text = HEAD + "from beside_me import SIZE\n" + GOOD.replace("TILE", "SIZE")
    engine = Engine()
    assert "shape (63,)" in report_of(text, engine).diagnostics[0].message
    (tmp_path / "beside_me.py").write_text("SIZE = 640 // 10\n")
    assert messages(report_of(text, engine)) == []


def test_imports_that_fail(checked):
    text = HEAD + "from nowhere_at_all import WIDTH\n" + GOOD.replace("TILE", "WIDTH")
    reason = "ModuleNotFoundError: No module named 'nowhere_at_all'"
    assert checked(text) == (0, f"file.py:9:1: note: kernel 'good' not checked: {reason}\n")
    status, text = checked(f"{text}# tilewright: signature good: float32[:], float32[:]\n")
    assert status == 1
    assert "file.py:6:1: error: ModuleNotFoundError: No module named 'nowhere_at_all'\n" in text


def test_a_file_of_a_package(tmp_path, monkeypatch, capsys):
    """Named as from its own folder; errors in other files come with the call in this one."""
    package = tmp_path / "of_tests" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    (package.parent / "helpers.py").write_text(
        "import tilewright as ct\ndef shrink(x):\n    return ct.reshape(x, (7,))\n"
    )
    imports = "from ..helpers import shrink\nfrom of_tests.helpers import shrink as again\n"
    kernel = GOOD.replace("+ 1", "+ shrink(ct.load(a, (0,), (TILE,)))")
    (package / "file.py").write_text(
        HEAD + imports + kernel + kernel.replace("good", "more").replace("shrink", "again")
    )
    monkeypatch.chdir(package)
    assert main(["check", "file.py"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{package.parent / 'helpers.py'}:3:12: error: shape (7,)")
    assert lines[3] == "file.py:11:69: note: called from here, in good"
    assert lines[9] == "file.py:15:69: note: called from here, in more"


def test_a_folder(checked):
    Path("inner").mkdir()
    Path(".hidden").mkdir()
    for path in ("b.py", "inner/a.py", ".hidden/c.py"):
        Path(path).write_text(HEAD + GOOD.replace("TILE", "63"))
    status, text = checked(HEAD + GOOD, ".")
    places = [line.split(":")[0] for line in text.splitlines() if ": error: " in line]
    assert (status, places) == (1, ["b.py", "inner/a.py"])


def test_programs_for_cuda_tile(checked):
    assert checked((HEAD + GOOD).replace("import tilewright as ct", "import cuda.tile as ct")) == (0, "")


def test_a_kernel_that_ends_the_process(checked):
    dies = GOOD.replace("good", "dies").replace("TILE", "ct.static_eval(os.abort() or 1)")
    status, text = checked("import os\n" + HEAD + dies + GOOD.replace("TILE", "63"))
    assert status == 1
    assert "file.py:9:1: error: checking kernel 'dies' ended with SIGABRT\n" in text
    assert "shape (63,)" in text  # the other is checked


def test_a_kernel_that_never_ends():
    worker = Worker(1.0, quiet=True)
    text = HEAD + "from itertools import count\n" + GOOD.replace("TILE", "ct.static_eval(sum(count()))")
    report = worker.check(text, "file.py")
    assert [each.message for each in report.diagnostics] == ["checking kernel 'good' took more than 1 s"]
    again = worker.check(f"\n{text}", "file.py")  # known, so it is not tried
    assert [each.place.line for each in again.diagnostics] == [each.place.line + 1 for each in report.diagnostics]
    assert worker.check(HEAD + GOOD, "file.py").checked == ["good"]
    worker.stop()


def test_output_of_a_file_is_not_ours(checked):
    Path("talks.py").write_text("print('hello')\ninput\nTILE = 64\n")
    assert checked(HEAD + "from talks import TILE\n" + GOOD, "--format=json")[1].startswith("[\n")


def test_errors_behind_the_front_end(checked):
    status, text = checked(HEAD + GOOD, "--target=nowhere")
    assert status == 1 and "file.py:8:1: error: unknown target 'nowhere'" in text


def test_a_gpu_without_an_assembler(checked, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", "/nowhere/ptxas")
    assert checked(HEAD + GOOD, "--target=nvidia:sm_90") == (0, "")


def test_names_of_files_that_are_no_text(tmp_path, capsysbinary):
    path = os.fsencode(tmp_path) + b"/\xff.py"
    Path(os.fsdecode(path)).write_text(HEAD + GOOD.replace("TILE", "63"))
    assert main(["check", os.fsdecode(path)]) == 1
    assert path + b":9:" in capsysbinary.readouterr().out


def test_files_that_cannot_be_read(checked, tmp_path):
    Path("latin.py").write_bytes(b"# \xe9\n")
    status, text = checked(HEAD + GOOD, "missing.py", "latin.py")
    assert status == 1
    assert "missing.py:1:1: error: No such file or directory\n" in text
    assert "latin.py:1:1: error: invalid or missing encoding declaration" in text


def test_json(checked):
    _, text = checked(HEAD + GOOD.replace("TILE", "63"), "--format=json")
    (row,) = json.loads(text)
    assert row.pop("file") == "file.py"
    (found,) = Report.from_json(row).diagnostics
    assert (found.severity, found.rule, found.kernel) == ("error", "TileTypeError", "good")
    assert (found.place.path, found.place.line) == ("file.py", 9)


def test_sarif(checked):
    """The members that SARIF 2.1.0 requires, and the ones that readers show."""
    text = HEAD + "def helper():\n    return ct.zeros((3,), ct.int32)\n" + GOOD.replace("TILE", "helper()")
    status, text = checked(text + "@ct.kernel\ndef open_types(a): pass\n", "--format=sarif")
    log = json.loads(text)
    assert status == 1 and log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "tilewright check"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    error, note = run["results"]
    for result in run["results"]:
        assert result["message"]["text"] and result["level"] in ("error", "warning", "note", "none")
        assert result["ruleId"] in rules
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "file.py"
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    assert error["level"] == "error" and error["relatedLocations"][0]["message"]["text"]
    assert note["level"] == "note"


@pytest.mark.parametrize("name, signature", [
    ("softmax", "softmax_online_kernel: float32[:,::1]@16, float32[:,::1]@16, 1024"),
    ("vector_add", "vector_add_kernel: float32[::1], float32[::1], float32[::1], 1024"),
])  # fmt: skip
def test_kernels_of_the_tree(checked, name, signature):
    text = (ROOT / "kernels" / name / "kernel.py").read_text()
    status, text = checked(f"{text}\n# tilewright: signature {signature}\n")
    assert status == 0 and "error" not in text, text
    shutil.rmtree("__pycache__", ignore_errors=True)


def test_a_language_server_without_pygls(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    monkeypatch.delitem(sys.modules, "tilewright._tools.lsp.server", raising=False)
    with pytest.raises(SystemExit, match=r"needs pygls: pip install 'tilewright\[editor\]'"):
        main(["lsp"])
