# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The language that a program imports while NumPy evaluates it. Control flow, functions, closures and tuples are
Python's own; a few built-ins give tiles where tile code has them."""

from __future__ import annotations

import builtins
import functools
from types import SimpleNamespace

import numpy as np

from kernel_generator import arrays, dtypes, tiles
from kernel_generator.dtypes import bool_, float32, float64, int32
from kernel_generator.tiles import Tile, as_tile, scalar


class Range:
    """`range` of tile code: the counter is a value of the running kernel, as wide as its bounds."""

    def __init__(self, *bounds):
        known = [b.dtype for b in bounds if isinstance(b, Tile)]
        self.dtype = functools.reduce(dtypes.promote, known) if known else int32
        self.numbers = range(*map(int, bounds))

    def __iter__(self):
        return (scalar(i, self.dtype) for i in self.numbers)


def static_iter(iterable):
    return iterable.numbers if isinstance(iterable, Range) else iterable


class Kernel:
    def __init__(self, function):
        self.function = function


def kernel(function=None, /, **hints):
    return Kernel if function is None else Kernel(function)


class Constant:
    def __class_getitem__(cls, item):
        return cls


class Enumeration:
    """Members of an enumeration are their names."""

    def __getattr__(self, name: str) -> str:
        return name


# ---- factories and shapes ----


def arange(size, /, *, dtype, start=0, step=1):
    start, step = (scalar(v, dtype).values for v in (start, step))
    with np.errstate(all="ignore"):
        return Tile((start + np.arange(size).astype(dtype.numpy) * step).astype(dtype.numpy), dtype)


def full(shape, fill_value, dtype):
    return Tile(np.full(shape, scalar(fill_value, dtype).values), dtype)


def cat(pair, /, axis):
    return Tile(np.concatenate([t.values for t in pair], axis), pair[0].dtype)


def broadcast_to(x, /, shape):
    return Tile(np.broadcast_to(x.values, shape), x.dtype)


def expand_dims(x, /, axis):
    return Tile(np.expand_dims(x.values, axis), x.dtype)


def pack_to_bytes(x, /):
    return Tile(np.ascontiguousarray(x.values).reshape(-1).view(np.uint8), dtypes.uint8)


def unpack_from_bytes(x, /, dtype):
    return Tile(x.values.view(dtype.numpy), dtype)


def bitcast(x, /, dtype):
    return Tile(np.ascontiguousarray(x.values).view(dtype.numpy).reshape(x.shape), dtype)


# ---- functions ----


def _exact(function):
    def evaluate(x, **_):
        with np.errstate(all="ignore"):
            return Tile(np.asarray(function(x.values)).astype(x.dtype.numpy), x.dtype)

    return evaluate


def _approximate(function):
    """In f64, rounded once; uses of the result allow for the difference."""

    def evaluate(x, **_):
        dtype = x.dtype if x.dtype.is_float else float32
        with np.errstate(all="ignore"):
            values = np.asarray(function(x.astype(dtype).values.astype(np.float64)))
            return Tile(dtypes.from_double(values, dtype), dtype)

    return evaluate


def isnan(x):
    return Tile(np.asarray(np.isnan(x.values)), bool_)


def _extreme(largest: bool):
    def evaluate(x, y, /, *, propagate_nan=False):
        return tiles.extreme_of_two(x, y, largest, propagate_nan)

    return evaluate


def _builtin_extreme(largest: bool):
    def evaluate(x, y):
        if tiles.is_number(x) and tiles.is_number(y):
            return (max if largest else min)(x, y)
        return tiles.extreme_of_two(x, y, largest)

    return evaluate


def assert_(condition, /, message=None):
    assert as_tile(condition).values.all()


# ---- products ----


def mma(x, y, /, acc):
    """In f64 or modulo 2^32: programs keep products of floats small integers, so that every order gives the same."""
    if acc.dtype is int32:
        wide = x.values.astype(np.int64) @ y.values.astype(np.int64) + acc.values
        return Tile(wide.astype(np.int32), int32)
    wide = x.values.astype(np.float64) @ y.values.astype(np.float64) + acc.values.astype(np.float64)
    return Tile(dtypes.from_double(wide, acc.dtype), acc.dtype)


def mma_scaled(x, x_scale, y, y_scale, /, acc):
    """In f64, exact for what programs multiply."""
    left, right = (Tile(v.values.astype(np.float64), float64) for v in (x, y))
    left.values *= _repeated(x_scale, x.shape[-1], -1)
    right.values *= _repeated(y_scale, y.shape[-2], -2)
    return mma(left, right, acc)


