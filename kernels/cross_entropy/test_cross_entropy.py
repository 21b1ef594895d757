# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.cross_entropy.kernel import LONGEST_ROW, cross_entropy
from kernels.cross_entropy.reference import reference

DTYPES = [np.float32, np.float16, bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 1), (5, 100), (7, 1024), (4, 5000), (2, LONGEST_ROW + 1234)])
def test_matches_reference(shape, dtype):
    random = np.random.default_rng(6)
    logits = (3 * random.standard_normal(shape)).astype(dtype)
    labels = random.integers(0, shape[1], shape[0])
    reference(logits, labels).check(cross_entropy(logits, labels))


@pytest.mark.parametrize("columns", [1000, LONGEST_ROW + 5])
def test_large_logits_neither_overflow_nor_vanish(columns):
    logits = np.full((3, columns), -np.inf, np.float32)
    logits[:, 5], logits[1, 6], logits[2, 7] = 1e30, 1e30, -1e30
    loss = cross_entropy(logits, np.int32([5, 5, 7]))
    np.testing.assert_allclose(loss, [0, np.log(2), 2e30], rtol=1e-6)


@pytest.mark.parametrize("columns", [1000, LONGEST_ROW + 5])
def test_a_label_that_is_no_column(columns):
    labels = np.int32([-1, 3, columns, columns - 1])
    loss = cross_entropy(np.zeros((4, columns), np.float32), labels)
    assert np.isnan(loss).tolist() == [True, False, True, False]


def test_strides():
    random = np.random.default_rng(7)
    logits = random.standard_normal((900, 20)).astype(np.float32)[::2].T
    labels = random.integers(0, 450, 40).astype(np.int32)[::2]
    loss = np.zeros(60, np.float32)
    cross_entropy(logits, labels, loss[1::3])
    reference(logits, labels).check(loss[1::3])
    assert (loss[::3] == 0).all() and (loss[2::3] == 0).all()
