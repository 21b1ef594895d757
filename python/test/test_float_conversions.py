# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between float types are exact over subnormals, ties, infinities and NaN."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct

TILE = 1024
HALVES = [np.float16, ml_dtypes.bfloat16]


@ct.kernel
def convert(x, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.astype(ct.load(x, (i,), (TILE,)), out.dtype))


def converted(x, dtype):
    out = np.empty(x.shape, dtype)
    ct.launch(None, (ct.cdiv(x.size, TILE),), convert, (x, out, TILE))
    return out


def assert_same(found, expected):
    bits = f"u{expected.dtype.itemsize}"
    with np.errstate(all="ignore"):
        nan = np.isnan(expected.astype(np.float64))
        assert (np.isnan(found.astype(np.float64)) == nan).all()
    assert (found.view(bits)[~nan] == expected.view(bits)[~nan]).all()


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: np.dtype(dtype).name)
def test_every_half_widens(dtype):
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    with np.errstate(all="ignore"):
        assert_same(converted(x, np.float32), x.astype(np.float32))


@pytest.mark.parametrize("dtype", HALVES, ids=lambda dtype: np.dtype(dtype).name)
def test_singles_round_to_nearest_even(dtype):
    random = np.random.default_rng(0).integers(0, 1 << 32, 1 << 20, dtype=np.uint32)
    # Every half, and the points halfway between two of them and right beside.
    halves = (np.arange(1 << 16, dtype=np.uint16).view(dtype)).astype(np.float32).view(np.uint32)
    beside = [
        halves + np.uint32(offset & 0xFFFFFFFF) for offset in (-1, 0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFF, 0x1000, 0x1001)
    ]
    x = np.concatenate([random, *beside]).view(np.float32)
    with np.errstate(all="ignore"):
        assert_same(converted(x, dtype), x.astype(dtype))
