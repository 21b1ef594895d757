# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's compiler takes the bytecode that our front end writes for every demo kernel."""

import io
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import nvidia_tools
import pytest
import tilewright as ct
from ml_dtypes import bfloat16
from tilewright import _native, _runtime
from tilewright.compilation import CallingConvention, KernelSignature, export_kernel

import kernels.attention.bench as attention
import kernels.fused_moe.bench as fused_moe
import kernels.gemm.bench as gemm
import kernels.rms_norm.bench as rms_norm
import kernels.softmax.bench as softmax
import kernels.transpose.bench as transpose
import kernels.vector_add.bench as vector_add

# The demo's works, on inputs that are small but launch the same kernels.
WORKS = {
    "vector_add": lambda: vector_add.vector_add_work(1 << 12),
    "gemm f32": lambda: gemm.gemm_work(256, 256, 256, np.float32),
    "gemm f32 with edges": lambda: gemm.gemm_work(100, 133, 77, np.float32),
    "gemm f16": lambda: gemm.gemm_work(256, 256, 256, np.float16),
    "gemm bf16": lambda: gemm.gemm_work(256, 256, 256, bfloat16),
    "softmax": lambda: softmax.softmax_work(4, 4096),
    "softmax of long rows": lambda: softmax.softmax_work(2, 1 << 15),
    "rms_norm": lambda: rms_norm.rms_norm_work(4, 4096),
    "rms_norm of long rows": lambda: rms_norm.rms_norm_work(2, 1 << 15),
    "transpose": lambda: transpose.transpose_work(128, 128),
    "attention f32": lambda: attention.attention_work(2, 128, 64, np.float32),
    "attention bf16, grouped": lambda: attention.attention_work(8, 128, 64, bfloat16, kv_heads=2),
    "fused_moe": lambda: fused_moe.fused_moe_work(64, 128, 4, 2, 256),
    "moe": lambda: fused_moe.moe_work(64, 128, 4, 2, 128),
}
ARCHITECTURES = ("sm_80", "sm_90", "sm_120")


@pytest.fixture(scope="module")
def exported():
    """Symbol -> (bytecode, name of the source file) of every specialization that the works launch."""
    modules = {}
    launch = _runtime.launch

    def record(kernel, grid, args, *where):
        signature = KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2())
        file = io.BytesIO()
        export_kernel(kernel, [signature], file, output_format="tileir_bytecode", bytecode_version="13.4")
        source = os.path.basename(kernel.function.__code__.co_filename)
        modules.setdefault(signature.symbol, (file.getvalue(), source))
        launch(kernel, grid, args, *where)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runtime, "launch", record)
        for make in WORKS.values():
            make().run()
    return modules


def test_the_works_launch_every_demo_kernel(exported):
    names = {symbol.partition("_Kt2")[0] for symbol in exported}
    expected = {"vector_add_kernel", "gemm_kernel", "softmax_kernel", "softmax_online_kernel", "rms_norm_kernel"}
    expected |= {"rms_norm_chunked_kernel", "transpose_kernel", "attention_kernel"}
    expected |= {"sum_choices_kernel", "route_kernel", "fused_moe_kernel", "gated_kernel", "place_kernel"}
    assert expected <= names


def test_exported_kernels_read_back(exported):
    for symbol, (data, _) in exported.items():
        assert list(ct.load_module(data)) == [symbol]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tileiras_compiles_every_demo_kernel(exported, architecture, tmp_path):
    nvidia_tools.require("nvidia-cuda-tileiras")

    def compiles(numbered):
        number, (symbol, (data, source)) = numbered
        module, cubin = tmp_path / f"{number}.tilebc", tmp_path / f"{number}.cubin"
        module.write_bytes(data)
        options = ["--gpu-name", architecture, "--lineinfo", "-o", cubin]
        run = subprocess.run([nvidia_tools.tool("tileiras"), *options, module], capture_output=True, text=True)
        if run.returncode:
            return f"{symbol}: status {run.returncode}: {run.stderr[-500:]}"
        code = cubin.read_bytes()
        # The kernel by its name, and the lines it comes from.
        lacks = [what for what in (b"\x7fELF", symbol.encode(), b".debug_line", source.encode()) if what not in code]
        return f"{symbol}: lacks {lacks}" if lacks else None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(compiles, enumerate(exported.items())) if failure]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("debug_info", [False, True], ids=["plain", "locations"])
def test_nvidia_prints_what_we_print(exported, debug_info):
    nvidia_tools.require("nvidia-cuda-tileiras")
    texts = nvidia_tools.run_each([data for data, _ in exported.values()], "tileirdisasm", *["-g"] * debug_info)
    for (symbol, (data, _)), (status, text, error) in zip(exported.items(), texts, strict=True):
        assert (status, error) == (0, ""), symbol
        assert text == _native.disassemble(data, symbol, debug_info, False), symbol
