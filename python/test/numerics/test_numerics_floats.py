# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of floats is the exact result rounded once, by every mode: f32 and f64 as the processor computes them
under that mode, f16 and bf16 from sums and products that double or long double hold."""

import ctypes
import math
from fractions import Fraction

import numpy as np
import pytest
from numerics import (
    DTYPES,
    FLOATS,
    FULL,
    TARGETS,
    check,
    decode,
    evaluate,
    format_of,
    fused,
    rounding,
    samples,
    storage,
)

COUNT = 1_000_000 if FULL else 3000
FUSED = 100_000 if FULL else 1000
MODES = ["nearest_even", "zero", "negative_inf", "positive_inf"]
BINARY = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
HALVES = ["f16", "bf16"]


def suffix(mode):
    return "" if mode == "nearest_even" else f" rounding<{mode}>"


def directed(function, operands):
    """The exact result (in double) and all that double drops of it, as an odd last bit; `function` runs under the
    processor's rounding towards zero and up, which differ where something was dropped."""
    with rounding("negative_inf"):
        low = function(*operands)
    with rounding("positive_inf"):
        high = function(*operands)
    bits = low.view(np.uint64)
    return np.where((low == high) | np.isnan(low), low, np.where(bits & 1, low, high))


def rounded(element, function, operands, mode):
    """Bits, and where they are NaN's, of an operation on the numbers of `operands`."""
    if element not in HALVES:
        with np.errstate(all="ignore"), rounding(mode):
            result = function(*(bits.view(DTYPES[element]) for bits in operands))
        return result.view(storage(element)), np.isnan(result)
    numbers = [decode(element, bits) for bits in operands]
    with np.errstate(all="ignore"):
        exact = directed(function, numbers)
        with rounding(mode):
            zero = function(*numbers)  # an exact zero has the sign that the mode gives it
    nan = np.isnan(exact)
    exact = np.where(exact == 0, zero, exact)
    return format_of(element).round(np.where(nan, 0, exact), mode), nan


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, element, mode, target):
    operands = samples(element, COUNT, 2)
    expected, nan = rounded(element, BINARY[name], operands, mode)
    text = f"{name} %a, %b{suffix(mode)} : tile<{element}>"
    check(text, element, expected, *((element, bits) for bits in operands), target=target, nan=nan)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", FLOATS)
def test_square_root(element, mode, target):
    operands = samples(element, COUNT)
    if element in HALVES:
        operands = [np.arange(1 << 16, dtype=np.uint16)]
    expected, nan = rounded(element, np.sqrt, operands, mode)
    text = f"sqrt %a{suffix(mode)} : tile<{element}>"
    check(text, element, expected, (element, operands[0]), target=target, nan=nan)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("element", FLOATS)
def test_fused(element, mode, target):
    operands = samples(element, FUSED, 3)
    operands[2][::3] = 0
    kind = DTYPES[element] if element not in HALVES else np.float64
    expected, nan = rounded(element, lambda *numbers: fused(kind, *numbers), operands, mode)
    text = f"fma %a, %b, %c{suffix(mode)} : tile<{element}>"
    check(text, element, expected, *((element, bits) for bits in operands), target=target, nan=nan)


