# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of examples/cpp, as a project of its own builds them: with what is installed alone."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLANG = shutil.which("clang++-22")

pytestmark = pytest.mark.skipif(
    not (ROOT / "build/bin/tilewright-c++").exists() or not shutil.which("cmake") or not CLANG,
    reason="builds with cmake, a compiler and the front end for C++",
)


def run(*command, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TILEWRIGHT_")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment | variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    for component in ("embedding", "cxx"):
        run("cmake", "--install", ROOT / "build", "--component", component, "--prefix", folder / "installed")
    source = shutil.copytree(ROOT / "examples/cpp", folder / "source")
    options = [f"-DCMAKE_PREFIX_PATH={folder}/installed/tilewright", f"-DCMAKE_CXX_COMPILER={CLANG}"]
    run("cmake", "-S", source, "-B", folder / "build", *options, "-DKERNEL_TARGETS=cpu;tilebc")
    run("cmake", "--build", folder / "build", "-j2")
    return folder


@pytest.mark.parametrize("name", ["vector_add", "softmax", "gemm", "attention", "moe", "stencil"])
def test_an_example_is_right(programs, name):
    assert run(programs / "build" / name).endswith(": right\n")


def test_an_example_runs_in_the_interpreter(programs):
    assert run(programs / "build/softmax", TILEWRIGHT_TARGET="interpreter").endswith(": right\n")


def test_programs_load_what_is_installed(programs):
    loaded = [line for line in run("ldd", programs / "build/gemm").splitlines() if "libtilewright" in line]
    assert len(loaded) == 1 and f"{programs}/installed/tilewright/libtilewright.so" in loaded[0]


def test_kernels_are_compiled_again_if_a_header_changes(programs):
    assert "Compiling kernels" not in run("cmake", "--build", programs / "build")
    (programs / "source/check.h").touch()
    assert run("cmake", "--build", programs / "build", "-j2", "--target", "gemm").count("Compiling kernels") == 1
