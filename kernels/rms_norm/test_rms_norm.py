# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gpu_code import compile_for_gpus
from kernels.rms_norm.kernel import LONGEST_ROW, add_rms_norm, rms_norm
from kernels.rms_norm.reference import add_reference, reference
from kernels.work import normal


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


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("shape", [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, LONGEST_ROW + 1234)])
def test_residual(shape, dtype):
    x, residual, weight = normal(shape, dtype, 1), normal(shape, dtype, 2), normal(shape[1], dtype, 3)
    total, expected = add_reference(x, residual, weight)
    expected.check(add_rms_norm(x, residual, weight))
    assert (residual == total).all()


@pytest.mark.parametrize("columns", [300, LONGEST_ROW + 100])
def test_result_in_the_place_of_the_input(columns):
    x, weight = normal((4, columns), np.float32, 1), normal(columns, np.float32, 2)
    residual = normal(x.shape, np.float32, 3)
    expected = reference(x, weight)
    expected.check(rms_norm(x, weight, x))
    total, expected = add_reference(x, residual, weight)
    expected.check(add_rms_norm(x, residual, weight, x))
    assert (residual == total).all()


@pytest.mark.parametrize("columns", [4096, LONGEST_ROW + 100])
def test_compiles_for_gpus(columns):
    x, weight = normal((2, columns), bfloat16, 1), normal(columns, bfloat16, 2)
    compile_for_gpus(lambda: rms_norm(x, weight))
    compile_for_gpus(lambda: add_rms_norm(x, x.copy(), weight))
