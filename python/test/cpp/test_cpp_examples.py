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


@pytest.mark.skipif(not shutil.which("g++"), reason="GCC is not here")
def test_a_file_of_gcc_launches_a_kernel(programs):
    folder = programs / "gcc"
    folder.mkdir()
    declared = "#include <tilewright/launch.h>\n__tile_global__ void negate(float *p);\n"
    (folder / "main.cpp").write_text(
        declared + "int main() { tilewright::vector<float> v(1, 2); tilewright::launch(1, negate, v.data());"
        " tilewright::synchronize(); return v[0] == -2 ? 0 : 1; }\n"
    )
    (folder / "kernel.cpp").write_text(declared + "__tile_global__ void negate(float *p) { *p = -*p; }\n")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(mixed CXX)\nfind_package(Tilewright REQUIRED CONFIG)\n"
        "add_executable(mixed main.cpp)\ntarget_compile_features(mixed PRIVATE cxx_std_20)\n"
        "tilewright_add_kernels(mixed kernel.cpp)\n"
    )
    prefix = f"-DCMAKE_PREFIX_PATH={programs}/installed/tilewright"
    run("cmake", "-S", folder, "-B", folder / "build", prefix, "-DCMAKE_CXX_COMPILER=g++")
    run("cmake", "--build", folder / "build")
    run(folder / "build/mixed")
