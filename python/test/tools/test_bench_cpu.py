# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels by index of the benchmark compute what their twins by tiles do, wherever arrays begin and rows end."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import indexed, scaling
from bench.row import Measured, Row
from kernels.aligned import arrays_begin

ROWS = 37


@pytest.mark.parametrize("offset", [0, 16, 20])
@pytest.mark.parametrize("columns", [64, 200, 1000, 4096])
@pytest.mark.parametrize("kernel, weights", [("softmax", 0), ("layer_norm", 2)])
def test_rows(kernel, weights, columns, offset):
    results = []
    for way in ("by_index", "by_tile"):
        with arrays_begin(offset):
            work = indexed.rows_work(getattr(indexed, f"{kernel}_{way}"), ROWS, columns, weights)
        work.run()
        results.append(work.result)
    np.testing.assert_allclose(*results, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("offset", [0, 16, 60])
@pytest.mark.parametrize("size, tile", [(1000, 64), (1 << 16, 256), (300_000, 1024), (600_000, 4096)])
def test_copies(size, tile, offset):
    for kernel in (indexed.copy_by_index, indexed.copy_by_tile):
        with arrays_begin(offset):
            work = indexed.copy_work(kernel, size, tile)
        work.result.base[:] = 0
        work.run()
        memory = work.result.base
        begin = (-memory.ctypes.data) % 64 + offset
        assert (memory[:begin] == 0).all() and (memory[begin + 4 * size :] == 0).all()
        np.testing.assert_array_equal(work.result, indexed.normal(size, np.float32))


@pytest.mark.parametrize("offset", [0, 16])
@pytest.mark.parametrize("columns", [32, 128, 2048])
def test_rope(columns, offset):
    results = []
    for kernel in (indexed.rope_by_index, indexed.rope_by_tile):
        with arrays_begin(offset):
            work = indexed.rope_work(kernel, ROWS, columns)
        work.run()
        results.append(work.result)
    np.testing.assert_array_equal(*results)


def test_numbers_of_threads():
    most = len(os.sched_getaffinity(0))
    assert scaling.thread_counts("all,1,1") == sorted({1, most})
    for text in ("", "0", "two", f"{most + 1}", "1,,all"):
        with pytest.raises(argparse.ArgumentTypeError, match=f"expected numbers from 1 to {most}, or all"):
            scaling.thread_counts(text)


def test_rows_with_threads():
    seen = []
    row = Row("work", 0.5, "peer", lambda rounds: seen.append(scaling.ct.get_num_threads()) or Measured(1.0, "fast"))
    before = scaling.ct.get_num_threads()
    try:
        measured = scaling.with_threads(row, 1)
        assert (measured.work, measured.floor) == ("work, 1 thread", 0.5) and measured.measure(3).ratio == 1
        assert seen == [1] and scaling.ct.get_num_threads() == scaling.THREADS
    finally:
        scaling.ct.set_num_threads(before)


def test_kernels_in_others_style():
    """In a process of its own, as cuda.tile is ours there. A row fails where its result differs from PyTorch's."""
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "bench", "cpu", "--foreign", "--threads", "1", "--only", "vector add|16384x1000"]
    environment = os.environ | {"TORCHDYNAMO_DISABLE": "1"}  # compiling takes half a minute
    done = subprocess.run([*command, "--rounds", "1", "--json"], capture_output=True, text=True, timeout=300,
                          cwd=Path(__file__).parents[3], env=environment)  # fmt: skip
    rows = json.loads(done.stdout)
    assert [row["work"].endswith(", 1 thread") for row in rows] == [True] * 3, done.stderr
    assert all(row["ratio"] is not None for row in rows), rows
