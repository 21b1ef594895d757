# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products against exact sums: integers to the bit, floats within (K + 2) eps of the sum of magnitudes."""

from fractions import Fraction

import numpy as np
import pytest
import tilewright as ct
from numerics import BITS, DTYPES, FULL, TARGETS, decode, format_of, pack_nibbles, random_bits, record, run, storage

FLOAT_PRODUCTS = [("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64"),
                  ("f8E4M3FN", "f16"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E5M2", "f32")]  # fmt: skip
SCALED_PRODUCTS = [("f8E4M3FN", "f8E8M0FNU", 32), ("f8E5M2", "f8E8M0FNU", 32), ("f4E2M1FN", "f8E8M0FNU", 32),
                   ("f4E2M1FN", "f8E8M0FNU", 16), ("f4E2M1FN", "f8E4M3FN", 16), ("f4E2M1FN", "fnv8E5M3FNU", 16),
                   ("f4E2M1FN", "fnv8E5M3FNU", 32)]  # fmt: skip
SMALLEST = {"f32": 2.0**-149, "f64": 5e-324}
EPSILON = {"f16": 2.0**-10, "f32": 2.0**-23, "f64": 2.0**-52}


def in_memory(element, shape):
    """Element and shape of the tile that is loaded; four-bit elements are bytes until they are unpacked."""
    return ("i8", (int(np.prod(shape)) // 2,)) if BITS[element] == 4 else (element, tuple(shape))


def tile(element, shape):
    return f"tile<{'x'.join(map(str, (*shape, element)))}>"


def product(operation, flags, operands, target):
    """The bits of the accumulator's type that `operation` of (element, array of bits) gives; the third is the
    accumulator."""
    lines, parameters, arrays = [], [], []

    def view(name, element, shape):
        strides = ", ".join(str(int(np.prod(shape[i + 1 :]))) for i in range(len(shape)))
        tensor = f"tensor_view<{'x'.join(map(str, (*shape, element)))}, strides=[{strides}]>"
        kind = f"partition_view<tile=({'x'.join(map(str, shape))}), {tensor}>"
        parameters.append(f"%p{name}: tile<ptr<{element}>>")
        extents = ", ".join(map(str, shape))
        lines.append(f"  %t{name} = make_tensor_view %p{name}, shape = [{extents}], strides = [{strides}] : {tensor}\n")
        lines.append(f"  %v{name} = make_partition_view %t{name} : {kind}\n")
        return kind, ", ".join(["%zero"] * len(shape))

    for name, (element, bits) in zip("abcde", operands, strict=False):
        memory, shape = in_memory(element, bits.shape)
        kind, at = view(name, memory, shape)
        lines.append(f"  %m{name}, %l{name} = load_view_tko weak %v{name}[{at}] : {kind}, tile<i32> -> "
                     f"{tile(memory, shape)}, token\n")  # fmt: skip
        if memory == element:
            lines[-1] = lines[-1].replace(f"%m{name},", f"%{name},")
        else:
            flat = tile(element, (bits.size,))
            lines.append(f"  %f{name} = unpack %m{name} : {tile(memory, shape)} -> {flat}\n"
                         f"  %{name} = reshape %f{name} : {flat} -> {tile(element, bits.shape)}\n")  # fmt: skip
        arrays.append(pack_nibbles(bits.ravel()) if BITS[element] == 4 else np.ascontiguousarray(bits))
    element, accumulator = operands[2]
    types = ", ".join(tile(element, bits.shape) for element, bits in operands)
    names = ", ".join(f"%{name}" for name in "abcde"[: len(operands)])
    lines.append(f"  %r = {operation} {names} {flags} : {types}\n")
    kind, at = view("r", element, accumulator.shape)
    lines.append(f"  %s = store_view_tko weak %r, %vr[{at}] : {tile(element, accumulator.shape)}, {kind}, tile<i32> -> "
                 "token\n  return\n} }")  # fmt: skip
    text = f"cuda_tile.module @m {{ entry @main({', '.join(parameters)}) {{\n  %zero = constant <i32: 0> : tile<i32>\n"
    out = np.zeros(accumulator.shape, storage(element))
    executable = ct.load_module((text + "".join(lines)).encode())["main"].compile(target)
    run(executable, 1, [*arrays, out])
    return out


def exact_product(lhs, rhs, accumulator):
    """Exact sums and sums of magnitudes, as fractions."""
    to_fractions = np.vectorize(Fraction, otypes=[object])
    a, b, c = (to_fractions(numbers) for numbers in (lhs, rhs, accumulator))
    return a @ b + c, abs(a) @ abs(b) + abs(c)


def bits_of(element, numbers):
    if element in ("f32", "f64"):
        return numbers.astype(DTYPES[element]).view(storage(element))
    return format_of(element).round(numbers).astype(storage(element))


def matrices(element, shape, kind, seed):
    """Bits of numbers: of one size, of all sizes with sums that cancel, or subnormal."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=shape)
    largest = float(format_of(element).numbers[-1]) if element not in ("f32", "f64") else 1e18
    if kind == "cancelling":
        limit = min(np.log2(largest) / 2 - 4, 15)
        numbers *= 2.0 ** random.integers(-limit, limit + 1, shape)
        numbers.reshape(-1)[1::2] = -numbers.reshape(-1)[0::2] * (1 + 2.0**-5 * random.normal(size=numbers.size // 2))
    elif kind == "subnormal":
        smallest = SMALLEST.get(element) or format_of(element).numbers[1]
        numbers = np.round(numbers * 4) * smallest
    return bits_of(element, np.clip(numbers, -largest, largest))


KINDS = ["normal", "cancelling", "subnormal"]
SHAPES = [(16, 32, 16), (4, 64, 8)] if not FULL else [(16, 32, 16), (4, 64, 8), (32, 128, 32), (1, 256, 1), (64, 8, 64)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("element, accumulator", FLOAT_PRODUCTS)
def test_float_products(element, accumulator, kind, target):
    for seed, (m, k, n) in enumerate(SHAPES):
        lhs = matrices(element, (m, k), kind, 3 * seed)
        rhs = matrices(element, (k, n), "normal" if kind == "subnormal" else kind, 3 * seed + 1)
        acc = matrices(accumulator, (m, n), "normal" if kind == "subnormal" else kind, 3 * seed + 2)
        if kind == "subnormal":
            acc[:] = 0
        found = decode(accumulator, product("mmaf", "", [(element, lhs), (element, rhs), (accumulator, acc)], target))
        exact, magnitudes = exact_product(decode(element, lhs), decode(element, rhs), decode(accumulator, acc))
        # Below the normal numbers the unit no longer shrinks; flushing is allowed there.
        smallest = {"f16": 2.0**-14, "f32": 2.0**-126, "f64": 2.0**-1022}[accumulator]
        bound = (k + 2) * Fraction(EPSILON[accumulator]) * magnitudes + Fraction(smallest)
        if target == "interpreter":  # and much closer: sums in double, rounded once
            bound = Fraction(EPSILON[accumulator]) / 2 * abs(exact) + (k + 2) * Fraction(2.0**-52) * magnitudes
            bound += {"f16": Fraction(2.0**-25), "f32": Fraction(2.0**-150), "f64": k * Fraction(2.0**-1074)}[
                accumulator
            ]
        error = abs(np.vectorize(Fraction, otypes=[object])(found) - exact)
        assert (error <= bound).all(), float((error / magnitudes).max())
        record("products", element=element, accumulator=accumulator, kind=kind, target=target,
               part=float((error / bound).max()))  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rhs_sign", ["signed", "unsigned"])
@pytest.mark.parametrize("lhs_sign", ["signed", "unsigned"])
def test_integer_products(lhs_sign, rhs_sign, target):
    for shape in [(16, 64, 16), (1, 256, 2)]:
        m, k, n = shape
        lhs, rhs = random_bits("i8", m * k).reshape(m, k), random_bits("i8", k * n, seed=1).reshape(k, n)
        lhs[0], rhs[:, 0] = 0x80 if lhs_sign == "signed" else 0xFF, 0x80 if rhs_sign == "signed" else 0xFF
        acc = random_bits("i32", m * n, seed=2).reshape(m, n)
        acc[0, 0] = 0x7FFFFFFF
        numbers = [bits.view(np.int8 if sign == "signed" else np.uint8).astype(np.int64)
                   for bits, sign in ((lhs, lhs_sign), (rhs, rhs_sign))]  # fmt: skip
        expected = (numbers[0] @ numbers[1] + acc).astype(np.uint64).astype(np.uint32)
        found = product("mmai", f"{lhs_sign} {rhs_sign}", [("i8", lhs), ("i8", rhs), ("i32", acc)], target)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element, scale, group", SCALED_PRODUCTS)
def test_scaled_products(element, scale, group, target):
    m, k, n = 8, 64, 16
    lhs, rhs = matrices(element, (m, k), "normal", 0), matrices(element, (k, n), "normal", 1)
    acc = matrices("f32", (m, n), "normal", 2)
    random = np.random.default_rng(3)
    factors = [2.0 ** random.integers(-6, 7, shape) for shape in ((m, k // group), (k // group, n))]
    scales = [bits_of(scale, factor) for factor in factors]
    operands = [(element, lhs), (element, rhs), ("f32", acc), (scale, scales[0]), (scale, scales[1])]
    found = decode("f32", product("mmaf_scaled", "", operands, target))
    numbers = [decode(element, lhs) * np.repeat(factors[0], group, axis=1),
               decode(element, rhs) * np.repeat(factors[1], group, axis=0)]  # fmt: skip
    exact, magnitudes = exact_product(*numbers, decode("f32", acc))
    error = abs(np.vectorize(Fraction, otypes=[object])(found) - exact)
    assert (error <= (k + 2) * Fraction(EPSILON["f32"]) * magnitudes).all()


@pytest.mark.parametrize("target", TARGETS)
def test_batches(target):
    lhs, rhs = (np.stack([matrices("f16", shape, "normal", 5 * i + j) for i in range(4)])
                for j, shape in enumerate([(8, 16), (16, 4)]))  # fmt: skip
    acc = np.stack([matrices("f32", (8, 4), "normal", 5 * i + 2) for i in range(4)])
    found = product("mmaf", "", [("f16", lhs), ("f16", rhs), ("f32", acc)], target)
    expected = decode("f16", lhs) @ decode("f16", rhs) + decode("f32", acc)
    np.testing.assert_allclose(decode("f32", found), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_special_numbers_in_products(target):
    """A row with 0 * inf, one with opposite infinities, one with a NaN, one that overflows."""
    rows = np.array([[0, np.inf, 1, 1], [1, 1, np.inf, np.inf], [np.nan, 0, 0, 0], [65504, 65504, 0, 0]])
    lhs = rows.astype(np.float16)
    rhs = np.array([[1], [0], [1], [-1]]).astype(np.float16)
    rhs2 = np.array([[2], [2], [0], [0]]).astype(np.float16)
    both = np.concatenate([rhs, rhs2], axis=1)
    found = product("mmaf", "", [("f16", lhs.view(np.uint16)), ("f16", both.view(np.uint16)),
                                 ("f16", np.zeros((4, 2), np.uint16))], target).view(np.float16)  # fmt: skip
    with np.errstate(all="ignore"):
        expected = (lhs.astype(np.float64) @ both.astype(np.float64)).astype(np.float16)
    expected[1, 0] = np.nan
    np.testing.assert_array_equal(found, expected)
