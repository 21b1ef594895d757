# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright explain` of a kernel in Python, with the cubin's facts where an assembler is found."""

import os
import sys
from pathlib import Path

from tilewright import _native
from tilewright.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
KERNEL = f"{ROOT / 'kernels/vector_add/kernel.py'}:vector_add_kernel"
SIGNATURE = "float32[::1]@16, float32[::1]@16, float32[::1]@16, 1024"


def explain(capsysbinary, *words):
    status = main(["explain", KERNEL, "--signature", SIGNATURE, *words])
    captured = capsysbinary.readouterr()
    return status, captured.out.decode(), captured.err.decode()


def test_a_kernel_for_a_gpu(capsysbinary):
    status, text, _ = explain(capsysbinary, "--target=sm_90")
    assert status == 0
    assert "for sm_90a\n" in text
    assert "loads 8192 bytes, stores 4096 bytes, 1024 operations on elements" in text
    assert ("  registers " in text) == bool(_native.find_assemblers(sys.path))


def test_without_an_assembler(capsysbinary, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", os.fspath(ROOT / "none/ptxas"))
    status, text, _ = explain(capsysbinary, "--target=sm_80")
    assert status == 0
    assert "  no cubin        ptxas " in text and "  registers " not in text


def test_a_kernel_for_a_cpu(capsysbinary):
    status, text, _ = explain(capsysbinary)
    assert status == 0 and "loop_vectors = " in text
