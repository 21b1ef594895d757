# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of Tile IR on arrays of bits, in the interpreter or compiled, and exact results to compare them with.

`evaluate` runs one operation over arrays; `Format` knows the numbers of a float type from ml_dtypes and rounds to them
by a search among all of them, which is slow, and plainly right. TILEWRIGHT_NUMERICS=full makes all samples larger.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import re
from contextlib import contextmanager

import ml_dtypes
import numpy as np
import tilewright as ct

FULL = os.environ.get("TILEWRIGHT_NUMERICS") == "full"
ON_GPU = bool(os.environ.get("TILEWRIGHT_TEST_GPU"))
TARGETS = ["nvidia"] if ON_GPU else ["interpreter", "cpu"]
# Functions differ by the width of vectors.
FUNCTION_TARGETS = TARGETS if ON_GPU else [*TARGETS, "cpu:x86-64-v2"]
TILE = 1024

BITS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "tf32": 32, "f32": 32,
        "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8, "fnv8E5M3FNU": 8, "f4E2M1FN": 4}  # fmt: skip
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32, "f64": np.float64,
          "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
          "f8E8M0FNU": ml_dtypes.float8_e8m0fnu, "f4E2M1FN": ml_dtypes.float4_e2m1fn}  # fmt: skip
INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]


def storage(element: str) -> np.dtype:
    """One element, one unsigned integer; four bits and one fill a byte each."""
    return np.dtype(f"u{max(BITS[element] // 8, 1)}")


# ---- running ----------------------------------------------------------------------------------


