# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bytes are exact, whatever their signs and whichever vectors the machine has."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tilewright as ct


@ct.kernel
def product(a, b, out, TURNED: ct.Constant[bool], M: ct.Constant[int], N: ct.Constant[int], K: ct.Constant[int]):
    left = ct.load(a, index=(0, 0), shape=(M, K), padding_mode=ct.PaddingMode.ZERO)
    order = (1, 0) if TURNED else (0, 1)
    right = ct.load(b, index=(0, 0), shape=(K, N), order=order, padding_mode=ct.PaddingMode.ZERO)
    acc = ct.load(out, index=(0, 0), shape=(M, N), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, 0), tile=ct.mma(left, right, acc))


def extremes(rng, shape, dtype):
    info = np.iinfo(dtype)
    return rng.choice(np.array([info.min, info.max, 0, 1, info.max // 3], dtype), shape)


@pytest.mark.parametrize("left", [np.int8, np.uint8])
@pytest.mark.parametrize("right", [np.int8, np.uint8])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [(32, 128, 64), (16, 16, 32), (3, 50, 21)])
def test_every_sign(left, right, turned, shape):
    rng = np.random.default_rng(7)
    rows, columns, depth = shape
    a = extremes(rng, (rows, depth), left)
    b = extremes(rng, (columns, depth) if turned else (depth, columns), right)
    out = rng.integers(-(2**31), 2**31, (rows, columns)).astype(np.int32)
    wide_b = b.T.astype(np.int64) if turned else b.astype(np.int64)
    expected = (out + a.astype(np.int64) @ wide_b).astype(np.int32)
    tile = (1 << (extent - 1).bit_length() for extent in shape)
    ct.launch(None, (1,), product, (a, b, out, turned, *tile))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("target", ["cpu:x86-64-v2", "cpu:x86-64-v3"])
def test_other_vectors(target):
    here = f"{__file__}::test_every_sign"
    environment = os.environ | {"TILEWRIGHT_TARGET": target}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", here, "-k", "shape0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
