# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs on a real GPU: with NumPy arrays, from the command line, and after a kernel did what it may not."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


def run(script, tmp_path, **environment):
    path = tmp_path / "script.py"
    path.write_text("import numpy as np\nimport tilewright as ct\n" + script)
    return subprocess.run(
        [sys.executable, path], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )


PRINTS = """
@ct.kernel
def say(a, out):
    i = ct.bid(0)
    tile = ct.load(a, (i,), (4,))
    ct.printf("block %d has %5.1f and %d\\n", i, tile, ct.astype(tile, ct.int32))
    ct.store(out, (i,), tile * 2)

a, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
say[16](a, out)
assert (out == a * 2).all()
"""


def test_numpy_arrays_are_copied_there_and_back(tmp_path):
    script = """
@ct.kernel
def scale(a, factor, out):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (i, j), ct.load(a, (i, j), (16, 32)) * factor)

a = np.arange(100 * 70, dtype=np.float32).reshape(100, 70)
out = np.full((200, 140), -1, np.float32)
scale[7, 3](a, 3.0, out[::2, ::2])
np.testing.assert_array_equal(out[::2, ::2], a * 3)
assert (out[1::2] == -1).all() and (out[:, 1::2] == -1).all()
"""
    result = run(script, tmp_path, TILEWRIGHT_TARGET="nvidia")
    assert result.returncode == 0, result.stderr


def test_what_is_printed_is_the_cpus(tmp_path):
    gpu, cpu = run(PRINTS, tmp_path, TILEWRIGHT_TARGET="nvidia"), run(PRINTS, tmp_path)
    assert gpu.returncode == 0, gpu.stderr
    assert gpu.stdout == cpu.stdout and cpu.stdout.count("\n") == 16


def test_tensor_maps_beside_what_is_printed(tmp_path):
    """The place of the host's records once moved the shared buffers off the alignment that TMA needs."""
    script = """
@ct.kernel
def product(a, b, c):
    i, j = ct.bid(0), ct.bid(1)
    sums = ct.zeros((64, 64), ct.float32)
    for k in range(4):
        x = ct.load(a, (i, k), (64, 64), allow_tma=True)
        y = ct.load(b, (k, j), (64, 64), allow_tma=True)
        sums = ct.mma(x, y, sums)
    ct.assert_(sums < 1e6, "large")
    ct.printf("block %d %d has %g\\n", i, j, ct.sum(sums))
    ct.store(c, (i, j), sums, allow_tma=True)

random = np.random.default_rng(0)
a, b = (random.integers(-4, 5, (256, 256)).astype(np.float16) for _ in range(2))
c = np.zeros((256, 256), np.float32)
product[4, 4](a, b, c)
assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()
"""
    gpu, cpu = run(script, tmp_path, TILEWRIGHT_TARGET="nvidia"), run(script, tmp_path)
    assert gpu.returncode == cpu.returncode == 0, gpu.stderr + cpu.stderr
    assert sorted(gpu.stdout.splitlines()) == sorted(cpu.stdout.splitlines()) and cpu.stdout.count("\n") == 16


def test_an_assert_that_fails_has_the_cpus_text(tmp_path):
    script = """
@ct.kernel
def check(a):
    i = ct.bid(0)
    ct.assert_(ct.load(a, (i,), (8,)) != 21, "no 21")

try:
    check[8](np.arange(64, dtype=np.float32))
except ct.TileAssertionError as error:
    print(error)
"""
    gpu, cpu = run(script, tmp_path, TILEWRIGHT_TARGET="nvidia"), run(script, tmp_path)
    assert gpu.stdout == cpu.stdout and "tile block: [2, 0, 0], position: [5]: no 21" in cpu.stdout, gpu.stderr


def test_an_assert_on_tensors_is_told_when_waited_for(tmp_path):
    pytest.importorskip("torch")
    script = """
import torch

@ct.kernel
def check(a):
    ct.assert_(ct.load(a, (ct.bid(0),), (8,)) < 60, "too much")

a = torch.arange(64.0, device="cuda")
check[8](a)
try:
    ct.synchronize()
except ct.TileAssertionError as error:
    print(error)
"""
    result = run(script, tmp_path)
    assert "tile block: [7, 0, 0], position: [4]: too much" in result.stdout, result.stderr


def test_the_command_line(tmp_path):
    script = """
@ct.kernel
def double(a, out):
    ct.store(out, (ct.bid(0),), ct.load(a, (ct.bid(0),), (16,)) * 2)

from tilewright.compilation import CallingConvention, KernelSignature, export_kernel
a = np.zeros(64, np.float32)
signature = KernelSignature.from_kernel_args(double, (a, a), CallingConvention.cutile_python_v2())
export_kernel(double, [signature], "k.tilebc", output_format="tileir_bytecode")
"""
    path = tmp_path / "export.py"
    path.write_text("import numpy as np\nimport tilewright as ct\n" + script)
    subprocess.run([sys.executable, path], cwd=tmp_path, check=True)
    np.save(tmp_path / "a.npy", np.arange(64, dtype=np.float32))
    command = [sys.executable, "-m", "tilewright", "run", "k.tilebc", "--target=nvidia", "--grid=4"]
    arguments = ["--arg", "tensor:a.npy", "--arg", "tensor:zeros:64", "--out", "1=out.npy"]
    subprocess.run([*command, *arguments], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.arange(64) * 2)


def test_the_cpu_goes_on_after_an_illegal_access(tmp_path):
    module = """
cuda_tile.module @m {
  entry @wild(%p: tile<ptr<f32>>) {
    %far = constant <i64: 1099511627776> : tile<i64>
    %q = offset %p, %far : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %one = constant <f32: 1.0> : tile<f32>
    %t = store_ptr_tko weak %q, %one : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""
    (tmp_path / "wild.mlir").write_text(module)
    script = f"""
@ct.kernel
def double(a, out):
    ct.store(out, (0,), ct.load(a, (0,), (16,)) * 2)

import os
wild = ct.load_module({str(tmp_path / "wild.mlir")!r}).wild
try:
    wild[1](np.zeros(16, np.float32))
except ct.TileFaultError as error:
    print(error)
os.environ["TILEWRIGHT_TARGET"] = "cpu"
a, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
double[1](a, out)
assert (out == a * 2).all()
print("the CPU goes on")
"""
    result = run(script, tmp_path, TILEWRIGHT_TARGET="nvidia")
    assert "kernel 'wild' accessed memory that is not there on GPU 0" in result.stdout, result.stdout + result.stderr
    assert "the CPU goes on" in result.stdout.splitlines()[-1], result.stderr


def test_code_is_found_on_disk_again(tmp_path):
    environment = {"TILEWRIGHT_TARGET": "nvidia", "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    script = PRINTS.replace('    ct.printf("block %d has %5.1f and %d\\n", i, tile, ct.astype(tile, ct.int32))\n', "")
    for _ in range(2):
        assert run(script, tmp_path, **environment).returncode == 0
    files = [path for path in Path(tmp_path / "cache").rglob("*") if path.is_file()]
    assert any(b"tilewright gpu image" in path.read_bytes()[:40] for path in files)
