# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions give the number that a search among all numbers of the type finds: of every input of 16 bits and less,
of random f32 and f64, and of the points halfway between two numbers and right beside them."""

import numpy as np
import pytest
from numerics import BITS, DTYPES, FULL, INTEGERS, TARGETS, check, decode, evaluate, format_of, random_bits, rounding

COUNT = 1_000_000 if FULL else 3000
SOURCES = ["f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "fnv8E5M3FNU", "f4E2M1FN"]
NARROW = [element for element in SOURCES if element not in ("f32", "f64")]
DIRECTED = ["zero", "negative_inf", "positive_inf"]


def inputs(source, to):
    """Bits of `source`: all of them, or random ones and what lies around the numbers of `to` and their middles."""
    if BITS[source] <= 16:
        step = 1 if FULL or BITS[source] <= 8 else 7
        return np.arange(0, 1 << BITS[source], step).astype(f"u{max(BITS[source] // 8, 1)}")
    dtype = DTYPES[source]
    bits = [random_bits(source, COUNT)]
    if to in NARROW:
        numbers = format_of(to).numbers
        if not FULL:
            numbers = np.concatenate([numbers[:40], numbers[-40:], numbers[:: max(len(numbers) // 1000, 1)]])
        middles = (numbers[1:] + numbers[:-1]) / 2
        ends = [numbers[-1] * factor for factor in (1, 1.01, 1.03, 1.0625, 1.2, 2)]
        with np.errstate(over="ignore"):
            points = np.concatenate([numbers, middles, ends]).astype(dtype)
        points = np.concatenate([points, -points])
        for direction in (-np.inf, 0, np.inf):
            bits.append(np.nextafter(points, dtype(direction)).view(bits[0].dtype))
        bits.append(points.view(bits[0].dtype))
    return np.concatenate(bits)


def expected_bits(to, numbers, mode):
    """And where NaN is expected."""
    nan = np.isnan(numbers)
    numbers = np.where(nan, 0, numbers)
    if to in NARROW:
        bits = format_of(to).round(numbers, mode)
        if to == "f4E2M1FN":
            return np.where(nan, 7, bits), np.zeros_like(nan)
        return bits, nan
    dtype = DTYPES[to]
    with np.errstate(all="ignore"), rounding("nearest_even" if mode == "nearest_away" else mode):
        return numbers.astype(dtype).view(f"u{dtype().itemsize}"), nan


def modes(source, to):
    """The modes that the verifier allows for the pair, by what it says of each (src/cuda_tile/ir/Ops/Convert.cpp)."""
    if to == "f8E8M0FNU":
        return ["zero", "positive_inf"]
    if to in ("f8E4M3FN", "f8E5M2", "fnv8E5M3FNU", "f4E2M1FN"):
        return ["nearest_even"]
    if (source, to) == ("f64", "f32"):
        return ["nearest_even", *DIRECTED]
    if (source, to) == ("f32", "tf32"):
        return ["nearest_even", "zero", "nearest_away"]
    return ["nearest_even", "zero"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("to", SOURCES)
@pytest.mark.parametrize("source", SOURCES)
def test_floats_to_floats(source, to, target):
    if source == to:
        pytest.skip("the same type")
    x = inputs(source, to)
    numbers = decode(source, x)
    for mode in modes(source, to):
        text = f"ftof %a rounding<{mode}> : tile<{source}> -> tile<{to}>"
        bits, nan = expected_bits(to, numbers, mode)
        check(text, to, bits, (source, x), target=target, nan=nan)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("source", SOURCES)
def test_floats_to_integers(source, to, sign, target):
    x = inputs(source, to)
    if source in ("f32", "f64"):  # around the ends of the integers, and integers with a fraction
        ends = np.array([2.0**e * s + d for e in (0, 1, 7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)
                         for d in (-1, -0.5, 0, 0.5, 1)])  # fmt: skip
        ends = np.concatenate([ends, np.nextafter(ends, 0), np.nextafter(ends, ends * 2)])
        x = np.concatenate([x, ends.astype(DTYPES[source]).view(x.dtype)])
    numbers = decode(source, x)
    width = BITS[to]
    used = width - (sign == "signed")
    end = 2.0**used
    low, high = (1 << used if sign == "signed" else 0), (1 << used) - 1
    # The largest integer that the source, or f32 for narrower ones, holds.
    unheld = max(used - (53 if source == "f64" else 24), 0)
    whole = np.trunc(np.where(np.isnan(numbers), 0, numbers))
    fits = (whole < end) & (whole >= (-end if sign == "signed" else 0))
    inside = np.where(fits, whole, 0)
    negative = np.minimum(inside, 0).astype(np.int64).view(np.uint64)
    bits = np.where(inside < 0, negative, np.maximum(inside, 0).astype(np.uint64))
    for flag, above, nan in (("", high >> unheld << unheld, low), (" saturating", high, 0)):
        outside = np.where(np.isnan(numbers), np.uint64(nan), np.where(whole > 0, np.uint64(above), np.uint64(low)))
        expected = np.where(fits & ~np.isnan(numbers), bits, outside) & np.uint64((1 << width) - 1)
        if to == "i1":  # whether it is not zero
            expected = np.where(numbers != 0, 1, 0)
        check(f"ftoi %a {sign}{flag} : tile<{source}> -> tile<{to}>", to, expected, (source, x), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("to", [element for element in SOURCES if element != "f8E8M0FNU"])
@pytest.mark.parametrize("source", INTEGERS)
def test_integers_to_floats(source, to, sign, target):
    width = BITS[source]
    if width <= 16:
        x = np.arange(1 << width).astype(f"u{max(width // 8, 1)}")
    else:
        # Random ones of all lengths, and those halfway between two floats.
        random = random_bits(source, COUNT)
        short = random >> (np.arange(len(random)) % width).astype(random.dtype)
        ties = np.array([((1 << p) + odd << e) + (1 << e - 1) + d for p in (3, 7, 10, 23, 52)
                         for e in range(1, width - p - 1) for odd in (0, 1) for d in (-1, 0, 1)], object)  # fmt: skip
        ties = np.concatenate([ties, -ties]) & ((1 << width) - 1)
        x = np.concatenate([random, short, ties.astype(random.dtype)])
    # Long double holds every integer of 64 bits.
    integers = x.astype(np.longdouble)
    if sign == "signed":
        integers = np.where(integers >= 2.0 ** (width - 1), integers - np.longdouble(2.0) ** width, integers)
    exact = integers.astype(np.float64)
    if to == "f64":
        expected = exact.view(np.uint64)
    elif to == "f32":
        expected = integers.astype(np.float32).view(np.uint32)
    else:
        # An odd last bit stands for all that f64 drops of it.
        rest, bits = integers - exact, exact.view(np.uint64)
        odd = np.where((rest > 0) == (exact > 0), bits + np.uint64(1), bits - np.uint64(1))
        expected = format_of(to).round(np.where((rest != 0) & (bits % 2 == 0), odd, bits).view(np.float64))
    check(f"itof %a {sign} : tile<{source}> -> tile<{to}>", to, expected, (source, x), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", ["i8", "i16", "i32", "i64", *SOURCES])
def test_bits_stay(source, target):
    x = random_bits(source, 3000)
    for to in ("i8", "i16", "i32", "i64", *SOURCES):
        if to != source and BITS[to] == BITS[source] and "tf32" not in (source, to) and BITS[to] >= 8:
            found = evaluate(f"bitcast %a : tile<{source}> -> tile<{to}>", to, (source, x), target=target)
            assert (found == x).all()
