# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of single precision stay within the errors that docs/accuracy.md states.

Tested are bit patterns at equal distances from all of f32, a fine grid around zero and the numbers where functions
turn.
"""

import pathlib
import re

import numpy as np
import pytest
import tilewright as ct
from functions import BINARY, UNARY

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
TILE = 1024
SUBNORMAL = 2.0**-149
SPECIAL = np.array(
    [0, 1, 2, 0.5, 3, 1.5, np.inf, np.nan, 1.4e-45, 1.17549435e-38, 3.4028235e38, 2**23 + 1, 2**24, 2**24 + 2, 1e10,
     0.99999994, 1.0000001, 88.72284, 88.72283, 89.41598, 126.99999, 128, 710], np.float32)  # fmt: skip
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])


def bounds():
    """Function -> units of the last place, from the table of the documentation."""
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", DOCUMENT.read_text(), re.MULTILINE)
    return {name: float(bound) for name, bound in rows}


def computed(function, *inputs):
    @ct.kernel
    def unary(out, x):
        ct.store(out, (ct.bid(0),), function(ct.load(x, (ct.bid(0),), (TILE,))))

    @ct.kernel
    def binary(out, x, y):
        i = ct.bid(0)
        ct.store(out, (i,), function(ct.load(x, (i,), (TILE,)), ct.load(y, (i,), (TILE,))))

    out = np.empty_like(inputs[0])
    ct.launch(None, (ct.cdiv(len(out), TILE),), unary if len(inputs) == 1 else binary, (out, *inputs))
    return out


def error_in_ulp(result, exact):
    """Distance in units of the last place of the exact value; infinite where a NaN, an infinity or a sign is wrong."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        largest = np.float64(np.finfo(np.float32).max)
        unit = np.spacing(np.minimum(abs(exact), largest).astype(np.float32)).astype(np.float64)
        error = abs(result.astype(np.float64) - exact) / np.maximum(unit, SUBNORMAL)
        error[result == rounded] = 0
        # Between the largest number and the infinity after it, either may be meant.
        error[(abs(exact) > largest) & (abs(exact) < 1.0000005 * largest)] = 0
        error[(result != rounded) & np.isinf(result) & (abs(exact) < 0.999999 * largest)] = np.inf
    error[np.signbit(result) != np.signbit(rounded)] = np.inf
    error[np.isnan(result) != np.isnan(exact)] = np.inf
    error[np.isnan(result) & np.isnan(exact)] = 0
    return error


def worst(function, reference, *inputs):
    """The largest error, and where it is."""
    with np.errstate(all="ignore"):
        exact = reference(*(x.astype(np.float64) for x in inputs))
    result = computed(function, *inputs)
    error = error_in_ulp(result, exact)
    at = int(np.argmax(error))
    return error[at], f"at {[float(x[at]) for x in inputs]}: {result[at]!r}, exact {exact[at]!r}"


def every(step):
    """Bit patterns of f32 at equal distances, and the ones that matter."""
    bits = np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    return np.concatenate([bits, np.linspace(-100, 100, 20001, dtype=np.float32), SPECIAL])


def pairs(count):
    rng = np.random.default_rng(3)
    x = [rng.integers(0, 2**32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)]
    y = [x[0][::-1]]
    for low, high, exponents in ((2**-20, 2**20, 6), (0.5, 2, 120), (-5, 5, 3)):
        x.append(rng.uniform(low, high, count))
        y.append(rng.uniform(-exponents, exponents, count))
    x.append(rng.uniform(-5, 5, count))
    y.append(rng.integers(-40, 40, count))
    grid = np.meshgrid(SPECIAL, SPECIAL)
    return [np.concatenate([*part, g.ravel()]).astype(np.float32) for part, g in ((x, grid[0]), (y, grid[1]))]


def test_every_function_has_a_bound():
    assert set(bounds()) == {*UNARY, *BINARY}


@pytest.mark.parametrize("target", ["cpu:host", "cpu:x86-64-v2"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, target, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    error, where = worst(getattr(ct, name), UNARY[name], every(4999))
    assert error <= bounds()[name], where


@pytest.mark.parametrize("target", ["cpu:host", "cpu:x86-64-v2"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, target, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    error, where = worst(getattr(ct, name), BINARY[name], *pairs(100_000))
    assert error <= bounds()[name], where


@pytest.mark.parametrize("exponent", [1.0, 2.0, -1.0, 0.0, 3.0, 0.5])
def test_constant_powers(exponent):
    error, where = worst(lambda x: ct.pow(x, exponent), lambda x: np.power(x, np.full_like(x, exponent)), every(50_021))
    assert error <= 1, where


def test_hyperbolic_tangent_may_be_approximated():
    error, where = worst(lambda x: ct.tanh(x, rounding_mode=ct.RoundingMode.APPROX), np.tanh, every(50_021))
    assert 1.6 < error < 6, where


@pytest.mark.parametrize("name", ["sin", "sinh", "tanh", "log", "exp"])
@pytest.mark.parametrize("dtype", [np.float16])
def test_half_precision_is_single_precision_rounded(name, dtype):
    x = np.arange(2**16, dtype=np.uint32).astype(np.uint16).view(dtype)
    with np.errstate(all="ignore"):
        exact = UNARY[name](x.astype(np.float64)).astype(dtype)
    result = computed(getattr(ct, name), x)
    numbers = ~np.isnan(exact)
    np.testing.assert_array_equal(np.isnan(result), ~numbers)
    distance = abs(result[numbers].view(np.int16).astype(int) - exact[numbers].view(np.int16).astype(int))
    assert distance.max() <= 1
