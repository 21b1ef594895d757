# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program is one Python file: a kernel named `kernel`, GRID, and ARGUMENTS, each a description:

("array", "float32", (4, 16), "any")     contents: zero, small (integers from -4 to 4), any (with extremes), ...
("result", "int32", (2, 16), 0)          starts as zeros; is compared, floats may be that many numbers apart
("scalar", 5), ("constant", 5)           a number; the second for a parameter that is known while compiling
("tuple", [...]), ("list", [...])        of arguments
"""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from kernel_generator import arrays, dtypes, language, tiles


@dataclass(frozen=True)
class Program:
    name: str
    source: str

    @functools.cached_property
    def _constants(self) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for line in self.source.splitlines():
            if line.startswith(("GRID = ", "ARGUMENTS = ")):
                exec(line, names)
        return names

    @property
    def grid(self) -> tuple[int, ...]:
        return self._constants["GRID"]

    @property
    def descriptions(self) -> list[tuple]:
        return self._constants["ARGUMENTS"]

    def arguments(self) -> list[Any]:
        """New arrays with the contents that the descriptions say."""
        return [self._make(d, (i,)) for i, d in enumerate(self.descriptions)]

    def _make(self, description: tuple, place: tuple[int, ...]) -> Any:
        kind, *rest = description
        if kind in ("scalar", "constant"):
            return rest[0]
        if kind in ("tuple", "list"):
            parts = [self._make(d, (*place, i)) for i, d in enumerate(rest[0])]
            return tuple(parts) if kind == "tuple" else parts
        dtype, shape, contents = rest
        if kind == "result":
            return np.zeros(shape, dtypes.BY_NAME[dtype].numpy)
        return fill(np.random.default_rng([len(shape), *place]), dtypes.BY_NAME[dtype], shape, contents)

    def results(self, arguments: list[Any]) -> list[tuple[str, np.ndarray, int]]:
        """(name, array, numbers that it may be off) of the arrays that are compared."""
        return [
            (f"argument {i}", argument, description[3])
            for i, (description, argument) in enumerate(zip(self.descriptions, arguments, strict=True))
            if description[0] == "result"
        ]

    def compiled(self) -> Callable:
        """The kernel, for the compiler."""
        return self._load({})["kernel"]

    def _load(self, names: dict[str, Any]) -> dict[str, Any]:
        filename = f"<{self.name}>"
        linecache.cache[filename] = (len(self.source), None, self.source.splitlines(True), filename)
        names["__name__"] = __name__  # of a module that there is: dataclasses look for it
        exec(compile(self.source, filename, "exec"), names)
        return names

    def evaluate(self, arguments: list[Any]) -> None:
        """Change `arguments` as the launch does, with NumPy."""
        grid = (*self.grid, 1, 1)[:3]
        for z, y, x in np.ndindex(grid[::-1]):
            of_block = language.module((x, y, z), grid)
            names = self._load({"__builtins__": language.built_ins(of_block)})
            function = names["kernel"].function
            function(*map(as_parameter, self.descriptions, arguments))


def as_parameter(description: tuple, argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return arrays.Array(argument)
    if isinstance(argument, (tuple, list)):
        return tuple(map(as_parameter, description[1], argument))
    return argument if description[0] == "constant" else tiles.as_tile(argument)


_EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, float("inf"), float("-inf"), float("nan"), 1e-7, 65504.0, -448.0, 1.5)


def fill(random: np.random.Generator, dtype: dtypes.DType, shape: tuple[int, ...], contents: str) -> np.ndarray:
    count = int(np.prod(shape))
    if contents == "zero":
        return np.zeros(shape, dtype.numpy)
    if dtype is dtypes.bool_:
        return random.integers(0, 2, count).astype(bool).reshape(shape)
    if contents == "scales":  # of float8_e8m0fnu: from a half to four
        return random.integers(126, 130, count).astype(dtype.numpy).reshape(shape)
    if contents == "indices":
        return random.integers(-2, 20, count).astype(dtype.numpy).reshape(shape)
    if contents == "small":
        low = 0 if dtype.integer_range[0] == 0 and not dtype.is_float else -4
        return random.integers(low, 5, count).astype(dtype.numpy).reshape(shape)
    if dtype.is_integral:
        low, high = dtype.integer_range
        values = random.integers(low, high, count, dtype.numpy, endpoint=True)
        edges = np.array([0, 1, low, high], dtype.numpy)
    else:
        spread = np.exp2(random.integers(-8, 9, count)) * random.standard_normal(count)
        values = dtypes.from_double(spread, dtype)
        edges = dtypes.from_double(np.array(_EDGES), dtype)
    at_edge = random.random(count) < 0.15
    return np.where(at_edge, edges[random.integers(0, len(edges), count)], values).astype(dtype.numpy).reshape(shape)


def difference(name: str, expected: np.ndarray, found: np.ndarray, apart: int) -> str | None:
    """The first element that differs by more than `apart` numbers of its type, or None. NaN is NaN, and -0 is not 0."""
    bits = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}[expected.dtype.itemsize]
    same = expected.view(bits) == found.view(bits)
    if expected.dtype.kind == "f" or expected.dtype.name in ml_dtypes.__dict__:
        same |= np.isnan(expected) & np.isnan(found)
        if apart:
            ordered = [v.view(bits).astype(np.int64) for v in (expected, found)]
            lowest = int(np.iinfo(bits).min)
            ordered = [np.where(v < 0, lowest - v, v) for v in ordered]
            same |= np.abs(ordered[0] - ordered[1]) <= apart
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    count = int((~same).sum())
    return f"{name}{list(at)}: {expected[at]!r} by NumPy, {found[at]!r} compiled ({count} of {same.size} differ)"
