# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gpu_code import compile_for_gpus
from kernels.linear.kernel import FEW, linear, parts
from kernels.linear.reference import reference
from kernels.work import normal

DTYPES = [np.float32, np.float16, bfloat16]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (64, 128), (33, 1000), (130, 7 * 512), (5, 17000)])
@pytest.mark.parametrize("rows", [1, 2, 3, 16, 23, FEW, FEW + 1])
def test_matches_reference(rows, shape, dtype):
    x, weight = normal((rows, shape[1]), dtype), normal(shape, dtype, 1)
    reference(x, weight).check(linear(x, weight))


@pytest.mark.parametrize("rows", [1, 9])
def test_logits_in_f32(rows):
    x, weight = normal((rows, 300), bfloat16), normal((77, 300), bfloat16, 1)
    out = np.empty((rows, 77), np.float32)
    reference(x, weight, np.float32).check(linear(x, weight, out))


@pytest.mark.parametrize("rows", [1, 2, 9])
def test_reads_and_writes_nothing_outside(rows):
    """Operands and result are windows into frames of NaN and guards."""
    frame_x, frame_w = np.full((20, 120), np.nan, np.float32), np.full((80, 130), np.nan, np.float32)
    frame_out = np.full((20, 90), -7.0, np.float32)
    x, weight = normal((rows, 99), np.float32), normal((61, 99), np.float32, 1)
    frame_x[3 : 3 + rows, 5:104], frame_w[7:68, 11:110] = x, weight
    linear(frame_x[3 : 3 + rows, 5:104], frame_w[7:68, 11:110], frame_out[2 : 2 + rows, 9:70])
    reference(x, weight).check(frame_out[2 : 2 + rows, 9:70])
    frame_out[2 : 2 + rows, 9:70] = -7.0
    assert (frame_out == -7.0).all()


def test_parts_cover_a_row_once():
    assert parts(14336) == ((8192, 0), (4096, 2), (2048, 6))
    assert parts(40000, 16384) == ((16384, 0), (16384, 1), (4096, 8), (2048, 18), (1024, 38), (64, 624))
    assert parts(3) == ((64, 0),)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="x has 3 columns but weight has 4"):
        linear(np.ones((2, 3), np.float32), np.ones((5, 4), np.float32))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [1, 2, 16])
def test_compiles_for_gpus(rows, dtype):
    x, weight = normal((rows, 1024), dtype), normal((64, 1024), dtype, 1)
    compile_for_gpus(lambda: linear(x, weight))
