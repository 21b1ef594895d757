# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results larger than the cache are written past it, by whole cache lines, wherever the array begins."""

from pathlib import Path

import numpy as np
import pytest
import tilewright as ct
from tilewright.__main__ import main

SIZE = 1 << 21  # 8 MiB of f32, more than any L2


@ct.kernel
def double(x, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (TILE,)) * 2.0)


@ct.kernel
def double_rows(x, out, TILE: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, (i, j), ct.load(x, (i, j), (4, TILE)) * 2.0)


def guarded(size, offset):
    """Zeros that begin `offset` bytes after a cache line, with the memory around them."""
    memory = np.full(4 * size + 256, 7, np.uint8)
    start = -memory.ctypes.data % 64 + 64 + offset
    array = memory[start : start + 4 * size].view(np.float32)
    array[:] = 0
    return array, memory[:start], memory[start + 4 * size :]


@pytest.mark.parametrize("tile", [64, 128, 1024, 4096])
@pytest.mark.parametrize("offset", [0, 4, 16, 60])
def test_any_beginning(offset, tile):
    x = np.arange(SIZE, dtype=np.float32)
    out, before, after = guarded(SIZE, offset)
    ct.launch(None, (ct.cdiv(SIZE, tile),), double, (x, out, tile))
    assert (out == x * 2).all()
    assert (before == 7).all() and (after == 7).all()


@pytest.mark.parametrize("columns", [2048, 2000, 2001])
@pytest.mark.parametrize("offset", [0, 16])
def test_rows(offset, columns):
    rows = SIZE // 2048
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    out, before, after = guarded(rows * columns, offset)
    ct.launch(None, (ct.cdiv(rows, 4), ct.cdiv(columns, 1024)), double_rows, (x, out.reshape(rows, columns), 1024))
    assert (out.reshape(rows, columns) == x * 2).all()
    assert (before == 7).all() and (after == 7).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8"])
def test_elements_of_all_sizes_are_moved_past_the_cache(dtype, capsysbinary):
    """LLVM has no such store for vectors of halves; as integers they have one."""
    kernel = f"{Path(__file__).parents[3] / 'kernels/transpose/kernel.py'}:transpose_kernel"
    signature = f"{dtype}[:,::1], {dtype}[:,::1], 64, 256"
    main(["compile", kernel, "--signature", signature, "--target=cpu:x86-64-v4", "--emit=asm"])
    assert b"vmovnt" in capsysbinary.readouterr().out
