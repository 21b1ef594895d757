# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer operations are NumPy's, wrapped; where they are undefined they give what docs/semantics.md says."""

import numpy as np
import pytest
from numerics import BITS, FULL, INTEGERS, TARGETS, all_pairs, check, random_bits, samples

COUNT = 1_000_000 if FULL else 2000


def as_numbers(element, bits, is_signed):
    """In int64 up to 32 bits, where what is lost of a product is no bit of the result; else as Python's integers."""
    width = BITS[element]
    numbers = bits.astype(object if width == 64 else np.int64)
    return np.where(numbers >= 1 << (width - 1), numbers - (1 << width), numbers) if is_signed else numbers


def wrapped(element, numbers):
    mask = (1 << BITS[element]) - 1
    return (
        (numbers & mask).astype(np.uint64) if numbers.dtype == object else numbers.astype(np.uint64) & np.uint64(mask)
    )


def pairs(element):
    if element == "i8" and FULL:
        return [grid.ravel().astype(np.uint8) for grid in np.meshgrid(np.arange(256), np.arange(256))]
    return samples(element, COUNT, 2)


def divide(lhs, rhs, mode):
    down = lhs // rhs
    if mode == "negative_inf":
        return down
    up = -(-lhs // rhs)
    return up if mode == "positive_inf" else np.where((lhs < 0) != (rhs < 0), up, down)


WRAPPING = {"addi": lambda x, y: x + y, "subi": lambda x, y: x - y, "muli": lambda x, y: x * y,
            "andi": lambda x, y: x & y, "ori": lambda x, y: x | y, "xori": lambda x, y: x ^ y}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("name", WRAPPING)
def test_wrapping(name, element, target):
    x, y = pairs(element)
    expected = wrapped(element, WRAPPING[name](as_numbers(element, x, False), as_numbers(element, y, False)))
    check(f"{name} %a, %b : tile<{element}>", element, expected, (element, x), (element, y), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
def test_upper_half_of_products(element, target):
    x, y = pairs(element)
    wide = object if element == "i64" else np.uint64
    expected = (x.astype(wide) * y.astype(wide) >> BITS[element]).astype(np.uint64)
    check(f"mulhii %a, %b : tile<{element}>", element, expected, (element, x), (element, y), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("name", ["negi", "absi"])
def test_signs(name, element, target):
    x = samples(element, COUNT)[0]
    numbers = as_numbers(element, x, True)
    expected = wrapped(element, -numbers if name == "negi" else np.abs(numbers))
    check(f"{name} %a : tile<{element}>", element, expected, (element, x), target=target)


DIVISIONS = [("divi", "signed", mode) for mode in ("zero", "negative_inf", "positive_inf")]
DIVISIONS += [("divi", "unsigned", mode) for mode in ("zero", "positive_inf")]
DIVISIONS += [("remi", "signed", "zero"), ("remi", "unsigned", "zero")]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("name, sign, mode", DIVISIONS)
def test_division(name, sign, mode, element, target):
    x, y = pairs(element)
    lhs, rhs = (as_numbers(element, bits, sign == "signed") for bits in (x, y))
    overflows = (lhs == -(1 << (BITS[element] - 1))) & (rhs == -1)
    divisor = np.where((rhs == 0) | overflows, 1, rhs)
    quotient = divide(lhs, divisor, mode)
    expected = wrapped(element, quotient if name == "divi" else lhs - quotient * divisor)
    rounding = "" if mode == "zero" else f" rounding<{mode}>"
    text = f"{name} %a, %b {sign}{rounding} : tile<{element}>"
    check(text, element, expected, (element, x), (element, y), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("name", ["shli", "shri signed", "shri unsigned"])
def test_shifts(name, element, target):
    x, y = pairs(element)
    half = len(y) // 2
    y[:half] %= np.array(BITS[element], y.dtype)  # the other half goes beyond the width
    amount = as_numbers(element, y, False) % BITS[element]
    number = as_numbers(element, x, name == "shri signed")
    expected = wrapped(element, number << amount if name == "shli" else number >> amount)
    name, _, sign = name.partition(" ")
    check(f"{name} %a, %b {sign} : tile<{element}>", element, expected, (element, x), (element, y), target=target)


PREDICATES = {"equal": np.equal, "not_equal": np.not_equal, "less_than": np.less, "less_than_or_equal": np.less_equal,
              "greater_than": np.greater, "greater_than_or_equal": np.greater_equal}  # fmt: skip


def ordered_pairs(element, sign):
    operands = [np.concatenate([special, random_bits(element, COUNT, seed=i)]) for i, special in
                enumerate(all_pairs(element))]  # fmt: skip
    return *operands, *(as_numbers(element, bits, sign == "signed") for bits in operands)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("name, choose", [("maxi", np.maximum), ("mini", np.minimum)])
def test_extremes(name, choose, sign, element, target):
    x, y, lhs, rhs = ordered_pairs(element, sign)
    text = f"{name} %a, %b {sign} : tile<{element}>"
    check(text, element, wrapped(element, choose(lhs, rhs)), (element, x), (element, y), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", INTEGERS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons(predicate, sign, element, target):
    x, y, lhs, rhs = ordered_pairs(element, sign)
    text = f"cmpi {predicate} %a, %b, {sign} : tile<{element}> -> tile<i1>"
    check(text, "i1", PREDICATES[predicate](lhs, rhs), (element, x), (element, y), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_widths(sign, target):
    widths = ["i1", "i4", *INTEGERS[1:]]
    for i, narrow in enumerate(widths):
        for wide in widths[i + 1 :]:
            x = random_bits(narrow, 1500)
            text = f"exti %a {sign} : tile<{narrow}> -> tile<{wide}>"
            check(text, wide, wrapped(wide, as_numbers(narrow, x, sign == "signed")), (narrow, x), target=target)
            y = random_bits(wide, 1500)
            text = f"trunci %a : tile<{wide}> -> tile<{narrow}>"
            check(text, narrow, wrapped(narrow, as_numbers(wide, y, False)), (wide, y), target=target)
