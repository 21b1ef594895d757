# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products of every element type, and of blocks with scales, within their bound of the exact sum."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from language import array, text_of
from numerics import decode

RANDOM = np.random.default_rng(11)
B, M, N, K = 4, 16, 32, 64
HALF_BYTES = ml_dtypes.float4_e2m1fn


def expect_within(found, left, right, acc):
    """docs/semantics.md: |error| <= (K + 2) eps (sum of |a||b| + |acc|)."""
    epsilon = float(ml_dtypes.finfo(found.dtype).eps)
    exact = left @ right + acc
    bound = (left.shape[-1] + 2) * epsilon * (np.abs(left) @ np.abs(right) + np.abs(acc))
    error = np.abs(found.astype(np.float64) - exact)
    assert (error <= bound).all(), float((error - bound).max())


def nearest_tf32(bits):
    """13 bits fewer, ties to even."""
    return bits + np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))


@ct.kernel
def product(a, b, c, out, cast: ct.Constant):
    left, right = ct.load(a, (0, 0), (M, K)), ct.load(b, (0, 0), (K, N))
    if cast is not None:
        left, right = left.astype(cast), right.astype(cast)
    ct.store(out, (0, 0), ct.mma(left, right, ct.load(c, (0, 0), (M, N))))


@ct.kernel
def products(a, b, c, out, cast: ct.Constant):
    left, right = ct.load(a, (0, 0, 0), (B, M, K)), ct.load(b, (0, 0, 0), (B, K, N))
    if cast is not None:
        left, right = left.astype(cast), right.astype(cast)
    ct.store(out, (0, 0, 0), ct.mma(left, right, ct.load(c, (0, 0, 0), (B, M, N))))


FLOATS = [
    (ml_dtypes.float8_e4m3fn, np.float32, None),
    (ml_dtypes.float8_e4m3fn, np.float16, None),
    (ml_dtypes.float8_e5m2, np.float32, None),
    (ml_dtypes.float8_e5m2, np.float16, None),
    (np.float32, np.float32, ct.tfloat32),
    (np.float32, np.float32, None),
    (np.float16, np.float16, None),
    (np.float16, np.float32, None),
    (ml_dtypes.bfloat16, np.float32, None),
    (np.float64, np.float64, None),
]


