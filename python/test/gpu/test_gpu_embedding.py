# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program of examples/embed.c on a GPU."""

import subprocess

from embedding import build


def test_a_program_in_c_launches_a_module_on_a_gpu(tmp_path, capsys):
    program, module = build(tmp_path, capsys)
    done = subprocess.run([program, module, "nvidia"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "100000 sums are right" in done.stdout.splitlines()
