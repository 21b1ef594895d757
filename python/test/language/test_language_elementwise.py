# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise functions against NumPy, and the promotion rules."""

import math
import operator

import numpy as np
import pytest
import tilewright as ct
from language import array, compiled, run_block
from tilewright.dtypes import promote, promote_with_literal

RNG = np.random.default_rng(7)
REAL = RNG.standard_normal(64).astype(np.float32)
POSITIVE = np.abs(REAL) + np.float32(0.1)
SIGNED = RNG.integers(-50, 50, 64).astype(np.int32)
BYTES = RNG.integers(0, 200, 64).astype(np.uint8)


def computed(function, *inputs, dtype=None):
    """`function` of whole tiles, one per input."""

    @ct.kernel
    def unary(out, x):
        ct.store(out, 0, function(ct.load(x, 0, (64,))))

    @ct.kernel
    def binary(out, x, y):
        ct.store(out, 0, function(ct.load(x, 0, (64,)), ct.load(y, 0, (64,))))

    out = np.zeros(64, dtype or inputs[0].dtype)
    run_block(unary if len(inputs) == 1 else binary, out, *inputs)
    return out


@pytest.mark.parametrize(
    "name", ["exp", "exp2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "abs", "negative"]
)
def test_functions_of_reals(name):
    np.testing.assert_allclose(computed(getattr(ct, name), REAL), getattr(np, name)(REAL), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", ["log", "log2", "sqrt"])
def test_functions_of_positive_numbers(name):
    np.testing.assert_allclose(computed(getattr(ct, name), POSITIVE), getattr(np, name)(POSITIVE), rtol=2e-6, atol=2e-6)


def test_rsqrt():
    np.testing.assert_allclose(computed(ct.rsqrt, POSITIVE), 1 / np.sqrt(POSITIVE), rtol=1e-6)


REAL_FUNCTIONS = {
    "division": (lambda t: t / 3, lambda a: a / 3),
    "floor division": (lambda t: t // 0.75, lambda a: a // 0.75),
    "modulo": (lambda t: t % 0.75, lambda a: a % 0.75),
    "modulo of a negative": (lambda t: t % -0.75, lambda a: a % -0.75),
    "reflected": (lambda t: 1.0 - t, lambda a: 1.0 - a),
    "power of two": (lambda t: 2**t, lambda a: 2**a),
    "maximum": (lambda t: ct.maximum(t, 0.5), lambda a: np.maximum(a, 0.5)),
    "builtin min": (lambda t: min(t, 0.5), lambda a: np.minimum(a, 0.5)),
    "where": (lambda t: ct.where(t > 0, t, -1.0), lambda a: np.where(a > 0, a, -1)),
    "fused": (lambda t: t * t + 1.0, lambda a: a * a + 1),
    "isnan": (lambda t: ct.where(ct.isnan(t), 0.0, t), lambda a: a),
}


@pytest.mark.parametrize("name", REAL_FUNCTIONS)
def test_operators_of_reals(name):
    function, reference = REAL_FUNCTIONS[name]
    np.testing.assert_allclose(computed(function, REAL), reference(REAL.astype(np.float64)), rtol=1e-5, atol=1e-6)


def test_modulo_of_zeros():
    x = np.array([4, -4, 0.0, -0.0] * 16, np.float32)
    for divisor in (2.0, -2.0):
        result = computed(lambda t: t % divisor, x)  # noqa: B023
        assert (result == 0).all()
        np.testing.assert_array_equal(np.signbit(result), np.signbit(x))  # C's, not Python's


def test_modulo_beyond_the_reals():
    with np.errstate(invalid="ignore"):
        x = np.array([5, -5, 0.5, -0.5, np.inf, -np.inf, np.nan, 3] * 8, np.float32)
        np.testing.assert_array_equal(computed(lambda t: t % np.inf, x), np.mod(x, np.float32(np.inf)))
        np.testing.assert_array_equal(computed(lambda t: t % 0.0, x), np.full(64, np.nan, np.float32))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, -3])
def test_integer_powers(exponent):
    np.testing.assert_allclose(computed(lambda t: t**exponent, REAL), REAL.astype(np.float64) ** exponent, rtol=1e-5)


def test_integer_powers_known_at_run_time():
    exponents = (np.arange(64) % 9 - 4).astype(np.int32)

    @ct.kernel
    def kernel(out, x, n):
        ct.store(out, 0, ct.load(x, 0, (64,)) ** ct.load(n, 0, (64,)))

    out = np.zeros(64, np.float32)
    run_block(kernel, out, REAL, exponents)
    np.testing.assert_allclose(out, REAL.astype(np.float64) ** exponents, rtol=1e-5)


def test_powers():
    np.testing.assert_allclose(computed(lambda t: t**3, POSITIVE), POSITIVE**3, rtol=1e-5)
    np.testing.assert_allclose(computed(lambda t: t**2.5, POSITIVE), POSITIVE**2.5, rtol=1e-5)


def test_atan2():
    np.testing.assert_allclose(computed(ct.atan2, REAL, POSITIVE), np.arctan2(REAL, POSITIVE), rtol=1e-5, atol=1e-6)


INTEGER_FUNCTIONS = {
    "floor division": operator.floordiv,
    "modulo": operator.mod,
    "shifts": lambda t, n: (t >> 2) + (t << 3),
    "bits": lambda t, n: ((t & 15) | 32) ^ 5,
    "not": lambda t, n: ~t,
    "negative": lambda t, n: -t,
}


@pytest.mark.parametrize("divisor", [7, -7])
@pytest.mark.parametrize("name", INTEGER_FUNCTIONS)
def test_operators_of_integers(name, divisor):
    function = INTEGER_FUNCTIONS[name]
    np.testing.assert_array_equal(computed(lambda t: function(t, divisor), SIGNED), function(SIGNED, divisor))


def test_ceiling_division():
    np.testing.assert_array_equal(computed(lambda t: ct.cdiv(t, 7), SIGNED), -(-SIGNED // 7))


def test_absolute_value_of_integers():
    np.testing.assert_array_equal(computed(lambda t: abs(t), SIGNED), abs(SIGNED))


def test_unsigned_integers():
    np.testing.assert_array_equal(computed(lambda t: t // 3 + t % 5, BYTES), BYTES // 3 + BYTES % 5)
    np.testing.assert_array_equal(computed(lambda t: ct.where(t > 100, 1.0, 0.0), BYTES, dtype=np.float32), BYTES > 100)
    np.testing.assert_array_equal(computed(lambda t: ct.maximum(t, 150), BYTES), np.maximum(BYTES, 150))


def test_conversions():
    np.testing.assert_array_equal(computed(lambda t: t.astype(ct.int32), REAL, dtype=np.int32), REAL.astype(np.int32))
    np.testing.assert_array_equal(computed(lambda t: t * 0.5, BYTES, dtype=np.float32), BYTES * np.float32(0.5))
    half = REAL.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(computed(lambda t: t.astype(ct.float16).astype(ct.float32), REAL), half)
    np.testing.assert_array_equal(computed(lambda t: (t > 0).astype(ct.float32), REAL), REAL > 0)
    np.testing.assert_array_equal(
        computed(lambda t: ct.bitcast(t, ct.int32), REAL, dtype=np.int32), REAL.view(np.int32)
    )


def test_integer_division_and_functions_give_float32():
    np.testing.assert_allclose(computed(lambda t: t / 4, SIGNED, dtype=np.float32), SIGNED / 4)


SHORT = {d.name: d for d in (ct.bool_, ct.uint8, ct.uint16, ct.uint64, ct.int8, ct.int32, ct.int64, ct.float16,
                             ct.bfloat16, ct.float32, ct.float64, ct.tfloat32, ct.float8_e4m3fn)}  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        ("bool_", "uint8", "uint8"),
        ("bool_", "bfloat16", "bfloat16"),
        ("uint8", "uint64", "uint64"),
        ("int8", "int64", "int64"),
        ("uint8", "int64", None),
        ("uint64", "float16", "float16"),
        ("int64", "bfloat16", "bfloat16"),
        ("float16", "bfloat16", None),
        ("float16", "float32", "float32"),
        ("bfloat16", "float64", "float64"),
        ("tfloat32", "tfloat32", "tfloat32"),
        ("tfloat32", "float32", None),
        ("float8_e4m3fn", "int8", None),
    ],
)
def test_promotion(a, b, result):
    for x, y in ((a, b), (b, a)):
        if result is None:
            with pytest.raises(ct.TileTypeError, match="cast one side"):
                promote(SHORT[x], SHORT[y])
        else:
            assert promote(SHORT[x], SHORT[y]) is SHORT[result]


def test_literals_adopt_the_dtype_of_the_tile():
    assert promote_with_literal(ct.int8, 5) is ct.int8
    assert promote_with_literal(ct.float16, 5) is ct.float16
    assert promote_with_literal(ct.bfloat16, 1.5) is ct.bfloat16
    assert promote_with_literal(ct.int8, 1.5) is ct.float32
    assert promote_with_literal(ct.bool_, 1 << 40) is ct.int64
    assert promote_with_literal(ct.int32, 3, to_float=True) is ct.float32
    with pytest.raises(ct.TileValueError, match="out of range"):
        promote_with_literal(ct.uint8, -1)


def test_rounding_modes_and_flushing():
    def kernel_with(**options):
        @ct.kernel
        def kernel(x):
            t = ct.load(x, 0, (16,))
            ct.store(x, 0, ct.truediv(t, t, **options))

        return kernel

    text = compiled(kernel_with(rounding_mode=ct.RoundingMode.APPROX, flush_to_zero=True), array()).module.text()
    assert "approx" in text and "flush_to_zero" in text
    with pytest.raises(ct.TileTypeError, match="APPROX is for float32; found float16"):
        compiled(kernel_with(rounding_mode=ct.RoundingMode.APPROX), array(ct.float16))
    with pytest.raises(
        ct.TileTypeError, match="has no rounding mode RA; expected one of: RN, RZ, RM, RP, FULL, APPROX"
    ):
        compiled(kernel_with(rounding_mode=ct.RoundingMode.RA), array())
    with pytest.raises(ct.TileTypeError, match="flush_to_zero is for float32"):
        compiled(kernel_with(flush_to_zero=True), array(ct.float64))


def test_numbers_are_computed_at_compile_time():
    @ct.kernel
    def kernel(out):
        ct.static_assert(ct.exp(0.0) == 1.0 and ct.maximum(2, 3) == 3 and ct.sqrt(16.0) == 4.0)
        ct.store(out, 0, math.inf if ct.isnan(1.0) else ct.cdiv(7, 2))

    out = np.zeros(1, np.float32)
    run_block(kernel, out)
    assert out[0] == 4


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_magnitude_and_negative_of_the_smallest_number(dtype):
    """Both are the number itself, also to what comes next: assemblers of PTX take them for positive."""

    @ct.kernel
    def kernel(x, y, out):
        a, b = ct.load(x, 0, 16), ct.load(y, 0, 16)
        ct.store(out, (0, 0), (abs(a) % b)[None, :])
        ct.store(out, (1, 0), ((-a) % b)[None, :])
        ct.store(out, (2, 0), ((-a) // 16)[None, :])
        ct.store(out, (3, 0), ct.where(-a < 0, abs(a) >> 1, 0)[None, :])

    x, y = np.full(16, np.iinfo(dtype).min, dtype), (np.arange(16) - 20).astype(dtype)
    out = np.zeros((4, 16), dtype)
    run_block(kernel, x, y, out)
    np.testing.assert_array_equal(out, [x % y, x % y, x // 16, x >> 1])
