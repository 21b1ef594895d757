# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels with a tile that is loaded once for a tile block, before the loop whose products read it: it has
two stages, so that the producer loads it for the next tile block while this one is computed with."""

import re

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import Signature
from tilewright._runtime.dispatch import launcher_of


@ct.kernel
def scores(q, k, out, TM: ct.Constant[int], TN: ct.Constant[int], D: ct.Constant[int]):
    """The sum of the squares of the products of rows."""
    m = ct.bid(0)
    rows = ct.load(q, (m, 0), (TM, D))
    total = ct.zeros((TM, 1), dtype=ct.float32)
    for n in range(ct.cdiv(k.shape[0], TN)):
        columns = ct.load(k, (0, n), (D, TN), order=(1, 0))
        s = ct.mma(rows, columns, ct.zeros((TM, TN), dtype=ct.float32))
        total = total + ct.sum(s * s, axis=1, keepdims=True)
    ct.store(out, (m, 0), total)


def numbers(rows, columns, seed):
    return np.random.default_rng(seed).integers(-2, 3, (rows, columns)).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_more_tile_blocks_than_ctas(monkeypatch, blocks):
    """Two CTAs have up to three tile blocks each."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "6")
    q, k, out = numbers(64 * blocks, 64, 0), numbers(192, 64, 1), np.zeros((64 * blocks, 1), np.float32)
    ct.schedule(scores).persistent(True).kernel[blocks](q, k, out, 64, 64, 64)
    products = q.astype(np.float32) @ k.astype(np.float32).T
    assert (out[:, 0] == (products * products).sum(1)).all()


@pytest.mark.parametrize("persistent, stages", [(True, [2, 8]), (False, [1, 5])])
def test_stages(persistent, stages):
    made = ct.schedule(scores).persistent(persistent)
    arguments = numbers(128, 64, 0), numbers(192, 64, 1), np.zeros((128, 1), np.float32), 64, 64, 64
    compiled = compile_to_module(scores, Signature(launcher_of(scores).specs(arguments)))
    text = _native.explain(compiled.module, "scores", "sm_90a", packages=[], plan_text=made.text()).text()
    assert [int(count) for count in re.findall(r"pipeline = (\d+) stages of 8192 bytes", text)] == stages
