# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.cumsum.kernel import CHUNK, LONGEST_ROW, cumsum
from kernels.cumsum.reference import reference

DTYPES = [np.float32, np.float16, bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, LONGEST_ROW + 1234)])
def test_matches_reference(shape, dtype):
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    reference(x).check(cumsum(x))


@pytest.mark.parametrize("columns", [4000, LONGEST_ROW + CHUNK // 2])
def test_whole_numbers_are_exact(columns):
    """Up to 2**24 f32 has them all: not one element may be missed or counted twice."""
    x = np.random.default_rng(2).integers(-100, 100, (3, columns)).astype(np.float32)
    np.testing.assert_array_equal(cumsum(x), x.astype(np.int64).cumsum(axis=1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides_and_a_wider_result(dtype):
    x = np.random.default_rng(3).standard_normal((900, 20)).astype(dtype)[::2].T
    frame = np.full((40, 903), -7.0, np.float32)
    cumsum(x, frame[1::2, 1:901:2])
    reference(x, np.float32).check(frame[1::2, 1:901:2])
    frame[1::2, 1:901:2] = -7.0
    assert (frame == -7.0).all()


def test_what_is_not_finite_stays_behind_it():
    x = np.ones((2, 3000), np.float32)
    x[0, 1234] = np.inf
    x[1, 1234] = np.nan
    out = cumsum(x)
    assert (out[:, :1234] == np.arange(1, 1235)).all()
    assert (out[0, 1234:] == np.inf).all() and np.isnan(out[1, 1234:]).all()
