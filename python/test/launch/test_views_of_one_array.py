# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are views of one array: those with equal extents and strides share them in the code."""

from typing import Annotated

import numpy as np
import pytest
import tilewright as ct
from tilewright._runtime.dispatch import make_launcher


@ct.kernel
def add(x, y, out, TILE: ct.Constant):
    at = (ct.bid(1), ct.bid(0))
    ct.store(out, at, ct.load(x, at, TILE) + ct.load(y, at, TILE))


@ct.kernel
def add_wide(x, y: Annotated[ct.Array, ct.ArrayAnnotation(index_dtype=ct.int64)], out, TILE: ct.Constant):
    at = (ct.bid(1), ct.bid(0))
    ct.store(out, at, ct.load(x, at, TILE) + ct.load(y, at, TILE))


def numbers(rows, columns):
    return np.random.default_rng(1).integers(-99, 99, (rows, columns)).astype(np.float32)


@pytest.mark.parametrize("kernel", [add, add_wide])
@pytest.mark.parametrize("mode", ["", "TILEWRIGHT_INTERPRET", "TILEWRIGHT_CHECK"])
def test_views_are_added(kernel, mode, monkeypatch):
    if mode:
        monkeypatch.setenv(mode, "1")
    x = numbers(21, 90)
    pairs = {
        "alike": (x[:-1, :-3], x[1:, 3:]),
        "of other extents": (x[:-1, :-3], x[1:]),
        "of other strides": (x[:10, :40], x[::2, :40]),
        "apart": (x[:10], x[11:]),
    }
    for a, b in pairs.values():
        rows, columns = np.minimum(a.shape, b.shape)
        out = np.zeros((rows, columns), np.float32)
        ct.launch(None, (-(-columns // 32), -(-rows // 4)), kernel.replace_hints(), (a, b, out, (4, 32)))
        np.testing.assert_array_equal(out, a[:rows, :columns] + b[:rows, :columns])


def test_views_that_share_no_memory_are_not_alike():
    launcher = make_launcher(add)
    x, out = numbers(8, 64), np.zeros((8, 64), np.float32)
    for a, b in ((x, x.copy()), (x[:4], x[4:]), (x[:4, :32], x[:4])):
        launcher((2, 2), (a, b, out[: len(a), : min(a.shape[1], b.shape[1])], (4, 32)))
    assert launcher.num_specializations == 1
    launcher((2, 2), (x[:-1], x[1:], out[:-1], (4, 32)))
    assert launcher.num_specializations == 2
    np.testing.assert_array_equal(out[:-1], x[:-1] + x[1:])
