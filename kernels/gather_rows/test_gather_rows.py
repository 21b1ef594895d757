# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gather_rows.kernel import gather_rows
from kernels.gather_rows.reference import reference


@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(64, 1024), (1, 200), (130, 1), (33, 5000)])
def test_matches_reference(shape, dtype):
    random = np.random.default_rng(0)
    x = random.integers(-100, 100, shape).astype(dtype)
    index = random.integers(0, shape[0], 77).astype(np.int32)
    reference(x, index).check(gather_rows(x, index))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_that_there_are_not_are_zero(dtype):
    x = np.full((20, 300), 7, np.float32)
    index = np.asarray([3, -1, 20, 19, np.iinfo(dtype).max, np.iinfo(dtype).min, 0], dtype)
    reference(x, index).check(gather_rows(x, index))


def test_strides():
    x = np.random.default_rng(1).integers(-100, 100, (300, 50)).astype(np.float32)
    index = np.random.default_rng(2).integers(0, 300, 80).astype(np.int32)[::2]
    out = np.zeros((40, 99), np.float32)
    gather_rows(x[:, 1::3], index, out[:, 1:69:4])
    reference(x[:, 1::3], index).check(out[:, 1:69:4])
    assert (out[:, ::4] == 0).all() and (out[:, 2::4] == 0).all()
    transposed = x.T
    reference(transposed, index % 50).check(gather_rows(transposed, index % 50))
