# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.row_reduce.kernel import LONGEST_ROW, row_argmax, row_max, row_sum
from kernels.row_reduce.reference import row_argmax_reference, row_max_reference, row_sum_reference

DTYPES = [np.float32, np.float16, bfloat16]
SHAPES = [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, 2 * LONGEST_ROW + 1234)]
KERNELS = {row_sum: row_sum_reference, row_max: row_max_reference, row_argmax: row_argmax_reference}
kernels = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)


@kernels
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_matches_reference(shape, dtype, kernel):
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    KERNELS[kernel](x).check(kernel(x))


@kernels
@pytest.mark.parametrize("dtype", DTYPES)
def test_strides(dtype, kernel):
    frame = np.full((40, 900), np.nan, dtype)
    x = frame[2:38:4, 5:805:8]
    x[...] = np.random.default_rng(2).standard_normal(x.shape)
    KERNELS[kernel](x).check(kernel(x))
    columns = np.ascontiguousarray(x).T
    KERNELS[kernel](columns).check(kernel(columns))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sum_in_f32_is_rounded_once(dtype):
    x = np.ones((2, 3001), dtype)
    assert row_sum(x).tolist() == [float(np.asarray(3001, dtype))] * 2
    assert row_sum(x, np.empty(2, np.float32)).tolist() == [3001.0] * 2


@pytest.mark.parametrize("columns", [1000, LONGEST_ROW + 5])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_first_of_equal_elements(dtype, columns):
    x = np.zeros((3, columns), dtype)
    x[1, [columns - 1, 777, 901]] = 5
    x[2] = -np.inf
    assert row_argmax(x).tolist() == [0, 777, 0]
    assert row_max(x).tolist() == [0, 5, -np.inf]


@pytest.mark.parametrize("columns", [1000, LONGEST_ROW + 5])
def test_nan_is_passed_over(columns):
    x = np.random.default_rng(3).standard_normal((4, columns)).astype(np.float32)
    x[1, ::3] = np.nan
    x[3] = np.nan
    row_max_reference(x).check(row_max(x))
    row_argmax_reference(x[:3]).check(row_argmax(x[:3]))
    assert np.isnan(row_sum(x)).tolist() == [False, True, False, True]
