# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of examples/embed.c on targets of this machine."""

import subprocess

import pytest
from embedding import build


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("embed")


@pytest.mark.parametrize(
    ("target", "origin"), [("cpu", "compiled"), ("interpreter", "interpreted"), ("tileas:sm_90", "planned")]
)
def test_a_program_in_c_launches_a_module(target, origin, folder, capsys):
    program, module = build(folder, capsys)
    done = subprocess.run([program, module, target], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    name, sums, error = done.stdout.splitlines()[:3]
    assert name.startswith("vector_add_kernel") and name.endswith(f"({origin}) has 9 parameters")
    assert sums == "100000 sums are right"
    assert error.startswith("status 2: ") and "bytes" in error


def test_a_program_in_c_is_told_which_target_is_not_there(folder, capsys):
    program, module = build(folder, capsys)
    done = subprocess.run([program, module, "cpu:z80"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("error 1: ") and "z80" in done.stderr
