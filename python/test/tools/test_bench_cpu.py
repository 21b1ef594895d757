# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels by index of the benchmark compute what their twins by tiles do, wherever arrays begin and rows end."""

import numpy as np
import pytest

from bench import indexed
from kernels.work import arrays_begin

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