@pytest.mark.parametrize("batch", [(), (B,)], ids=["matrix", "batch"])
@pytest.mark.parametrize(("dtype", "acc", "cast"), FLOATS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_float_products(dtype, acc, cast, batch):
    a, b = (RANDOM.standard_normal(batch + shape).astype(dtype) for shape in ((M, K), (K, N)))
    c = RANDOM.standard_normal((*batch, M, N)).astype(acc)
    out = np.empty_like(c)
    ct.launch(None, (1,), products if batch else product, (a, b, c, out, cast))
    if cast is not None:
        a, b = (decode("tf32", nearest_tf32(x.view(np.uint32))) for x in (a, b))
    expect_within(out, a.astype(np.float64), b.astype(np.float64), c.astype(np.float64))


@pytest.mark.parametrize("batch", [(), (B,)], ids=["matrix", "batch"])
@pytest.mark.parametrize("right", [np.int8, np.uint8])
@pytest.mark.parametrize("left", [np.int8, np.uint8])
def test_integer_products_wrap(left, right, batch):
    a = RANDOM.integers(0, 256, (*batch, M, K), np.uint8).view(left)
    b = RANDOM.integers(0, 256, (*batch, K, N), np.uint8).view(right)
    c = RANDOM.choice([np.iinfo(np.int32).min, np.iinfo(np.int32).max, 0], (*batch, M, N)).astype(np.int32)
    out = np.empty_like(c)
    ct.launch(None, (1,), products if batch else product, (a, b, c, out, None))
    exact = a.astype(np.int64) @ b.astype(np.int64) + c
    assert (out == exact.astype(np.int32)).all()


# Blocks with scales.


@ct.kernel
def scaled_product(a, a_scale, b, b_scale, c, out, dtype: ct.Constant, scale: ct.Constant, size: ct.Constant[int]):
    bytes_per = 8 // dtype.bitwidth
    left, right = ct.load(a, (0,), (M * K // bytes_per,)), ct.load(b, (0,), (K * N // bytes_per,))
    if bytes_per == 2:
        left, right = ct.unpack_from_bytes(left, dtype), ct.unpack_from_bytes(right, dtype)
    else:
        left, right = ct.bitcast(left, dtype), ct.bitcast(right, dtype)
    left_scale = ct.bitcast(ct.load(a_scale, (0, 0), (M, K // size)), scale)
    right_scale = ct.bitcast(ct.load(b_scale, (0, 0), (K // size, N)), scale)
    total = ct.load(c, (0, 0), (M, N))
    left, right = left.reshape((M, K)), right.reshape((K, N))
    ct.store(out, (0, 0), ct.mma_scaled(left, left_scale, right, right_scale, total))


SCALED = [
    (ct.float8_e4m3fn, ct.float8_e8m0fnu, 32),
    (ct.float8_e5m2, ct.float8_e8m0fnu, 32),
    (ct.float4_e2m1fn, ct.float8_e8m0fnu, 32),
    (ct.float4_e2m1fn, ct.float8_e8m0fnu, 16),
    (ct.float4_e2m1fn, ct.float8_e4m3fn, 16),
    (ct.float4_e2m1fn, ct.float8_e5m3fnu, 16),
    (ct.float4_e2m1fn, ct.float8_e5m3fnu, 32),
]


def random_numbers(dtype, shape, smallest=-np.inf):
    """Bits of finite numbers, and the numbers."""
    codes = np.arange(1 << dtype.bitwidth, dtype=np.uint8)
    values = decode(dtype.ir_name, codes)
    codes = codes[np.isfinite(values) & (values >= smallest)]
    bits = RANDOM.choice(codes, shape)
    return bits, decode(dtype.ir_name, bits)


def as_bytes(dtype, bits):
    flat = bits.ravel()
    return flat[::2] | flat[1::2] << 4 if dtype.bitwidth == 4 else flat


@pytest.mark.parametrize(("dtype", "scale", "size"), SCALED, ids=str)
def test_scaled_products(dtype, scale, size):
    (a, left), (b, right) = random_numbers(dtype, (M, K)), random_numbers(dtype, (K, N))
    (a_scale, left_scale), (b_scale, right_scale) = (
        random_numbers(scale, shape, smallest=0) for shape in ((M, K // size), (K // size, N))
    )
    if scale is ct.float8_e8m0fnu:
        # Far from 1, each beyond what its product with an element has room for in f32, but together close to 1.
        a_scale, b_scale = 247 + a_scale % 8, b_scale % 8
        left_scale, right_scale = decode(scale.ir_name, a_scale), decode(scale.ir_name, b_scale)
    c = RANDOM.standard_normal((M, N)).astype(np.float32)
    out = np.empty_like(c)
    arguments = (as_bytes(dtype, a), a_scale, as_bytes(dtype, b), b_scale, c, out, dtype, scale, size)
    ct.launch(None, (1,), scaled_product, arguments)
    left = left * np.repeat(left_scale, size, axis=1)
    right = right * np.repeat(right_scale, size, axis=0)
    expect_within(out, left, right, c)


@ct.kernel
def batched_scaled_product(a, a_scale, b, b_scale, out, X: ct.Constant[tuple], Y: ct.Constant[tuple]):
    """Operands of their own rank: one without a batch counts for all of the other's."""
    left, right = ct.load(a, (0,) * len(X), X), ct.load(b, (0,) * len(Y), Y)
    left_scale = ct.load(a_scale, (0,) * len(X), (*X[:-1], K // 32))
    right_scale = ct.load(b_scale, (0,) * len(Y), (*Y[:-2], K // 32, N))
    total = ct.zeros((B, M, N), ct.float32)
    ct.store(out, (0, 0, 0), ct.mma_scaled(left, left_scale, right, right_scale, total))


@pytest.mark.parametrize(("x", "y"), [((), (B,)), ((B,), ()), ((1,), (B,))], ids=["left", "right", "one"])
def test_scaled_products_share_an_operand_without_batch(x, y):
    x, y = (*x, M, K), (*y, K, N)
    a, b = (random_numbers(ct.float8_e4m3fn, s, smallest=0)[0].view(ml_dtypes.float8_e4m3fn) for s in (x, y))
    a_scale = (120 + RANDOM.integers(0, 8, (*x[:-1], K // 32), np.uint8)).view(ml_dtypes.float8_e8m0fnu)
    b_scale = (120 + RANDOM.integers(0, 8, (*y[:-2], K // 32, N), np.uint8)).view(ml_dtypes.float8_e8m0fnu)
    out = np.empty((B, M, N), np.float32)
    ct.launch(None, (1,), batched_scaled_product, (a, a_scale, b, b_scale, out, x, y))
    left = a.astype(np.float64) * np.repeat(a_scale.astype(np.float64), 32, -1)
    right = b.astype(np.float64) * np.repeat(b_scale.astype(np.float64), 32, -2)
    np.testing.assert_allclose(out, left @ right, rtol=1e-5)


def test_scales_have_the_extents_of_their_operand():
    @ct.kernel
    def kernel(a, s, b, out):
        scale = ct.load(s, (0, 0, 0), (1, M, K // 32))
        right = ct.load(b, (0, 0), (K, N))
        right_scale = ct.ones((K // 32, N), ct.float32).astype(ct.float8_e8m0fnu, rounding_mode=ct.RoundingMode.RZ)
        total = ct.zeros((M, N), ct.float32)
        ct.store(out, (0, 0), ct.mma_scaled(ct.load(a, (0, 0), (M, K)), scale, right, right_scale, total))

    specs = [array(ct.float8_e4m3fn, 2), array(ct.float8_e8m0fnu, 3), array(ct.float8_e4m3fn, 2), array(ct.float32, 2)]
    with pytest.raises(
        ct.TileTypeError, match=r"x_scale of shape .* for x of shape .*; expected equal extents but along"
    ):
        text_of(kernel, *specs)


def test_scales_are_not_rounded_to_the_nearest():
    @ct.kernel
    def kernel(a, out):
        ct.store(out, 0, ct.load(a, 0, 16).astype(ct.float8_e8m0fnu))

    with pytest.raises(ct.TileTypeError, match="float32 does not round to the nearest float8_e8m0fnu; expected"):
        text_of(kernel, array(ct.float32), array(ct.float8_e8m0fnu))
