# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs under tilewright.compat on the CPU, in one process; each is a test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernels.foreign.__main__ import PROGRAMS

pytest.importorskip("torch")
ROOT = Path(__file__).parents[2]


def run_all(**environment):
    command = [sys.executable, "-m", "kernels.foreign", "--device", "cpu"]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT, env=os.environ | environment)


@pytest.fixture(scope="module")
def table():
    done = run_all()
    rows, name = {}, None
    for line in done.stdout.splitlines():
        if not line.startswith("  ") and line.split()[0] in PROGRAMS:
            name = line.split()[0]
        rows[name] = rows.get(name, "") + line + "\n"
    return done, rows


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(table, name):
    done, rows = table
    assert rows.get(name, done.stderr).split()[1] == "right", rows.get(name, done.stderr)


def test_status(table):
    done, _ = table
    assert (done.returncode == 0) == (f"{len(PROGRAMS)} right, 0 wrong" in done.stdout), done.stdout


def test_checked_mode_finds_nothing():
    done = run_all(TILEWRIGHT_CHECK="1")
    assert done.returncode == 0, done.stdout


def test_a_program_that_is_wrong(tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text(
        "import sys\nimport kernels.foreign.vector_add as program\nfrom kernels.foreign.__main__ import main\n"
        "right = program.check\n"
        "program.check = lambda: ((what, actual + 1, expected, 0) for what, actual, expected, _ in right())\n"
        "sys.exit(main(['vector_add']))\n"
    )
    command = [sys.executable, "-m", "tilewright.compat", "--device", "cpu", str(program)]
    folders = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": folders}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 1, done.stderr
    assert "WRONG" in done.stdout and "tiles of 1024: error" in done.stdout and "0 right, 1 wrong" in done.stdout
