# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16, float8_e4m3fn

from kernels.block_scaled_linear.bench import weight_and_scales
from kernels.block_scaled_linear.kernel import block_scaled_linear, block_scaled_product, quantize_tokens
from kernels.block_scaled_linear.reference import quantized, reference
from kernels.gpu_code import compile_for_gpus
from kernels.work import normal

DTYPES = [np.float32, np.float16, bfloat16]


def on_tensor_cores(x, weight, scales, out, **options):
    """As on a GPU: x is rounded to f8E4M3, then multiplied."""
    numbers = np.zeros(x.shape, float8_e4m3fn)
    x_scales = np.zeros((x.shape[0], scales.shape[1]), np.float32)
    quantize_tokens(x, numbers, x_scales)
    return block_scaled_product(numbers, x_scales, weight, scales, out, **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (128, 256), (77, 300), (300, 1000), (16, 20000)])
@pytest.mark.parametrize("rows", [1, 2, 3, 16, 70])
def test_matches_reference(rows, shape, dtype):
    x, (weight, scales) = normal((rows, shape[1]), dtype), weight_and_scales(*shape)
    out = np.full((rows, shape[0]), np.nan).astype(dtype)
    reference(x, weight, scales).check(block_scaled_linear(x, weight, scales, out))


@pytest.mark.parametrize("as_rows", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (128, 256), (300, 1000)])
@pytest.mark.parametrize("rows", [1, 16, 70])
def test_products_of_eight_bits(rows, shape, as_rows):
    x, (weight, scales) = normal((rows, shape[1]), bfloat16), weight_and_scales(*shape)
    out = np.full((rows, shape[0]), np.nan).astype(bfloat16)
    reference(x, weight, scales).check(on_tensor_cores(x, weight, scales, out, as_rows=as_rows))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 128), (5, 7168), (4, 3000)])
def test_quantized_tokens(shape, dtype):
    """With numbers of every size, some groups of zeros only."""
    x = normal(shape, np.float32)
    x *= np.exp2(np.random.default_rng(3).integers(-12, 12, shape)).astype(np.float32)
    x[:, 256:384] = 0
    x = x.astype(dtype)
    numbers, scales = np.zeros(shape, float8_e4m3fn), np.zeros((shape[0], -(-shape[1] // 128)), np.float32)
    quantize_tokens(x, numbers, scales)
    expected, expected_scales = quantized(x.astype(np.float32))
    assert (scales == expected_scales).all()
    assert (numbers.view(np.uint8) == expected.view(np.uint8)).all()


@pytest.mark.parametrize("rows", [1, 5])
def test_every_number_of_eight_bits(rows):
    """Subnormals among them; NaN has no place in a weight."""
    numbers = np.arange(256, dtype=np.uint8).view(float8_e4m3fn)
    weight = np.tile(np.where(np.isnan(numbers.astype(np.float32)), 0, numbers), (256, 1)).astype(float8_e4m3fn)
    weight[np.arange(256) != np.arange(256)[:, None]] = 0
    x, scales, out = np.ones((rows, 256), np.float32), np.ones((2, 2), np.float32), np.empty((rows, 256), np.float32)
    block_scaled_linear(x, weight, scales, out)
    assert (out == np.diag(weight).astype(np.float32)).all()


def test_shapes_must_agree():
    x, (weight, scales) = normal((2, 200), np.float32), weight_and_scales(150, 200)
    with pytest.raises(ValueError, match="x has 100 columns but weight has 200"):
        block_scaled_linear(x[:, :100], weight, scales, np.empty((2, 150), np.float32))
    with pytest.raises(ValueError, match=r"scales have shape \(2, 1\), expected \(2, 2\): one for 128 x 128 elements"):
        block_scaled_linear(x, weight, scales[:, :1], np.empty((2, 150), np.float32))


@pytest.mark.parametrize("rows, options", [(1, {}), (64, {}), (256, {}), (256, {"fast": True, "tile": (64, 128)})])
def test_compiles_for_gpus(rows, options):
    x, (weight, scales) = normal((rows, 512), bfloat16), weight_and_scales(256, 512)
    compile_for_gpus(lambda: on_tensor_cores(x, weight, scales, np.empty((rows, 256), bfloat16), **options))
