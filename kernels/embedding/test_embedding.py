# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.embedding.kernel import embedding
from kernels.embedding.reference import reference
from kernels.gpu_code import compile_for_gpus
from kernels.work import normal


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("shape", [(64, 1024), (1, 200), (130, 1), (33, 5000)])
@pytest.mark.parametrize("tokens", [1, 77])
def test_matches_reference(tokens, shape, dtype):
    table = normal(shape, dtype)
    ids = np.random.default_rng(0).integers(0, shape[0], tokens).astype(np.int32)
    reference(ids, table).check(embedding(ids, table))


def test_tokens_that_there_are_not_are_zero():
    ids, table = np.array([3, -1, 20, 19], np.int32), normal((20, 300), np.float32)
    out = embedding(ids, table)
    assert (out[1:3] == 0).all()
    assert (out[[0, 3]] == table[[3, 19]]).all()


def test_compiles_for_gpus():
    ids, table = np.array([3, 1], np.int32), normal((20, 4096), bfloat16)
    compile_for_gpus(lambda: embedding(ids, table))
