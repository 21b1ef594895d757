# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gpu_code import compile_for_gpus
from kernels.quantized_linear.kernel import FEW, int4_linear, int8_linear
from kernels.quantized_linear.reference import int4_reference, int8_reference, quantize_int4, quantize_int8
from kernels.work import normal

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
ROWS = pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 16, 23, FEW + 1])


@DTYPES
@ROWS
@pytest.mark.parametrize("shape", [(1, 1), (64, 128), (33, 1000), (9, 17000)])
def test_int8(shape, rows, dtype):
    x, weight = normal((rows, shape[1]), dtype), quantize_int8(normal(shape, np.float32, 1))
    int8_reference(x, *weight).check(int8_linear(x, *weight))


@DTYPES
@ROWS
@pytest.mark.parametrize("shape, group", [((1, 2), 2), ((64, 128), 32), ((33, 960), 64), ((9, 1408), 128)])
def test_int4(shape, group, rows, dtype):
    x, weight = normal((rows, shape[1]), dtype), quantize_int4(normal(shape, np.float32, 1), group)
    int4_reference(x, *weight, group).check(int4_linear(x, *weight, group=group))


@pytest.mark.parametrize("rows", [1, 7])
def test_extremes(rows):
    """Every value of a byte and of half a byte."""
    x, scales = normal((rows, 256), np.float32), normal((4,), np.float32, 1)
    weight = np.tile(np.arange(-128, 128, dtype=np.int8), (4, 1))
    int8_reference(x, weight, scales).check(int8_linear(x, weight, scales))
    packed, scales = np.tile(np.arange(256, dtype=np.uint8), (4, 1)), normal((4, 16), np.float32, 2)
    x = normal((rows, 512), np.float32)
    int4_reference(x, packed, scales, 32).check(int4_linear(x, packed, scales, group=32))


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_logits_in_f32_and_rows_between_others(rows):
    both, frame = normal((rows, 3, 128), bfloat16), np.full((rows, 90), 5, np.float32)
    dense = normal((70, 128), np.float32, 1)
    int8, int4 = quantize_int8(dense), quantize_int4(dense, 32)
    int8_linear(both[:, 1], *int8, frame[:, 10:80])
    int8_reference(both[:, 1], *int8, np.float32).check(frame[:, 10:80])
    int4_linear(both[:, 1], *int4, frame[:, 10:80], group=32)
    int4_reference(both[:, 1], *int4, 32, np.float32).check(frame[:, 10:80])
    assert (frame[:, :10] == 5).all() and (frame[:, 80:] == 5).all()


def test_shapes_must_agree():
    x = np.ones((1, 64), np.float32)
    with pytest.raises(ValueError, match="x has 64 columns but weight has 32"):
        int8_linear(x, np.ones((2, 32), np.int8), np.ones(2, np.float32))
    with pytest.raises(ValueError, match="group is 48, expected a power of two that divides 64 columns"):
        int4_linear(x, np.ones((2, 32), np.uint8), np.ones((2, 2), np.float32), group=48)


@pytest.mark.parametrize("rows", [1, 16, 128])
@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
def test_compiles_for_gpus(rows, dtype):
    x, dense = normal((rows, 512), dtype), normal((64, 512), np.float32, 1)
    compile_for_gpus(lambda: int8_linear(x, *quantize_int8(dense)))
    compile_for_gpus(lambda: int4_linear(x, *quantize_int4(dense, 32), group=32))