def _repeated(scale: Tile, extent: int, axis: int) -> np.ndarray:
    return np.repeat(scale.values.astype(np.float64), extent // scale.shape[axis], axis)


def matmul(x, y, /):
    dtype = tiles.common_dtype(x, y)
    if dtype is int32:
        return Tile((x.values.astype(np.int64) @ y.values.astype(np.int64)).astype(np.int32), int32)
    wide = x.values.astype(np.float64) @ y.values.astype(np.float64)
    return Tile(dtypes.from_double(wide, dtype), dtype)


Tile.__matmul__ = matmul

# ---- reductions and scans ----


def _fold(step, x: Tile, axis: int, keepdims: bool) -> Tile:
    parts = [Tile(part, x.dtype) for part in np.moveaxis(x.values, axis, 0)]
    result = functools.reduce(step, parts)
    return Tile(np.expand_dims(result.values, axis), x.dtype) if keepdims else result


def _arithmetic(x: Tile) -> Tile:
    return x.astype(int32) if x.dtype is bool_ else x


def _axes(x: Tile, axis) -> list[int]:
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return sorted((a % x.ndim for a in axes), reverse=True)


def _reduction(step):
    def evaluate(x, /, axis=None, *, keepdims=False):
        result = _arithmetic(x)
        for position in _axes(x, axis):
            result = _fold(step, result, position, keepdims)
        return result

    return evaluate


def _reduction_of_extremes(largest: bool):
    def evaluate(x, /, axis=None, *, keepdims=False, propagate_nan=False):
        step = functools.partial(tiles.extreme_of_two, largest=largest, propagate_nan=propagate_nan)
        return _reduction(step)(x, axis, keepdims=keepdims)

    return evaluate


def _position_of_extreme(largest: bool):
    """Of the first one; NaN counts where it is asked for, or where there is nothing else."""

    def evaluate(x, /, axis=None, *, keepdims=False, propagate_nan=False):
        x = _arithmetic(x)
        values, nan = x.values, np.zeros(x.shape, bool)
        if x.dtype.is_float:
            values, nan = x.values.astype(np.float64), np.isnan(x.values)
            worst = -np.inf if largest == (not propagate_nan) else np.inf
            values = np.where(nan, worst, values)
        best = (np.max if largest else np.min)(values, axis, keepdims=True)
        candidates = values == best
        if propagate_nan:
            candidates = np.where(nan.any(axis, keepdims=True), nan, candidates)
        else:
            candidates = np.where(nan.all(axis, keepdims=True), nan, candidates & ~nan)
        positions = np.asarray(np.argmax(candidates, axis))
        if keepdims:
            positions = np.expand_dims(positions, axis)
        return Tile(positions.astype(np.int32), int32)

    return evaluate


def _parts(x, axis: int) -> list[tuple[Tile, ...]]:
    """The elements along an axis, one of each tile."""
    tiles_of = x if isinstance(x, tuple) else (x,)
    return list(zip(*([Tile(p, t.dtype) for p in np.moveaxis(t.values, axis, 0)] for t in tiles_of), strict=True))


def _prefixes(x, axis: int, func, reverse: bool) -> list[tuple[Tile, ...]]:
    """The results of the elements up to each."""
    parts = _parts(x, axis)
    if reverse:
        parts.reverse()
    for i in range(1, len(parts)):
        result = func(*parts[i - 1], *parts[i])
        result = result if isinstance(x, tuple) else (result,)
        # A product of one step is no operand of a sum in the next one.
        parts[i] = tuple(Tile(t.astype(p.dtype).values, p.dtype) for t, p in zip(result, parts[i], strict=True))
    if reverse:
        parts.reverse()
    return parts


def reduce(x, /, axis, func, identity, *, keepdims=False):
    results = _prefixes(x, axis, func, reverse=False)[-1]
    if keepdims:
        results = tuple(Tile(np.expand_dims(t.values, axis), t.dtype) for t in results)
    return results if isinstance(x, tuple) else results[0]


def scan(x, /, axis, func, identity, *, reverse=False):
    prefixes = _prefixes(x, axis, func, reverse)
    results = tuple(Tile(np.stack([t.values for t in of_one], axis), of_one[0].dtype)
                    for of_one in zip(*prefixes, strict=True))  # fmt: skip
    return results if isinstance(x, tuple) else results[0]


def _scan_with(step):
    def evaluate(x, /, axis=0, *, reverse=False):
        return scan(_arithmetic(x), axis, step, None, reverse=reverse)

    return evaluate


def _add_products_apart(x, y):
    return tiles.add(Tile(x.values, x.dtype), Tile(y.values, y.dtype))


def module(block: tuple[int, int, int], grid: tuple[int, int, int]) -> SimpleNamespace:
    """The language inside of one block of a grid."""
    elementwise = {
        "add": tiles.rounded("add"), "sub": tiles.rounded("sub"), "mul": tiles.rounded("mul"), "truediv": tiles.divide,
        "floordiv": tiles.floor_divide, "cdiv": tiles.ceil_divide, "mod": tiles.modulo,
        "bitwise_and": tiles.BINARY["and"], "bitwise_or": tiles.BINARY["or"], "bitwise_xor": tiles.BINARY["xor"],
        "bitwise_lshift": tiles.BINARY["lshift"], "bitwise_rshift": tiles.BINARY["rshift"],
        "bitwise_not": tiles.invert, "negative": tiles.negative, "abs": tiles.absolute, "where": tiles.where,
        "greater": tiles.COMPARISONS["gt"], "greater_equal": tiles.COMPARISONS["ge"], "less": tiles.COMPARISONS["lt"],
        "less_equal": tiles.COMPARISONS["le"], "equal": tiles.COMPARISONS["eq"], "not_equal": tiles.COMPARISONS["ne"],
        "minimum": _extreme(False), "maximum": _extreme(True), "isnan": isnan,
        "sqrt": _exact(np.sqrt), "floor": _exact(np.floor), "ceil": _exact(np.ceil),
        "exp": _approximate(np.exp), "exp2": _approximate(np.exp2), "log": _approximate(np.log),
        "log2": _approximate(np.log2), "sin": _approximate(np.sin), "cos": _approximate(np.cos),
        "tanh": _approximate(np.tanh), "tan": _approximate(np.tan), "sinh": _approximate(np.sinh),
        "cosh": _approximate(np.cosh), "rsqrt": _approximate(lambda v: 1 / np.sqrt(v)),
    }  # fmt: skip
    folds = {
        "sum": _reduction(_add_products_apart), "prod": _reduction(tiles._plain_multiply),
        "max": _reduction_of_extremes(True), "min": _reduction_of_extremes(False),
        "argmax": _position_of_extreme(True), "argmin": _position_of_extreme(False),
        "cumsum": _scan_with(_add_products_apart), "cumprod": _scan_with(tiles._plain_multiply),
        "reduce": reduce, "scan": scan,
    }  # fmt: skip
    shapes = {
        "arange": arange, "full": full, "cat": cat, "broadcast_to": broadcast_to, "expand_dims": expand_dims,
        "ones": lambda shape, dtype: full(shape, 1, dtype), "zeros": lambda shape, dtype: full(shape, 0, dtype),
        "astile": lambda value, /, *, dtype: Tile(np.array(value).astype(dtype.numpy), dtype), "bitcast": bitcast,
        "pack_to_bytes": pack_to_bytes, "unpack_from_bytes": unpack_from_bytes,
        "reshape": lambda x, shape: x.reshape(shape), "permute": lambda x, axes: x.permute(axes),
        "transpose": lambda x, a=None, b=None: x.transpose(a, b),
        "astype": lambda x, dtype, **mode: x.astype(dtype, **mode),
        "extract": lambda x, index, shape: x.extract(index, shape),
        "insert": lambda x, index, value: x.insert(index, value),
    }  # fmt: skip
    memory = {
        "load": arrays.load, "store": arrays.store, "num_tiles": arrays.num_tiles, "gather": arrays.gather,
        "scatter": arrays.scatter, **arrays.ATOMICS, "bid": lambda axis: scalar(block[axis], int32),
        "num_blocks": lambda axis: scalar(grid[axis], int32), "assume_divisible_by": lambda x, divisor: x,
    }  # fmt: skip
    meta = {
        "kernel": kernel, "function": lambda *a, **k: a[0] if a else (lambda f: f), "Constant": Constant,
        "static_iter": static_iter, "static_eval": lambda value: value, "static_assert": lambda *_: None,
        "ensure_constant": lambda value: value, "PaddingMode": Enumeration(), "RoundingMode": Enumeration(),
        "MemoryOrder": Enumeration(), "MemoryScope": Enumeration(), "mma": mma, "matmul": matmul,
        "mma_scaled": mma_scaled, "assert_": assert_, "print": lambda *_, **__: None,
    }  # fmt: skip
    return SimpleNamespace(**dtypes.BY_NAME, **elementwise, **folds, **shapes, **memory, **meta)


def built_ins(of_language: SimpleNamespace) -> dict:
    """Python's own, but for those that tile code has on tiles, and an import that gives the language."""

    def importing(name, *rest):
        return of_language if name == "tilewright" else builtins.__import__(name, *rest)

    return {
        **vars(builtins),
        "__import__": importing,
        "range": Range,
        "print": lambda *_, **__: None,
        "divmod": lambda x, y: (x // y, x % y),
        "min": _builtin_extreme(False),
        "max": _builtin_extreme(True),
        "float": lambda x: scalar(x, float32) if isinstance(x, Tile) else float(x),
        "bool": lambda x: as_tile(x).astype(bool_) if isinstance(x, Tile) else bool(x),
    }
