# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.softmax.kernel import LONGEST_ROW, softmax
from kernels.softmax.reference import reference


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("shape", [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, LONGEST_ROW + 1234)])
def test_matches_reference(shape, dtype):
    x = (3 * np.random.default_rng(1).standard_normal(shape)).astype(dtype)
    reference(x).check(softmax(x))


@pytest.mark.parametrize("columns", [1000, LONGEST_ROW + 5])
def test_masked_elements_get_zero(columns):
    x = np.random.default_rng(2).standard_normal((3, columns)).astype(np.float32)
    x[:, 1::2] = -np.inf
    out = softmax(x)
    reference(x).check(out)
    assert (out[:, 1::2] == 0).all()


def test_large_values_do_not_overflow():
    x = np.float32([[1e30, 1e30, -1e30, 0]])
    assert softmax(x).tolist() == [[0.5, 0.5, 0.0, 0.0]]
