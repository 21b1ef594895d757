# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gpu_code import compile_for_gpus
from kernels.silu_and_mul.kernel import silu_and_mul
from kernels.silu_and_mul.reference import reference
from kernels.work import normal

DTYPES = [np.float32, np.float16, bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 2), (30, 2 * 1300), (4, 2 * 1024), (3, 2 * 14336)])
def test_matches_reference(shape, dtype):
    gate_up = normal(shape, dtype, 6)
    reference(gate_up).check(silu_and_mul(gate_up))


def test_gates_far_from_zero():
    gate_up = np.asarray([[-200.0, -90.0, 90.0, 200.0, 1.0, 2.0, 3.0, 4.0]], np.float32)
    out = silu_and_mul(gate_up)
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out, [[0, 0, 270, 800]], atol=1e-30)


def test_rows_between_others():
    both, out = normal((9, 3, 100), np.float32, 1), np.zeros((9, 80), np.float32)
    silu_and_mul(both[:, 1], out[:, 10:60])
    reference(both[:, 1]).check(out[:, 10:60])
    assert (out[:, :10] == 0).all() and (out[:, 60:] == 0).all()


def test_columns_are_halves():
    with pytest.raises(ValueError, match="gate_up has 5 columns, expected two halves"):
        silu_and_mul(np.ones((1, 5), np.float32))


@pytest.mark.parametrize("dtype", DTYPES)
def test_compiles_for_gpus(dtype):
    compile_for_gpus(lambda: silu_and_mul(normal((3, 4096), dtype)))
