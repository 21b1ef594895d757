# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our `tileiras` under NVIDIA's front end and launcher on a GPU: kernels that print and assert, and loads that are
partly or wholly outside their arrays. The same program runs on the CPU with this package, and says the same."""

import os
import subprocess
import sys
from pathlib import Path

import nvidia_tools
import pytest
from tilewright import _native

nvidia_tools.require("cuda-tile")
torch = pytest.importorskip("torch")

TILEIRAS = Path(__file__).resolve().parents[3] / "build/bin/tileiras"

ON_GPU = """
import torch
import cuda.tile as ct
from cuda.tile import _compile
_compile._find_pip_tileiras = lambda: None  # NVIDIA's own, which would come first
assert _compile._find_compiler_bin().path == {tileiras!r}
def array(values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, device="cuda")
def launch(grid, kernel, *args):
    ct.launch(torch.cuda.current_stream(), grid, kernel, args)
    torch.cuda.synchronize()
def host(tensor):
    return tensor.cpu().tolist()
"""
ON_CPU = """
import torch
import tilewright as ct
def array(values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype)
def launch(grid, kernel, *args):
    ct.launch(None, grid, kernel, args)
def host(tensor):
    return tensor.tolist()
"""


def run(program, setup, folder, **variables):
    script = folder / "program.py"
    script.write_text(setup + program)
    return subprocess.run(
        [sys.executable, script], env={**os.environ, **variables}, capture_output=True, text=True, timeout=300
    )


def run_both(program, tmp_path):
    """(on the GPU, on the CPU)"""
    found = _native.find_assemblers(sys.path)
    if not found:
        pytest.skip("no assembler of PTX found: pip install nvidia-nvjitlink, or TILEWRIGHT_ASSEMBLER")
    path = os.pathsep.join([os.fspath(TILEIRAS.parent), os.environ["PATH"]])
    variables = {"PATH": path, "TILEWRIGHT_ASSEMBLER": found[0], "CUDA_TILE_CACHE_DIR": "0"}
    (tmp_path / "gpu").mkdir()
    (tmp_path / "cpu").mkdir()
    gpu = run(program, ON_GPU.format(tileiras=os.fspath(TILEIRAS)), tmp_path / "gpu", **variables)
    cpu = run(program, ON_CPU, tmp_path / "cpu", TILEWRIGHT_TARGET="cpu")
    assert cpu.returncode == 0, cpu.stderr
    return gpu, cpu


PRINTS = """
@ct.kernel
def say(x, n):
    tile = ct.load(x, (0,), (64,))
    print("number", n, "and", tile)
    square = ct.reshape(tile, (4, 16))
    ct.printf("%5.2f|%+d|%x\\n", square, ct.astype(square, ct.int32), ct.astype(square, ct.uint8))
    print(f"{ct.astype(tile, ct.float16):8.3f}", tile > 3, ct.astype(tile, ct.int64) << 40, sep=";", end="!\\n")
    ct.printf("100%% sure: %e %g %a\\n", ct.astype(n, ct.float64), ct.astype(n, ct.float32), ct.astype(n, ct.float16))

launch((1,), say, array(list(range(64))), -7)
"""

MANY_BLOCKS = """
@ct.kernel
def say(x):
    i, j = ct.bid(0), ct.bid(1)
    print(f"block {i} {j} has {ct.load(x, (0,), (128,))} in one piece")

launch((64, 8), say, array(list(range(128))))
"""


@pytest.mark.parametrize("program", [PRINTS], ids=["formats"])
def test_what_is_printed(program, tmp_path):
    gpu, cpu = run_both(program, tmp_path)
    assert (gpu.returncode, gpu.stderr) == (0, "")
    assert gpu.stdout == cpu.stdout


def test_blocks_do_not_interrupt_each_other(tmp_path):
    gpu, cpu = run_both(MANY_BLOCKS, tmp_path)
    assert (gpu.returncode, gpu.stderr) == (0, "")
    assert len(cpu.stdout.splitlines()) == 512
    assert sorted(gpu.stdout.splitlines()) == sorted(cpu.stdout.splitlines())


ASSERT = """
import sys
@ct.kernel
def check(x, limit):
    tile = ct.reshape(ct.load(x, (ct.bid(0),), (64,)), (4, 16))
    ct.assert_(tile < limit, "100% too large")
    ct.store(x, (ct.bid(0),), ct.reshape(tile + 1, (64,)))

