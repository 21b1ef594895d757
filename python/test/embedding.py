# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/embed.c as a project of its own builds it: with the header, library and CMake package alone."""

import pathlib
import shutil
import subprocess

import pytest
from tilewright.__main__ import main

ROOT = pathlib.Path(__file__).parents[2]
KERNEL = f"{ROOT}/kernels/vector_add/kernel.py:vector_add_kernel"


def build(folder, capsys):
    """The program and the module that it launches."""
    if not shutil.which("cmake") or not (shutil.which("cc") or shutil.which("clang-22")):
        pytest.skip("builds with cmake and a C compiler, one of which is not here")
    assert main(["prefix"]) == 0
    prefix = capsys.readouterr().out.strip()
    compiler = "cc" if shutil.which("cc") else "clang-22"
    strict = [f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"]
    configure = ["cmake", "-S", ROOT / "examples", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *strict]
    for command in (configure, ["cmake", "--build", folder]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    module = folder / "add.tilebc"
    signature = "float32[::1], float32[::1], float32[::1], 4096"
    assert main(["compile", KERNEL, "--signature", signature, "--emit=tilebc", "-o", str(module)]) == 0
    return folder / "embed", module