def _in_memory(element: str) -> tuple[str, int]:
    """A tile of TILE elements in memory: types of four bits are bytes to be unpacked."""
    return ("i8", TILE // 2) if BITS[element] == 4 else (element, TILE)


def _view(name: str, element: str) -> tuple[str, str]:
    memory, count = _in_memory(element)
    tensor = f"tensor_view<?x{memory}, strides=[1]>"
    view = f"partition_view<tile=({count}), {tensor}>"
    return (
        f"  %t{name} = make_tensor_view %p{name}, shape = [%n], strides = [1] : tile<i64> -> {tensor}\n"
        f"  %v{name} = make_partition_view %t{name} : {view}\n"
    ), view


@functools.cache
def _compiled(operation: str, elements: tuple[str, ...], result: str, target: str):
    names = "abc"[: len(elements)]
    parameters = [
        f"%p{name}: tile<ptr<{_in_memory(element)[0]}>>" for name, element in zip(names, elements, strict=True)
    ]
    lines = [f"cuda_tile.module @m {{ entry @main({', '.join(parameters)}, %pr: tile<ptr<{_in_memory(result)[0]}>>, "
             "%n: tile<i64>) {\n  %x, %y, %z = get_tile_block_id : tile<i32>\n"]  # fmt: skip
    for name, element in zip(names, elements, strict=True):
        memory, count = _in_memory(element)
        made, view = _view(name, element)
        loaded = name if memory == element else f"m{name}"
        lines.append(f"{made}  %{loaded}, %l{name} = load_view_tko weak %v{name}[%x] : {view}, tile<i32> -> "
                     f"tile<{count}x{memory}>, token\n")  # fmt: skip
        if memory != element:
            lines.append(f"  %{name} = unpack %m{name} : tile<{count}xi8> -> tile<{TILE}x{element}>\n")
    *before, last = re.sub(r"tile<(\w+)>", rf"tile<{TILE}x\1>", operation).splitlines()
    lines += [f"  {line}\n" for line in [*before, f"%r = {last}"]]
    memory, count = _in_memory(result)
    made, view = _view("r", result)
    if memory != result:
        lines.append(f"  %mr = pack %r : tile<{TILE}x{result}> -> tile<{count}xi8>\n")
    stored = "r" if memory == result else "mr"
    lines.append(f"{made}  %s = store_view_tko weak %{stored}, %vr[%x] : tile<{count}x{memory}>, {view}, tile<i32> -> "
                 "token\n  return\n} }")  # fmt: skip
    return ct.load_module("".join(lines).encode())["main"].compile(target)


def pack_nibbles(codes: np.ndarray) -> np.ndarray:
    return (codes[0::2] | codes[1::2] << 4).astype(np.uint8)


def unpack_nibbles(packed: np.ndarray) -> np.ndarray:
    return np.stack([packed & 15, packed >> 4], axis=1).reshape(-1)


def run(executable, blocks: int, arrays: list[np.ndarray], *numbers: int) -> None:
    """With pointers to the arrays, which a GPU gets copies of."""
    memory = [(f"array {i}", a.ctypes.data, 1, [a.nbytes], [1], True) for i, a in enumerate(arrays)]
    executable.run((blocks, 1, 1), [*(array.ctypes.data for array in arrays), *numbers], arrays=memory)


def evaluate(operation: str, result: str, *operands: tuple[str, np.ndarray], target: str = "interpreter") -> np.ndarray:
    """The bits of `operation` of operands %a, %b, ... given as (element, bits), element by element:
    ``evaluate("negf %a : tile<f16>", "f16", ("f16", bits))``. Types are written without extents. Lines before the last
    one are operations that it needs."""
    size = operands[0][1].size
    blocks = -(-size // TILE)
    arrays = []
    for element, bits in operands:
        padded = np.zeros(blocks * TILE, storage(element))
        padded[:size] = bits.view(storage(element)) if bits.dtype.itemsize == storage(element).itemsize else bits
        arrays.append(pack_nibbles(padded) if BITS[element] == 4 else padded)
    out = np.zeros(blocks * _in_memory(result)[1], storage(_in_memory(result)[0]))
    executable = _compiled(operation, tuple(element for element, _ in operands), result, target)
    run(executable, blocks, [*arrays, out], max(out.size, *(array.size for array in arrays)))
    return (unpack_nibbles(out) if BITS[result] == 4 else out)[:size]


# ---- numbers ----------------------------------------------------------------------------------


def decode(element: str, bits: np.ndarray) -> np.ndarray:
    """The numbers as f64."""
    bits = np.asarray(bits).astype(storage(element))
    with np.errstate(all="ignore"):
        if element == "tf32":
            nan = np.isnan(bits.view(np.float32))
            return np.where(nan, np.nan, (bits & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64))
        if element == "fnv8E5M3FNU":
            exponent, mantissa = (bits >> 3).astype(int), (bits & 7).astype(np.float64)
            number = np.where(exponent == 0, mantissa, mantissa + 8) * 2.0 ** (np.maximum(exponent, 1) - 18)
            return np.where(bits == 0xFF, np.nan, number)
        if element == "f4E2M1FN":
            bits = bits & 15
        return bits.view(DTYPES[element]).astype(np.float64)


class Format:
    """The magnitudes of a type of at most 19 bits in ascending order, by code; and rounding to them."""

    def __init__(self, element: str):
        self.element = element
        self.shift = 13 if element == "tf32" else 0
        width = 19 if element == "tf32" else BITS[element]
        self.is_signed = element not in ("f8E8M0FNU", "fnv8E5M3FNU")
        codes = np.arange(1 << (width - self.is_signed), dtype=np.uint64)
        numbers = decode(element, codes << np.uint64(self.shift))
        self.numbers = numbers[np.isfinite(numbers)]
        self.has_infinity = bool(np.isinf(numbers).any()) and element != "f8E5M2"
        self.sign = np.uint64(1 << (width - 1 + self.shift)) if self.is_signed else np.uint64(0)

    def round(self, x: np.ndarray, mode: str = "nearest_even") -> np.ndarray:
        """The bits of numbers in f64, NaN left out, rounded once."""
        x = np.asarray(x, np.float64)
        negative = np.signbit(x) & self.is_signed
        magnitude = np.abs(x)
        numbers = self.numbers
        below = np.clip(np.searchsorted(numbers, magnitude, "right") - 1, 0, None)
        last = below == len(numbers) - 1
        # One more number follows the largest: reaching it is overflow.
        after = numbers[-1] + (numbers[-1] - numbers[-2] if self.element != "f8E8M0FNU" else numbers[-1])
        lower, upper = numbers[below], np.where(last, after, numbers[np.minimum(below + 1, len(numbers) - 1)])
        exact = magnitude <= lower  # also what lies below the smallest number
        with np.errstate(over="ignore"):
            middle = lower / 2 + upper / 2
        odd = below % 2 == 1
        up = {
            "nearest_even": (magnitude > middle) | ((magnitude == middle) & odd),
            "nearest_away": magnitude >= middle,
            "zero": np.zeros_like(exact),
            "negative_inf": negative,
            "positive_inf": ~negative,
        }[mode] & ~exact
        code = below + up
        if self.has_infinity:
            code = np.where(np.isinf(magnitude), len(numbers), code)
        else:
            code = np.minimum(code, len(numbers) - 1)
        return code.astype(np.uint64) << np.uint64(self.shift) | np.where(negative, self.sign, np.uint64(0))


@functools.cache
def format_of(element: str) -> Format:
    return Format(element)


def assert_same(element: str, found: np.ndarray, expected: np.ndarray, *operands: np.ndarray, nan=None) -> None:
    """The same bits; a NaN is any NaN. `nan` says where one is expected whatever `expected` holds there."""
    found, expected = found.astype(np.uint64), np.asarray(expected).astype(np.uint64)
    if element in DTYPES or element == "fnv8E5M3FNU":
        nan = np.isnan(decode(element, expected)) if nan is None else nan
        wrong = np.where(nan, ~np.isnan(decode(element, found)), found != expected)
        if element == "f4E2M1FN":
            wrong = found != expected
    else:
        wrong = found != expected
    at = np.flatnonzero(wrong)
    if len(at):
        first = at[0]
        of = ", ".join(hex(int(operand[first])) for operand in operands)
        raise AssertionError(
            f"{len(at)} of {len(found)} differ: of ({of}) {found[first]:#x}, expected {expected[first]:#x}"
        )


def check(operation: str, result: str, expected: np.ndarray, *operands: tuple[str, np.ndarray], target: str, nan=None):
    """`operation` gives the expected bits (see `evaluate` and `assert_same`); the comparison is kept for the report."""
    found = evaluate(operation, result, *operands, target=target)
    assert_same(result, found, expected, *(bits for _, bits in operands), nan=nan)
    types = [element for element, _ in operands[:1]] + [result]
    record("exact", name=operation.split()[0], types=types, target=target, inputs=len(found))


def record(section: str, **facts) -> None:
    """Keeps a result for docs/generate_numerics.py in the file that TILEWRIGHT_NUMERICS_RESULTS names."""
    if path := os.environ.get("TILEWRIGHT_NUMERICS_RESULTS"):
        with open(path, "a") as file:
            file.write(json.dumps({"section": section, **facts}) + "\n")


# ---- samples ----------------------------------------------------------------------------------


def random_bits(element: str, count: int, seed: int = 0) -> np.ndarray:
    """Any bits; of floats also many around 1, so that operands meet."""
    random = np.random.default_rng(seed)
    dtype = storage(element)
    if BITS[element] < 8:
        return random.integers(0, 1 << BITS[element], count).astype(np.uint8)
    bits = np.frombuffer(random.bytes(count * dtype.itemsize), dtype).copy()
    if element in FLOATS:
        near = random.normal(size=count // 2).astype(DTYPES[element]).view(dtype)
        bits[: len(near)] = near
        random.shuffle(bits)
    return bits


def specials(element: str) -> np.ndarray:
    """Bits where operations turn: zeros, ends, ones, infinities, NaN, subnormals, both signs."""
    dtype = storage(element)
    if element in INTEGERS:
        width = BITS[element]
        values = {0, 1, 2, 3, 7, width - 1, width, (1 << width) - 1, (1 << width) - 2, 1 << (width - 1),
                  (1 << (width - 1)) - 1, (1 << (width - 1)) + 1}  # fmt: skip
        return np.array(sorted(value & ((1 << width) - 1) for value in values), np.uint64).astype(dtype)
    info = ml_dtypes.finfo(DTYPES[element])
    with np.errstate(all="ignore"):
        numbers = np.array([0, 1, 2, 0.5, 3, 1.5, 1 + float(info.eps), float(info.max), float(info.tiny),
                            float(info.smallest_subnormal), float(info.tiny) - float(info.smallest_subnormal),
                            1 / 3, 2.5, np.inf, np.nan])  # fmt: skip
        numbers = np.concatenate([numbers, -numbers]).astype(DTYPES[element])
    return numbers.view(dtype)


def all_pairs(element: str) -> tuple[np.ndarray, np.ndarray]:
    special = specials(element)
    return tuple(grid.ravel() for grid in np.meshgrid(special, special))


def samples(element: str, count: int, arity: int = 1) -> list[np.ndarray]:
    """Operands: every combination of two special ones, then random ones."""
    if arity == 1:
        return [np.concatenate([specials(element), random_bits(element, count)])]
    pairs = all_pairs(element)
    operands = [np.concatenate([pair, random_bits(element, count, seed=i)]) for i, pair in enumerate(pairs)]
    for i in range(2, arity):
        size = len(operands[0])
        random = np.random.default_rng(i)
        operands.append(np.where(random.random(size) < 0.3, random.choice(specials(element), size),
                                 random_bits(element, size, seed=i)))  # fmt: skip
    return operands


# ---- the processor's rounding modes -----------------------------------------------------------

_libm = ctypes.CDLL("libm.so.6")
_MODES = {"nearest_even": 0, "negative_inf": 0x400, "positive_inf": 0x800, "zero": 0xC00}


@contextmanager
def rounding(mode: str):
    """NumPy's arithmetic, and calls of the C library, by this mode (x86-64)."""
    assert _libm.fesetround(_MODES[mode]) == 0
    try:
        yield
    finally:
        _libm.fesetround(0)


def fused(dtype: type, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The C library's fma, one by one."""
    name, kind = ("fmaf", ctypes.c_float) if dtype is np.float32 else ("fma", ctypes.c_double)
    function = getattr(_libm, name)
    function.restype, function.argtypes = kind, [kind] * 3
    return np.array([function(*map(float, operands)) for operands in zip(x, y, z, strict=True)], dtype)
