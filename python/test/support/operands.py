# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values of operands, as bits, one unsigned integer for each element (two of f4E2M1FN in a byte)."""

from __future__ import annotations

import numpy as np
from numerics import BITS, format_of, pack_nibbles, random_bits, samples, storage

from .question import FLOATS, INTEGERS


def encode(element: str, numbers) -> np.ndarray:
    """The bits of numbers that the type has."""
    numbers = np.asarray(numbers)
    if element in FLOATS:
        if element == "bf16":
            return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return numbers.astype({"f16": "f2", "f32": "f4", "f64": "f8"}[element]).view(storage(element))
    if element == "ptr" or element.startswith("i"):
        width = BITS.get(element, 64)
        return (numbers.astype(np.int64).view(np.uint64) & np.uint64((1 << width) - 1)).astype(storage_of(element))
    return format_of(element).round(numbers.astype(np.float64)).astype(storage(element))


def storage_of(element: str) -> np.dtype:
    return np.dtype(np.uint64) if element == "ptr" else storage(element)


SIGNALING = {"f16": 0x7C01, "bf16": 0x7F81, "f32": 0x7F800001, "f64": 0x7FF0000000000001}


def any_bits(element: str, count: int, position: int) -> np.ndarray:
    """Special numbers with special ones, then any; where only few fit, some of all that. A signaling NaN is there."""
    if element not in (*INTEGERS, *FLOATS):
        return random_bits("i64" if element == "ptr" else element, count, seed=position)
    bits = samples(element, 1024, 3)[position % 3].astype(storage(element))
    if count < 1024:
        bits = bits[np.random.default_rng(7).permutation(len(bits))]
    bits = np.resize(bits, count)
    if element in FLOATS and count > 5:
        bits[4 + position % 2] = SIGNALING[element]
    return bits


def small(element: str, count: int, position: int) -> np.ndarray:
    """Small integers, so that no sum and no product is rounded; of a type without them powers of two."""
    random = np.random.default_rng(position)
    if element == "f8E8M0FNU":
        return encode(element, 2.0 ** random.integers(-1, 2, count))
    low, high = (0, 2) if element in ("i1", "fnv8E5M3FNU") else (-2, 3)
    return encode(element, random.integers(low, high, count))


def counted(element: str, count: int, position: int) -> np.ndarray:
    """Multiples of 16 up to what fits, which promises are about."""
    return encode(element, np.arange(count) % 4 * 16 if BITS.get(element, 64) >= 8 else np.zeros(count))


def no_overflow(element: str, count: int, position: int) -> np.ndarray:
    """Whose sum, difference (of the first less the second) and product overflow neither signed nor unsigned."""
    width = BITS[element]
    if width <= 4:
        return np.zeros(count, storage(element))
    top = 1 << (width // 2 - 1)
    return encode(element, np.random.default_rng(position).integers(*((top // 2, top), (0, top // 2))[position], count))


def no_shift_out(element: str, count: int, position: int) -> np.ndarray:
    """A number, and by how much it is shifted to the left."""
    half = BITS[element] // 2
    top = (1 << max(half - 1, 0), max(half, 1))[position]
    return encode(element, np.random.default_rng(position).integers(0, top, count))


KINDS = {kind.__name__: kind for kind in (small, counted, no_overflow, no_shift_out)} | {"any": any_bits}


def bits_for(values, element: str, count: int, position: int) -> np.ndarray:
    """`values` is the name of a kind, or the numbers, repeated."""
    if isinstance(values, str):
        bits = KINDS[values](element, count, position)
    else:
        bits = encode(element, np.resize(np.array(values), count))
    return pack_nibbles(bits) if element == "f4E2M1FN" else bits
