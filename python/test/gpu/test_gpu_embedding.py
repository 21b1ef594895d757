# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of examples/embed.c on a GPU."""

import subprocess

from embedding import KERNEL, build
from tilewright.__main__ import main


def test_a_program_in_c_launches_a_module_on_a_gpu(tmp_path, capsys):
    assert main(["prefix"]) == 0
    program = build(capsys.readouterr().out.strip(), tmp_path)
    module = tmp_path / "add.tilebc"
    signature = "float32[::1], float32[::1], float32[::1], 4096"
    assert main(["compile", KERNEL, "--signature", signature, "--emit=tilebc", "-o", str(module)]) == 0
    done = subprocess.run([program, module, "nvidia"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "100000 sums are right" in done.stdout.splitlines()
