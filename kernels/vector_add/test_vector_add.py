# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.vector_add.kernel import TILE, vector_add
from kernels.vector_add.reference import reference


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.float64])
@pytest.mark.parametrize("size", [1, 1000, TILE, 5 * TILE + 77])
def test_matches_reference(size, dtype):
    random = np.random.default_rng(size)
    x = random.standard_normal(size).astype(dtype)
    y = random.standard_normal(size).astype(dtype)
    reference(x, y).check(vector_add(x, y))


def test_writes_nothing_past_the_end():
    guarded = np.full(1100, -7.0, np.float32)
    x = np.ones(1000, np.float32)
    vector_add(x, x, guarded[50:1050])
    assert (guarded[50:1050] == 2).all()
    assert (guarded[:50] == -7).all() and (guarded[1050:] == -7).all()


def test_strided_operands():
    x = np.arange(9000, dtype=np.float32)[::3]
    y = np.arange(6000, dtype=np.float32)[::2]
    out = np.zeros(6000, np.float32)
    vector_add(x, y, out[1::2])
    reference(x, y).check(out[1::2])
    assert (out[::2] == 0).all()
