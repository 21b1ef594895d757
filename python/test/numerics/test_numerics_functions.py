# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions stay within the errors of BOUNDS, which docs/numerics.md shows, in units of the last place.

The reference is the C library's long double (64 bits of significand), and mpmath checks it where the errors are largest
and at random. Inputs are every f16 and bf16, bit patterns at equal distances from all of f32 and f64, and a fine grid.
"""

import pathlib
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from numerics import DTYPES, FLOATS, FULL, FUNCTION_TARGETS, TARGETS, decode, evaluate, record, specials, storage

COUNT = {"f32": 1_000_000, "f64": 200_000} if FULL else {"f32": 12_000, "f64": 3_000}
ROOT = pathlib.Path(__file__).resolve().parents[3]

# Function -> its form in Tile IR, of numbers, and of mpmath.
UNARY = {
    "exp": ("exp %a", np.exp, mpmath.exp),
    "exp2": ("exp2 %a", np.exp2, lambda x: mpmath.power(2, x)),
    "log": ("log %a", np.log, mpmath.log),
    "log2": ("log2 %a", np.log2, lambda x: mpmath.log(x, 2)),
    "sin": ("sin %a", np.sin, mpmath.sin),
    "cos": ("cos %a", np.cos, mpmath.cos),
    "tan": ("tan %a", np.tan, mpmath.tan),
    "sinh": ("sinh %a", np.sinh, mpmath.sinh),
    "cosh": ("cosh %a", np.cosh, mpmath.cosh),
    "tanh": ("tanh %a", np.tanh, mpmath.tanh),
    "rsqrt": ("rsqrt %a", lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x)),
}
BINARY = {
    "fpowf": ("fpowf %a, %b", np.power, mpmath.power),
    "atan2": ("atan2 %a, %b", np.arctan2, mpmath.atan2),
}
# Cheaper forms, which only f32 has.
APPROXIMATE = {
    "exp approx": ("exp %a rounding<approx>", np.exp, mpmath.exp),
    "tanh approx": ("tanh %a rounding<approx>", np.tanh, mpmath.tanh),
    "sqrt approx": ("sqrt %a rounding<approx>", np.sqrt, mpmath.sqrt),
    "divf approx": ("divf %a, %b rounding<approx>", np.divide, mpmath.fdiv),
    "divf full": ("divf %a, %b rounding<full>", np.divide, mpmath.fdiv),
}
FUNCTIONS = {**UNARY, **BINARY, "fpowi": ("fpowi %a, %b", np.power, mpmath.power), **APPROXIMATE}
CASES = [(name, element) for name in FUNCTIONS for element in FLOATS if name not in APPROXIMATE or element == "f32"]


# Of the compiled functions, in units of the last place: f16, bf16, f32, f64. docs/numerics.md shows them.
_BOUNDS = {
    "exp": (0.51, 0.51, 1.2, 1.0),
    "exp2": (0.51, 0.51, 1.2, 1.0),
    "log": (0.51, 0.51, 1.0, 1.0),
    "log2": (0.51, 0.51, 1.0, 1.0),
    "sin": (0.51, 0.51, 1.6, 1.0),
    "cos": (0.51, 0.51, 1.2, 1.0),
    "tan": (0.51, 0.51, 2.5, 1.0),
    "sinh": (0.51, 0.51, 1.7, 2.0),
    "cosh": (0.51, 0.51, 1.5, 2.0),
    "tanh": (0.51, 0.51, 1.5, 2.0),
    "rsqrt": (0.51, 0.51, 1.6, 1.6),
    "fpowf": (0.51, 0.51, 1.0, 1.0),
    "atan2": (0.51, 0.51, 1.0, 1.0),
    "fpowi": (0.51, 0.51, 1.0, 1.0),
    "exp approx": (None, None, 1.2, None),
    "tanh approx": (None, None, 6.0, None),
    "sqrt approx": (None, None, 1.0, None),
    "divf approx": (None, None, 1.0, None),
    "divf full": (None, None, 1.0, None),
}
BOUNDS = {(name, element): bound for name, bounds in _BOUNDS.items()
          for element, bound in zip(FLOATS, bounds, strict=True) if bound}  # fmt: skip
ON_GPUS = {("tanh", "f32"): 2.5}  # by rough instructions


def numbers_of(element, count, seed):
    """Bits: all, or at equal distances, and a grid of everyday numbers."""
    if element in ("f16", "bf16"):
        return np.arange(0, 1 << 16, 1 if FULL else 23, dtype=np.uint16)
    width, dtype = 8 * storage(element).itemsize, storage(element)
    step = (1 << width) // count
    start = int(np.random.default_rng(seed).integers(0, step))
    bits = (np.arange(count, dtype=np.uint64) * np.uint64(step) + np.uint64(start)).astype(dtype)
    grid = np.linspace(-100, 100, max(count // 10, 2001)).astype(DTYPES[element]).view(dtype)
    return np.concatenate([bits, grid])


def pairs_of(element):
    """Numbers of all sizes, and those whose powers are of everyday size."""
    random = np.random.default_rng(3)
    count = COUNT.get(element, 200_000 if FULL else 4000)
    dtype, bits = DTYPES[element], storage(element)
    x, y = [], []
    any_bits = np.frombuffer(random.bytes(2 * count * bits.itemsize), bits)
    x.append(any_bits[:count]), y.append(any_bits[count:])
    for low, high, exponents in ((2.0**-10, 2.0**10, 6), (0.5, 2, 60), (-5, 5, 3)):
        x.append(random.uniform(low, high, count // 2).astype(dtype).view(bits))
        y.append(random.uniform(-exponents, exponents, count // 2).astype(dtype).view(bits))
    x.append(random.uniform(-5, 5, count // 2).astype(dtype).view(bits))
    y.append(random.integers(-20, 20, count // 2).astype(dtype).view(bits))
    return np.concatenate(x), np.concatenate(y)


def operands_of(name, element):
    special = specials(element)
    if name == "fpowi":
        x, _ = pairs_of(element)
        n = np.random.default_rng(4).integers(-40, 40, len(x)).astype(np.int32)
        n[::50] = np.random.default_rng(5).integers(-(2**31), 2**31, len(n[::50]))
        grid = np.meshgrid(special, np.array([0, 1, -1, 2, -2, 3, 2**31 - 1, -(2**31)], np.int32))
        return [("f", np.concatenate([x, grid[0].ravel()])), ("i32", np.concatenate([n, grid[1].ravel()]))]
    if "%b" in FUNCTIONS[name][0]:
        grid = np.meshgrid(special, special)
        return [("f", np.concatenate([bits, g.ravel()])) for bits, g in zip(pairs_of(element), grid, strict=True)]
    return [("f", np.concatenate([numbers_of(element, COUNT.get(element, 0), 1), special]))]


def error_in_ulp(element, bits, exact):
    """Distance in units of the last place of the exact value. Overflow counts as the number after the largest; a NaN
    or the sign of a zero that is wrong is infinitely far."""
    precision, smallest, largest = {"f16": (10, -14, 15), "bf16": (7, -126, 127), "f32": (23, -126, 127),
                                    "f64": (52, -1022, 1023)}[element]  # fmt: skip
    found = decode(element, bits).astype(np.longdouble)
    end = np.longdouble(2) ** (largest + 1)
    signs_differ = np.signbit(found) != np.signbit(exact)
    nan = np.isnan(found), np.isnan(exact)
    found, exact = (np.clip(np.where(n, 0, x), -end, end) for n, x in zip(nan, (found, exact), strict=True))
    exponent = np.frexp(np.where(exact == 0, 1, exact))[1] - 1
    exponent = np.where(exact == 0, smallest, np.clip(exponent, smallest, largest))
    error = np.abs(found - exact) / np.ldexp(np.longdouble(1), exponent - precision)
    error[signs_differ] = np.inf
    error[nan[0] != nan[1]] = np.inf
    error[nan[0] & nan[1]] = 0
    return error.astype(np.float64)


def check_reference(function, operands, exact, error):
    """mpmath agrees with the reference at the largest errors and at random places."""
    finite = np.isfinite(exact) & np.isfinite(error) & (exact != 0)
    for operand in operands:
        finite &= np.isfinite(operand)
    at = np.flatnonzero(finite)
    count = 300 if FULL else 10
    chosen = set(np.random.default_rng(8).choice(at, min(count, len(at)), replace=False))
    chosen |= set(at[np.argsort(error[at])[-count:]])
    with mpmath.workprec(150):
        for i in chosen:
            true = function(*(mpmath.mpf(float(operand[i])) for operand in operands))
            mantissa, exponent = np.frexp(exact[i])
            reference = mpmath.ldexp(mpmath.mpf(int(np.ldexp(mantissa, 64))), int(exponent) - 64)
            assert abs(reference - true) <= abs(true) * mpmath.mpf(2) ** -61, [
                float(operand[i]) for operand in operands
            ]


def measure(name, element, target):
    operation, function, check = FUNCTIONS[name]
    operands = [(element if kind == "f" else kind, bits) for kind, bits in operands_of(name, element)]
    types = f"tile<{element}>" + (", tile<i32>" if name == "fpowi" else "")
    bits = evaluate(f"{operation} : {types}", element, *operands, target=target)
    numbers = [
        bits.view(np.int32).astype(np.float64) if kind == "i32" else decode(kind, bits) for kind, bits in operands
    ]
    with np.errstate(all="ignore"):
        exact = function(*(number.astype(np.longdouble) for number in numbers))
    error = error_in_ulp(element, bits, exact)
    check_reference(check, numbers, exact, error)
    worst = int(np.argmax(error))
    record("functions", name=name, type=element, target=target, error=float(error[worst]), inputs=len(bits))
    return error[worst], f"of {[float(number[worst]) for number in numbers]}: {decode(element, bits)[worst]!r}, " \
                         f"exact {exact[worst]!r}"  # fmt: skip


@pytest.mark.parametrize("target", FUNCTION_TARGETS)
@pytest.mark.parametrize("name, element", CASES)
def test_errors(name, element, target):
    error, where = measure(name, element, target)
    # The interpreter rounds a result of the next wider precision.
    bound = 0.501 if target == "interpreter" else BOUNDS[name, element]
    if target == "nvidia":
        bound = ON_GPUS.get((name, element), bound)
    assert error <= bound, f"{error} {where}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("exponent", ["1.0", "2.0", "-1.0", "0.0", "3.0", "0.5"])
def test_constant_powers(exponent, target):
    x = np.concatenate([numbers_of("f32", 2000, 2), specials("f32")])
    text = f"%k = constant <f32: {exponent}> : tile<f32>\nfpowf %a, %k : tile<f32>"
    bits = evaluate(text, "f32", ("f32", x), target=target)
    with np.errstate(all="ignore"):
        exact = np.power(x.view(np.float32).astype(np.longdouble), np.longdouble(exponent))
    assert error_in_ulp("f32", bits, exact).max() <= 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, -1, -2, 17, -30])
def test_constant_integer_powers(exponent, target):
    for element in FLOATS:
        x = np.concatenate([numbers_of(element, 2000, 2), specials(element)])
        text = f"%k = constant <i32: {exponent}> : tile<i32>\nfpowi %a, %k : tile<{element}>, tile<i32>"
        bits = evaluate(text, element, (element, x), target=target)
        with np.errstate(all="ignore"):
            exact = np.power(decode(element, x).astype(np.longdouble), np.longdouble(exponent))
        # A square is off by half an ulp, and its square by twice as much and another half: 0.5 + 2^0.5 at most.
        assert error_in_ulp(element, bits, exact).max() <= (1.92 if exponent == 4 else 1.5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element, signaling", [("f16", 0x7C01), ("bf16", 0x7F81), ("f32", 0x7F800001),
                                                ("f64", 0x7FF0000000000001)])  # fmt: skip
def test_powers_of_one_and_zeroth_powers_of_a_signaling_nan(element, signaling, target):
    one, zero = (np.array([x], DTYPES[element]).view(storage(element))[0] for x in (1, 0))
    x, y = np.array([signaling, one, signaling], storage(element)), np.array([zero, signaling, one], storage(element))
    bits = evaluate(f"fpowf %a, %b : tile<{element}>", element, (element, x), (element, y), target=target)
    assert decode(element, bits)[:2].tolist() == [1, 1] and np.isnan(decode(element, bits)[2])


def test_the_documentation_has_these_bounds():
    assert set(BOUNDS) == set(CASES)
    command = [sys.executable, str(ROOT / "docs" / "generate_numerics.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
