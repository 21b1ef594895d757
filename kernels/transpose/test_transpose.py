# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.transpose.kernel import transpose
from kernels.transpose.reference import reference


@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(64, 64), (1, 200), (130, 1), (257, 515)])
def test_matches_reference(shape, dtype):
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    reference(x).check(transpose(x))