x = array(list(range(64)))
launch((1,), check, x, 64)
print(sum(host(x)), flush=True)
try:
    launch((1,), check, x, 40)
except Exception as error:
    print(type(error).__name__)
"""


def test_an_assert_that_fails(tmp_path):
    """The first element that is not below 40 is 39 + 1, at [2, 7] of the tile."""
    gpu, cpu = run_both(ASSERT, tmp_path)
    assert cpu.stdout.splitlines() == ["2080.0", "TileAssertionError"]
    lines = gpu.stdout.splitlines()
    assert lines[0] == "2080.0", gpu.stderr
    line = 1 + (ON_GPU.format(tileiras="") + ASSERT).splitlines().index(
        '    ct.assert_(tile < limit, "100% too large")'
    )
    assert f"{tmp_path}/gpu/program.py:{line}: tile block: [0, 0, 0], position: [2, 7]: 100% too large" in lines
    assert lines[-1] != lines[0] and "Error" in lines[-1], "the launch has failed"


OUTSIDE = """
MODES = (ct.PaddingMode.ZERO, ct.PaddingMode.NEG_ZERO, ct.PaddingMode.NAN, ct.PaddingMode.POS_INF,
         ct.PaddingMode.NEG_INF)

@ct.kernel
def read(x, out, far):
    for k in ct.static_iter(range(5)):
        view = x.tiled_view((4, 8), padding_mode=MODES[k])
        steps = x.tiled_view((4, 8), padding_mode=MODES[k], traversal_steps=(2, 4))
        n = 0
        for at in ct.static_iter(((0, 0), (1, 1), (2, 0), (0, 2), (far, 0), (0, far))):
            ct.store(out, (k, n, 0, 0, 0), ct.reshape(view.load(at), (1, 1, 1, 4, 8)))
            ct.store(out, (k, n, 1, 0, 0), ct.reshape(steps.load(at), (1, 1, 1, 4, 8)))
            ct.store(out, (k, n, 2, 0, 0), ct.reshape(ct.load(x, at, (4, 8), padding_mode=MODES[k]), (1, 1, 1, 4, 8)))
            ct.store(x, (far, at[1]), ct.full((4, 8), 7.0, ct.float32))
            n += 1

@ct.kernel
def folds(x, out):
    row = ct.load(x, (ct.bid(0), 0), (1, 512))
    ct.store(out, (0, ct.bid(0)), ct.max(row, 1)[None, :])
    ct.store(out, (1, ct.bid(0)), ct.min(row, 1)[None, :])
    ct.store(out, (2, ct.bid(0)), ct.max(row, 1, propagate_nan=True)[None, :])
    ct.store(out, (3, ct.bid(0)), ct.max(ct.minimum(row, 1.0), 1)[None, :])

x = array([[i + j / 16 for j in range(10)] for i in range(6)])
out = array([[[[[0.0] * 8] * 4] * 3] * 6] * 5)
launch((1,), read, x, out, 1 << 30)
for k, values in enumerate(host(out)):
    for place in values:
        print(k, place)
print(host(x))

nan = float("nan")
rows = array([[nan] * 512, [nan] * 511 + [-3.0], [nan, *range(511)], [float("-inf")] * 512])
best = array([[0.0] * 4] * 4)
launch((4,), folds, rows, best)
print(host(best))
"""


def test_what_is_outside_of_an_array_and_what_is_no_number(tmp_path):
    gpu, cpu = run_both(OUTSIDE, tmp_path)
    assert gpu.returncode == 0, gpu.stderr
    assert gpu.stdout == cpu.stdout
