# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkers of types accept kernels, and know the types of the language (`py.typed`)."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
TYPICAL = HERE / "typical_kernels.py"
KERNELS = sorted((ROOT / "kernels").glob("*/kernel.py"))
WRONG = """import tilewright as ct

@ct.kernel
def wrong(a: ct.Array, TILE: ct.Constant[int]):
    x = ct.load(a, (0,), (TILE,), padding="zero")
    x.shap
    ct.launch(None, 1, wrong.function, ())
"""


def needs(module):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def run_mypy(tmp_path, *paths):
    """The complaints about these files."""
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\nmypy_path = {ROOT / 'python'}:{ROOT}\ncheck_untyped_defs = True\n"
                        "namespace_packages = True\nexplicit_package_bases = True\nignore_missing_imports = True\n"
                        "[mypy-tilewright.*]\nignore_errors = True\n"
                        "[mypy-torch.*]\nfollow_imports = skip\n")  # fmt: skip
    command = [sys.executable, "-m", "mypy", "--config-file", settings, "--no-error-summary", "--hide-error-context",
               "--cache-dir", tmp_path / "cache", *paths]  # fmt: skip
    return [line for line in subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()]


def run_pyright(tmp_path, *paths):
    settings = {"extraPaths": [str(ROOT / "python"), str(ROOT)], "pythonVersion": "3.11", "reportMissingImports": False,
                "reportMissingModuleSource": False, "include": []}  # fmt: skip
    for number, path in enumerate(paths):
        (tmp_path / f"{path.parent.name}_{number}.py").write_text(path.read_text())
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings | {"include": ["."]}))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if not made.stdout.startswith("{"):
        pytest.skip(f"pyright does not start: {made.stderr.strip().splitlines()[-1:]}")
    return [f"{each['file']}:{each['range']['start']['line'] + 1}: {each['message']}"
            for each in json.loads(made.stdout)["generalDiagnostics"] if each["severity"] == "error"]  # fmt: skip


CHECKERS = [pytest.param(run_mypy, marks=needs("mypy"), id="mypy"),
            pytest.param(run_pyright, marks=needs("pyright"), id="pyright")]  # fmt: skip
with_each = pytest.mark.parametrize("run", CHECKERS)


@with_each
def test_kernels_pass(run, tmp_path):
    assert KERNELS
    assert run(tmp_path, TYPICAL, *KERNELS) == []


@with_each
def test_mistakes_are_found(run, tmp_path):
    (tmp_path / "wrong").mkdir()
    path = tmp_path / "wrong" / "file.py"
    path.write_text(WRONG)
    found = run(tmp_path, path)
    assert {line for number in (5, 6, 7) for line in found if f":{number}:" in line} and len(found) >= 3


def test_the_typical_kernels_compile():
    from tilewright._tools.check.engine import Engine

    signatures = """
# tilewright: signature softmax: float16[:,::1]@16, float32[:,::1], 128
# tilewright: signature search: float32[::1], float32[::1], int64, 64
"""
    text = TYPICAL.read_text() + signatures
    report = Engine().check(text, str(TYPICAL))
    assert [(each.place.line, each.message) for each in report.diagnostics] == []
    assert sorted(report.checked) == ["product", "search", "softmax"]
