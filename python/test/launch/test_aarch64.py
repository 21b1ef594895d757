# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as code for aarch64, run by QEMU: their results are the interpreter's, within twice the bound that a result
may differ from the exact one. Random programs are in src/fuzz/programs/test/agree_aarch64.mlir."""

import contextlib
import pathlib
import subprocess

import numpy as np
import pytest
import tilewright as ct
from emulator import SYSROOT, emulated, needs_emulator, run
from ml_dtypes import bfloat16
from tilewright import _native, _runtime
from tilewright.__main__ import main

from kernels.accuracy import Reference
from kernels.attention.bench import attention_work
from kernels.cumsum.bench import cumsum_work
from kernels.gather_rows.bench import gather_rows_work
from kernels.gemm.bench import gemm_work
from kernels.layer_norm.bench import layer_norm_work
from kernels.quantized_linear.bench import int8_work
from kernels.row_reduce.bench import row_argmax_work
from kernels.softmax.bench import softmax_work
from kernels.transpose.bench import transpose_work
from kernels.vector_add.bench import vector_add_work

ROOT = pathlib.Path(__file__).parents[3]
WORKS = [
    lambda: vector_add_work(5000),
    lambda: softmax_work(3, 1000),
    lambda: softmax_work(3, 200, bfloat16),
    lambda: layer_norm_work(3, 300),
    lambda: cumsum_work(3, 500),
    lambda: row_argmax_work(5, 300),
    lambda: transpose_work(70, 90),
    lambda: transpose_work(70, 90, np.int8),
    lambda: gather_rows_work(20, 100),
    lambda: gemm_work(70, 50, 90),
    lambda: gemm_work(70, 50, 90, np.float16),
    lambda: gemm_work(70, 50, 90, bfloat16, epilogue=True),
    lambda: gemm_work(70, 50, 90, bfloat16, transposed_a=True, transposed_b=True),
    lambda: gemm_work(70, 50, 90, np.int8),
    lambda: gemm_work(70, 50, 90, np.uint8, transposed_b=True),
    lambda: int8_work(20, 100, 64),
    lambda: attention_work(2, 70, 64),
    lambda: attention_work(2, 70, 64, bfloat16, kv_heads=1),
]
TARGETS = ["aarch64", "aarch64+sve2+bf16+dotprod"]


@contextlib.contextmanager
def launched_on(target):
    """A kernel keeps the target that it was compiled for, so each launch inside compiles another one."""
    launch = _runtime.launch
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEWRIGHT_TARGET", target)
        patch.setattr(_runtime, "launch", lambda kernel, *how: launch(kernel.replace_hints(), *how))
        yield


@pytest.fixture(scope="module")
def interpreted():
    """The work of a maker, launched in the interpreter once: with its result."""
    known = {}

    def interpret(make):
        if make not in known:
            work = make()
            with launched_on("interpreter"):
                work.run()
            known[make] = work, work.result.copy()
        return known[make]

    return interpret


@needs_emulator
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("make", WORKS, ids=lambda make: make().name)
def test_emulated_kernels_compute_what_the_interpreter_does(make, target, interpreted, tmp_path):
    work, expected = interpreted(make)
    work.result[...] = 0
    with emulated(target, tmp_path):
        work.run()
    exact = work.reference()
    exact.check(work.result)
    Reference(expected.astype(np.float64), exact.scale, 2 * exact.bound).check(work.result)


@ct.kernel
def to_integers(x, out):
    ct.store(out, (0,), ct.astype(ct.load(x, (0,), (16,)), ct.int32))


@needs_emulator
@pytest.mark.parametrize("target", TARGETS)
def test_a_signaling_nan_is_a_nan(target, tmp_path):
    """LLVM takes a choice between a number and a bound for fmaxnm, which keeps such a NaN."""
    x, out = np.full(16, 2.5, np.float32), np.zeros(16, np.int32)
    x[3:6] = np.array([0x7F800001, 0xFF815466, 0x7FC00000], np.uint32).view(np.float32)
    with emulated(target, tmp_path):
        ct.launch(None, (1,), to_integers, (x, out))
    assert out.tolist() == [2] * 3 + [-(2**31)] * 3 + [2] * 10


ATTENTION = (
    "float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32[:,:,:,::1], float32, 2, True, 64, 64, 64"
)


@needs_emulator
def test_the_example_in_c_is_linked_with_an_object(tmp_path):
    kernel, program = tmp_path / "attention_kernel.o", tmp_path / "attention"
    source = f"{ROOT}/kernels/attention/kernel.py:attention_kernel"
    assert main(["compile", source, "--signature", ATTENTION, "--target=aarch64+sve2", "-o", str(kernel)]) == 0
    libraries = SYSROOT / "lib"
    files = [libraries / "crt1.o", libraries / "crti.o", ROOT / "examples/attention.c", kernel, libraries / "crtn.o"]
    options = ["--target=aarch64-linux-gnu", "-O1", "-isystem", SYSROOT / "include", f"-I{tmp_path}", "-fuse-ld=lld",
               "-nostdlib", f"-L{libraries}", "-Wl,-dynamic-linker,/lib/ld-linux-aarch64.so.1"]  # fmt: skip
    subprocess.run(["clang-22", *options, *files, "-lc", "-lm", "-o", program], check=True)
    assert "4 heads, 300 positions" in run("max", program)


def test_this_machine_says_that_it_cannot_run_the_code():
    refusal = r"target aarch64\+sve2 has code for aarch64, which this machine cannot run"
    with launched_on("aarch64+sve2"), pytest.raises(ValueError, match=refusal):
        WORKS[0]().run()


def test_a_missing_linker_is_named(monkeypatch, tmp_path):
    module = ct.assemble("cuda_tile.module @m { entry @nothing() { return } }")
    made = _native.compile_to(module, "m", "aarch64", "obj")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        ct.TileCompilerExecutionError, match=r"expected ld.lld \(package lld\) or aarch64-linux-gnu-ld in PATH"
    ):
        _native.link_shared(made.output, str(tmp_path / "m.so"))
