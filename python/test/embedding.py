# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/embed.c as a project of its own builds it: with the header, library and CMake package alone."""

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest
from tilewright.__main__ import main

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = f"{ROOT}/kernels/vector_add/kernel.py:vector_add_kernel"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(prefix, folder):
    """The program, from a copy of its source outside of the tree."""
    if not shutil.which("cmake") or not (shutil.which("cc") or shutil.which("clang-22")):
        pytest.skip("builds with cmake and a C compiler, one of which is not here")
    compiler = "cc" if shutil.which("cc") else "clang-22"
    source = shutil.copytree(ROOT / "examples", folder / "source")
    strict = [f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror"]
    run("cmake", "-S", source, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", *strict)
    run("cmake", "--build", folder / "build")
    return folder / "build/embed"


@functools.cache
def installed():
    """A folder with what `cmake --install` puts there for programs in C, and the program built with it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tilewright-embed-"))
    run("cmake", "--install", ROOT / "build", "--component", "embedding", "--prefix", folder / "installed")
    return folder, build(folder / "installed/tilewright", folder)


def module():
    path = installed()[0] / "add.tilebc"
    signature = "float32[::1], float32[::1], float32[::1], 4096"
    if not path.exists():
        assert main(["compile", KERNEL, "--signature", signature, "--emit=tilebc", "-o", os.fspath(path)]) == 0
    return path
