# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.transpose.kernel import transpose
from kernels.transpose.reference import reference
from kernels.work import empty


@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(64, 64), (1, 200), (130, 1), (257, 515)])
def test_matches_reference(shape, dtype):
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    reference(x).check(transpose(x))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.int8])
def test_a_result_larger_than_the_cache(dtype):
    """Written past it by whole cache lines, and with ordinary stores where they do not begin at one."""
    x = np.random.default_rng(1).integers(-100, 100, (2112, 1600)).astype(dtype)
    frame = empty((1600, 2176), dtype)
    for first in (0, 3):
        out = frame[:, first : first + 2112]
        out[...] = 0
        reference(x).check(transpose(x, out))
