# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_PROFILE: measured and predicted times of launches, at the end of the process."""

import json
import os
import subprocess
import sys

import fake_cuda
import pytest
from tilewright import _native, _runtime
from tilewright._runtime import dispatch

SCRIPT = """
import sys
import numpy as np
import tilewright as ct

@ct.kernel
def scale(x, y, factor, TILE: ct.Constant[int]):
    ct.store(y, (ct.bid(0),), factor * ct.load(x, (ct.bid(0),), (TILE,)))

@ct.kernel
def fill(y):
    ct.store(y, (ct.bid(0),), ct.zeros((256,), ct.float32))

def array(count):
    made = np.ones(count, np.float32)
    return made if len(sys.argv) == 1 else GpuArray(made)

class GpuArray:
    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype
        self.__cuda_array_interface__ = array.__array_interface__

x, y = array(4096), array(4096)
for _ in range(3):
    ct.launch(None, (16,), scale, (x, y, 2.0, 256))
ct.launch(None, 8, scale, (x, y, 2.0, 256))
fill[16](y)
if len(sys.argv) == 1:
    assert (y == 0).all()
"""


def run(tmp_path, *words, **environment):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    result = subprocess.run(
        [sys.executable, script, *words], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result


def rows_of(path):
    return {(row["kernel"], tuple(row["grid"])): row for row in json.loads(path.read_text())}


@pytest.mark.parametrize("interpret", ["0", "1"])
def test_launches_on_the_cpu_are_measured(tmp_path, interpret):
    path = tmp_path / "profile.json"
    run(tmp_path, TILEWRIGHT_PROFILE=str(path), TILEWRIGHT_INTERPRET=interpret)
    rows = rows_of(path)
    assert {key: row["launches"] for key, row in rows.items()} == {
        ("scale", (16, 1, 1)): 3,
        ("scale", (8, 1, 1)): 1,
        ("fill", (16, 1, 1)): 1,
    }
    row = rows["scale", (16, 1, 1)]
    assert row["arguments"] == "float32[4096], float32[4096], 2.0, 256"
    assert 0 < row["median_seconds"] < 10
    assert (row["predicted_seconds"] is None) == (interpret == "1")


def test_launches_on_a_gpu_are_measured_and_predicted(tmp_path):
    path = tmp_path / "profile.json"
    run(tmp_path, "gpu", TILEWRIGHT_PROFILE=str(path), TILEWRIGHT_CUDA_DRIVER=str(fake_cuda.path()))
    row = rows_of(path)["scale", (16, 1, 1)]
    assert row["median_seconds"] == pytest.approx(1e-3)  # of the driver of tests for each launch
    assert row["device"] == "H100" and row["bound"]
    assert 1e-6 < row["predicted_seconds"] < 1e-4
    assert row["ratio"] == pytest.approx(row["median_seconds"] / row["predicted_seconds"])


def test_the_table(tmp_path):
    on_terminal = run(tmp_path, TILEWRIGHT_PROFILE="1").stderr.splitlines()
    assert on_terminal[0].split() == "kernel grid arguments launches median predicted ratio bound device".split()
    assert len(on_terminal) == 4 and any(line.startswith("fill    16x1x1 ") for line in on_terminal)
    path = tmp_path / "profile.txt"
    assert run(tmp_path, TILEWRIGHT_PROFILE=str(path)).stderr == ""
    assert path.read_text().startswith("kernel ")


@pytest.mark.parametrize("off", ["", "0", "off", "none"])
def test_nothing_is_measured_without_it(tmp_path, off):
    assert run(tmp_path, TILEWRIGHT_PROFILE=off).stderr == ""


def test_launches_pay_nothing_without_it():
    assert "TILEWRIGHT_PROFILE" not in os.environ
    assert dispatch.launch is _native.launch is _runtime.launch