@pytest.mark.parametrize("mode", MODES)
def test_sums_of_halves_are_exact_fractions(mode):
    """The sums that the tests above call exact, once without floating point: sums of bf16 that no double holds."""
    operands = samples("bf16", 1500, 2)
    numbers = [decode("bf16", bits) for bits in operands]
    finite = np.isfinite(numbers[0]) & np.isfinite(numbers[1])
    operands, numbers = [bits[finite] for bits in operands], [number[finite] for number in numbers]
    values = format_of("bf16").numbers
    found = decode(
        "bf16", evaluate(f"addf %a, %b{suffix(mode)} : tile<bf16>", "bf16", *(("bf16", b) for b in operands))
    )
    spacing = 2.0**-133
    for x, y, result in zip(*numbers, found, strict=True):
        exact = Fraction(x) + Fraction(y)
        if abs(exact) > Fraction(values[-1]):
            continue
        distance = Fraction(result) - exact
        unit = Fraction(max(2.0 ** (math.frexp(result)[1] - 8), spacing))
        assert abs(distance) < unit
        assert mode != "nearest_even" or abs(distance) <= unit / 2
        assert mode != "negative_inf" or distance <= 0
        assert mode != "positive_inf" or distance >= 0
        assert mode != "zero" or abs(Fraction(result)) <= abs(exact)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "name, rounds", [*((name, True) for name in (*BINARY, "fma")), ("maxf", False), ("minf", False)]
)
def test_subnormals_become_zeros(name, rounds, target):
    operands = samples("f32", COUNT, 3 if name == "fma" else 2)
    random = np.random.default_rng(9)
    for bits in operands:  # many of them small, so that results are
        small = random.random(len(bits)) < 0.5
        bits[small] = bits[small] & np.uint32(0x81FFFFFF)

    def flush(bits):
        return np.where((bits & 0x7F800000) == 0, bits & np.uint32(0x80000000), bits).astype(np.uint32)

    flushed = [flush(bits) for bits in operands]
    arguments = [("f32", bits) for bits in operands]
    names = ", ".join(f"%{letter}" for letter in "abc"[: len(operands)])
    for mode in MODES if rounds else MODES[:1]:
        plain = evaluate(f"{name} {names}{suffix(mode)} : tile<f32>", "f32", *(("f32", bits) for bits in flushed))
        text = f"{name} {names}{suffix(mode)} flush_to_zero : tile<f32>"
        check(text, "f32", flush(plain), *arguments, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", FLOATS)
def test_remainder(element, target):
    operands = samples(element, COUNT, 2)
    if element in HALVES:
        numbers = [decode(element, bits) for bits in operands]
        with np.errstate(all="ignore"):
            exact = np.fmod(*numbers)
        nan = np.isnan(exact)
        expected = format_of(element).round(np.where(nan, 0, exact))
    else:
        with np.errstate(all="ignore"):
            result = np.fmod(*(bits.view(DTYPES[element]) for bits in operands))
        expected, nan = result.view(storage(element)), np.isnan(result)
    text = f"remf %a, %b : tile<{element}>"
    check(text, element, expected, *((element, bits) for bits in operands), target=target, nan=nan)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("name", ["maxf", "minf"])
def test_extremes(name, element, target):
    x, y = samples(element, COUNT, 2)
    numbers = decode(element, x), decode(element, y)
    nan = np.isnan(numbers[0]), np.isnan(numbers[1])
    # By sign, then magnitude: the bits as a signed integer, those of negative numbers turned around.
    top = storage(element).type(1 << (8 * storage(element).itemsize - 1))
    orders = [np.where(bits & top, ~bits, bits | top) for bits in (x, y)]
    first = orders[0] >= orders[1] if name == "maxf" else orders[0] <= orders[1]
    chosen = np.where(nan[0] | (~nan[1] & ~first), y, x)
    operands = (element, x), (element, y)
    both, either = nan[0] & nan[1], nan[0] | nan[1]
    check(f"{name} %a, %b : tile<{element}>", element, chosen, *operands, target=target, nan=both)
    check(f"{name} %a, %b propagate_nan : tile<{element}>", element, chosen, *operands, target=target, nan=either)


PREDICATES = {"equal": np.equal, "not_equal": np.not_equal, "less_than": np.less, "less_than_or_equal": np.less_equal,
              "greater_than": np.greater, "greater_than_or_equal": np.greater_equal}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("ordering", ["ordered", "unordered"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons(predicate, ordering, element, target):
    x, y = samples(element, COUNT, 2)
    lhs, rhs = decode(element, x), decode(element, y)
    nan = np.isnan(lhs) | np.isnan(rhs)
    expected = np.where(nan, ordering == "unordered", PREDICATES[predicate](lhs, rhs))
    text = f"cmpf {predicate} {ordering} %a, %b : tile<{element}> -> tile<i1>"
    check(text, "i1", expected, (element, x), (element, y), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", FLOATS)
def test_signs_and_integral_values(element, target):
    x = samples(element, COUNT)[0]
    top = storage(element).type(1 << (8 * storage(element).itemsize - 1))
    for name, expected in (("negf", x ^ top), ("absf", x & ~top)):
        assert (evaluate(f"{name} %a : tile<{element}>", element, (element, x), target=target) == expected).all(), name
    for name, function in (("ceil", np.ceil), ("floor", np.floor)):
        numbers = decode(element, x)
        nan = np.isnan(numbers)
        result = function(np.where(nan, 0, numbers))
        expected = result.astype(DTYPES[element]).view(storage(element))
        check(f"{name} %a : tile<{element}>", element, expected, (element, x), target=target, nan=nan)


def test_the_mode_of_the_processor_is_back():
    assert ctypes.CDLL("libm.so.6").fegetround() == 0
