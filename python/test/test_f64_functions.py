# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of double precision are as exact as the C library's."""

import numpy as np
import pytest
import tilewright as ct
from functions import UNARY


def unary(function):
    @ct.kernel
    def kernel(x, out):
        ct.store(out, (ct.bid(0),), function(ct.load(x, (ct.bid(0),), (64,))))

    return kernel


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    x = np.linspace(0.05, 12, 256)
    out = np.empty_like(x)
    ct.launch(None, (4,), unary(getattr(ct, name)), (x, out))
    expected = UNARY[name](x)
    assert np.max(np.abs(out - expected) / np.abs(expected)) < 2e-13


@ct.kernel
def binary(x, y, power, angle):
    a, b = ct.load(x, (0,), (64,)), ct.load(y, (0,), (64,))
    ct.store(power, (0,), ct.pow(a, b))
    ct.store(angle, (0,), ct.atan2(a, b))


def test_binary():
    x, y = np.linspace(0.1, 5, 64), np.linspace(-3, 3, 64)
    power, angle = np.empty(64), np.empty(64)
    ct.launch(None, (1,), binary, (x, y, power, angle))
    np.testing.assert_allclose(power, np.power(x, y), rtol=1e-13)
    np.testing.assert_allclose(angle, np.arctan2(x, y), rtol=1e-13)
