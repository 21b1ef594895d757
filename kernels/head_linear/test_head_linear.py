# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.head_linear.kernel import head_linear
from kernels.head_linear.reference import reference
from kernels.work import normal


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("shape", [(1, 4, 64, 128), (3, 2, 100, 33), (70, 3, 64, 64), (128, 1, 7, 200)])
def test_matches_reference(shape, dtype):
    tokens, heads, columns, depth = shape
    x, weight = normal((tokens, heads, depth), dtype, 1), normal((heads, columns, depth), dtype, 2)
    reference(x, weight).check(head_linear(x, weight))


def test_parts_of_larger_arrays():
    """As latent attention has them: the key matrices transposed, queries and results beside rotated elements."""
    both, q = normal((4, 64, 96), np.float32, 1), normal((5, 4, 48), np.float32, 2)
    weight, x = both[:, :32].swapaxes(1, 2), q[..., :32]
    out = np.zeros((5, 4, 112), np.float32)
    head_linear(x, weight, out[..., :96])
    reference(x, weight).check(out[..., :96])
    assert (out[..., 96:] == 0).all()
