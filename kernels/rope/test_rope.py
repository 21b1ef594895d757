# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gpu_code import compile_for_gpus
from kernels.rope.bench import angles
from kernels.rope.kernel import rope, rotated
from kernels.rope.reference import reference
from kernels.work import normal


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("shape", [(1, 1, 2), (5, 3, 64), (4, 32, 128), (3, 9, 96), (2, 10, 6)])
def test_matches_reference(shape, interleaved, dtype):
    x, table = normal(shape, dtype, 1), angles(50, shape[2])
    positions = np.array([49, 0, 7, 7, 23][: shape[0]], np.int32)
    expected, before = reference(x, positions, table, interleaved), x.copy()
    expected.check(rotated(x, positions, table, interleaved=interleaved))
    assert (x == before).all()
    assert rope(x, positions, table, interleaved=interleaved) is x
    expected.check(x)


@pytest.mark.parametrize("interleaved", [False, True])
def test_there_and_back(interleaved):
    x, table, positions = normal((5, 3, 96), np.float32, 1), angles(50, 96), np.arange(5, dtype=np.int32)
    there = rotated(x, positions, table, interleaved=interleaved)
    back = rotated(there, positions, table, interleaved=interleaved, inverse=True)
    np.testing.assert_allclose(back, x, rtol=1e-5, atol=1e-6)


def test_heads_between_others():
    """Queries and keys lie beside values."""
    both, table, positions = normal((4, 6, 64), np.float32, 1), angles(8, 64), np.arange(4, dtype=np.int32)
    before = both.copy()
    rope(both[:, 1:4], positions, table)
    reference(before[:, 1:4], positions, table).check(both[:, 1:4])
    assert (both[:, [0, 4, 5]] == before[:, [0, 4, 5]]).all()


def test_a_table_of_other_heads():
    with pytest.raises(ValueError, match="heads of 8 elements and the table has rows of 4"):
        rope(np.ones((1, 1, 8), np.float32), np.zeros(1, np.int32), np.ones((3, 4), np.float32))


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
def test_compiles_for_gpus(interleaved, dtype):
    x, positions = normal((3, 9, 128), dtype, 1), np.arange(3, dtype=np.int32)
    for function in (rope, rotated):
        compile_for_gpus(lambda f=function: f(x, positions, angles(4, 128), interleaved=interleaved))
