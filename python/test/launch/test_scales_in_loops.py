# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a scale of each row and column for each iteration, gathered from arrays whose rows lie far apart."""

import re

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import Signature
from tilewright._runtime.dispatch import launcher_of

TILE, BLOCK = 128, 64


@ct.kernel
def scaled(a, b, a_scales, b_scales, out):
    row, column = ct.bid(0), ct.bid(1)
    rows = row * TILE + ct.arange(TILE, dtype=ct.int32)
    columns = column * TILE + ct.arange(TILE, dtype=ct.int32)
    sums = ct.zeros((TILE, TILE), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], BLOCK)):
        left = ct.load(a, (row, k), (TILE, BLOCK))
        right = ct.load(b, (column, k), (TILE, BLOCK))
        part = ct.mma(left, ct.transpose(right), ct.zeros((TILE, TILE), dtype=ct.float32))
        of_rows, of_columns = ct.gather(a_scales, (rows, k)), ct.gather(b_scales, (columns, k))
        sums += part * of_rows[:, None] * of_columns[None, :]
    ct.store(out, (row, column), sums)


def arguments(rows, columns, depth):
    """Integers, so that sums are exact."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, (n, depth)).astype(ml_dtypes.bfloat16) for n in (rows, columns))
    scales = [random.integers(-3, 4, (n, depth // BLOCK)).astype(np.float32) for n in (rows, columns)]
    return a, b, *scales, np.zeros((rows, columns), np.float32)


def reference(a, b, a_scales, b_scales, out):
    wide = [m.astype(np.float32) * s.repeat(BLOCK, 1) for m, s in ((a, a_scales), (b, b_scales))]
    return wide[0] @ wide[1].T


@pytest.mark.parametrize("target", ["cpu", "tileas:sm_80", "tileas:sm_90a", "tileas:sm_100a"])
@pytest.mark.parametrize("shape", [(128, 128, 192), (200, 300, 128)])
def test_results(monkeypatch, target, shape):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "4")
    case = arguments(*shape)
    scaled[(ct.cdiv(shape[0], TILE), ct.cdiv(shape[1], TILE))](*case)
    assert (case[-1] == reference(*case)).all()


def test_loads():
    """A thread has 32 columns of the product, but loads one of their scales, and two of rows, before the product."""
    module = compile_to_module(scaled, Signature(launcher_of(scaled).specs(arguments(256, 256, 256)))).module
    made = _native.compile_to(module, "scaled", "nvidia:sm_90a", emit="ptx", packages=[], time_limit=120)
    instructions = re.findall(r"ld\.global\.b32|wgmma\.mma_async", made.output.decode())
    assert instructions == 3 * ["ld.global.b32"] + 4 * ["wgmma.mma_async"]
