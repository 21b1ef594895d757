# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of examples/embed.c on targets of this machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from embedding import ROOT, build, installed, module, run
from tilewright.__main__ import main

pytestmark = pytest.mark.skipif(
    not (ROOT / "build/cmake_install.cmake").exists() or not shutil.which("cmake"),
    reason="installs with cmake from the folder build",
)


@pytest.fixture(scope="module", autouse=True)
def clean():
    yield
    shutil.rmtree(installed()[0])
    installed.cache_clear()


def embed(target, path=None, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILEWRIGHT_")}
    command = [installed()[1], path or module(), target]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment | variables)


@pytest.mark.parametrize(
    ("target", "origin"), [("cpu", "compiled"), ("interpreter", "interpreted"), ("tileas:sm_90", "simulated")]
)
def test_a_program_in_c_launches_a_module(target, origin):
    done = embed(target)
    assert done.returncode == 0, done.stderr
    name, sums, error = done.stdout.splitlines()[:3]
    assert name.startswith("vector_add_kernel") and name.endswith(f"({origin}) has 9 parameters")
    assert sums == "100000 sums are right"
    assert error.startswith("status 2: ") and "bytes" in error


def test_the_installation_is_all_that_it_takes():
    """The layout is the wheel's: header and CMake package beside the library, from which the program loads it."""
    folder = installed()[0] / "installed/tilewright"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    package = {"cmake/TilewrightConfig.cmake", "cmake/TilewrightConfigVersion.cmake"}
    assert {"include/tilewright.h", "libtilewright.so"} | package == {name for name in files if "tbb" not in name}
    loaded = [line for line in run("ldd", installed()[1]).splitlines() if "libtilewright" in line]
    assert len(loaded) == 1 and str(folder) in loaded[0]


def test_the_command_says_where_the_package_is(tmp_path, capsys):
    assert main(["prefix"]) == 0
    prefix = Path(capsys.readouterr().out.strip())
    done = subprocess.run([build(prefix, tmp_path), module(), "cpu"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "100000 sums are right" in done.stdout


def test_a_program_in_c_is_told_what_is_wrong(tmp_path):
    done = embed("cpu:z80")
    assert done.returncode == 1 and done.stderr.startswith("error 1: ") and "z80" in done.stderr
    done = embed("cpu", TILEWRIGHT_MATH="slow")
    assert done.stderr == "error 1: environment variable TILEWRIGHT_MATH is 'slow', expected own or libdevice-bits\n"
    garbage = tmp_path / "garbage.tilebc"
    garbage.write_bytes(b"\x7fTileIR\0" + bytes(range(256)))
    done = embed("cpu", garbage)
    assert done.returncode == 1 and done.stderr.startswith("error 2: ")
    other = tmp_path / "other.mlir"
    other.write_text("cuda_tile.module @m {\n  entry @k(%n: tile<i32>) { return }\n}")
    done = embed("cpu", other)
    assert done.stderr == "error 1: entry 'k' has 1 parameters, got 9 values\n"
