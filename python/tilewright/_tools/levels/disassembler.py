# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's disassembler, where it is installed."""

from __future__ import annotations

import functools
import glob
import os
import pathlib
import subprocess
import sys
import tempfile


@functools.cache
def find() -> str:
    """An nvdisasm: in PATH, a toolkit, or the Python package nvidia-cuda-nvdisasm. Empty if there is none."""
    folders = [*os.environ.get("PATH", "").split(":"), *sorted(glob.glob("/usr/local/cuda*/bin"))]
    folders += [f"{folder}/nvidia/{name}/bin" for folder in sys.path for name in ("cu13", "cuda_nvdisasm")]
    return next((path for folder in folders if os.access(path := f"{folder}/nvdisasm", os.X_OK)), "")


def disassemble(cubin: bytes) -> str:
    """The text that nvdisasm makes of it, with lines; empty if there is none, or it fails."""
    if not find():
        return ""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        command = [find(), "--print-line-info", "--print-line-info-inline", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""
