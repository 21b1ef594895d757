# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.layer_norm.kernel import LONGEST_ROW, layer_norm
from kernels.layer_norm.reference import reference

DTYPES = [np.float32, np.float16, bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, LONGEST_ROW + 1234)])
def test_matches_reference(shape, dtype):
    random = np.random.default_rng(3)
    x = (2 + random.standard_normal(shape)).astype(dtype)
    weight, bias = random.standard_normal((2, shape[1])).astype(dtype)
    reference(x, weight, bias).check(layer_norm(x, weight, bias))


@pytest.mark.parametrize("columns", [1000, LONGEST_ROW + 5])
def test_a_large_mean_does_not_cancel(columns):
    """The variance from sums of squares would be off by more than itself."""
    x = (1e4 + np.random.default_rng(4).standard_normal((3, columns))).astype(np.float32)
    weight, bias = np.ones(columns, np.float32), np.zeros(columns, np.float32)
    out = layer_norm(x, weight, bias)
    reference(x, weight, bias).check(out)
    assert np.abs(out.std(axis=1) - 1).max() < 1e-2


def test_epsilon_keeps_a_constant_row_finite():
    weight, bias = np.ones(300, np.float32), np.full(300, 0.5, np.float32)
    assert (layer_norm(np.full((2, 300), 3.0, np.float32), weight, bias) == 0.5).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides(dtype):
    random = np.random.default_rng(5)
    x = random.standard_normal((900, 20)).astype(dtype)[::2].T
    weight, bias = random.standard_normal((2, 450)).astype(np.float32)
    out = np.zeros((20, 1350), np.float32)
    layer_norm(x, weight, bias, out[:, 1::3])
    reference(x, weight, bias, out_dtype=np.float32).check(out[:, 1::3])
    assert (out[:, ::3] == 0).all() and (out[:, 2::3] == 0).all()
