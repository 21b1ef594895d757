# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.rms_norm.kernel import LONGEST_ROW, rms_norm
from kernels.rms_norm.reference import reference


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("shape", [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, LONGEST_ROW + 1234)])
def test_matches_reference(shape, dtype):
    random = np.random.default_rng(3)
    x = random.standard_normal(shape).astype(dtype)
    weight = random.standard_normal(shape[1]).astype(dtype)
    reference(x, weight).check(rms_norm(x, weight))


def test_epsilon_keeps_a_row_of_zeros_finite():
    x = np.zeros((2, 300), np.float32)
    assert (rms_norm(x, np.ones(300, np.float32), epsilon=1e-5) == 0).all()
