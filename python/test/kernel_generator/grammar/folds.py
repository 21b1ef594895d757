# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans: of the language's own functions, and of associative ones. An identity is one of every
element, since it is free how often a fold takes it in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from kernel_generator.dtypes import DType, bfloat16, bool_, int32
from kernel_generator.grammar.writer import Shape, Writer, expression


def exact_terms(w: Writer, dtype: DType, shape: Shape, depth: int) -> str:
    """Operands of sums over elements: floats that are small integers, so that no order rounds. bf16 has integers up to
    256 only."""
    if not dtype.is_float:
        return w.plain(dtype, shape, depth)
    return f"({w.plain(int32, shape, depth)} & {1 if dtype is bfloat16 else 3}).astype(ct.{dtype})"


def numbers_without_sign_of_zero(w: Writer, dtype: DType, shape: Shape, depth: int) -> str:
    elements = w.plain(dtype, shape, depth)
    return f"({elements} + 0.0)" if dtype.is_float else elements


# ---- associative functions ----


@dataclass(frozen=True)
class Step:
    """A function of all left members, then all right ones, as text; texts of the identities; the kinds of elements that
    the function is associative for."""

    function: str
    identities: tuple[str, ...]
    elements: tuple[str, ...]


def _plain_step(w: Writer, dtype: DType) -> Step:
    if w.chance(0.5):
        return Step(w.choose(("lambda a, b: a + b", "lambda x, y: y + x")), ("0",), ("exact",))
    least = "float('-inf')" if dtype.is_float else str(dtype.integer_range[0])
    return Step("lambda a, b: ct.maximum(a, b)", (least,), ("numbers",))


def _last_or_first(w: Writer, dtype: DType) -> Step:
    """Of the elements that are not a constant."""
    constant = "0" if dtype.is_float or not w.literals else w.choose(w.literals)
    if constant != "0" and dtype.bitwidth == 8:
        constant = "0"
    side, other = w.choose((("a", "b"), ("b", "a")))
    return Step(f"lambda a, b: ct.where({side} != {constant}, {side}, {other})", (constant,), ("numbers",))


def _maps(w: Writer, dtype: DType) -> Step | None:
    """x -> m x + c, the left one first."""
    return None if dtype.is_float else Step("lambda m, c, p, q: (m * p, c * p + q)", ("1", "0"), ("any", "any"))


def _matrices(w: Writer, dtype: DType) -> Step | None:
    """Products of matrices of two rows and columns."""
    if dtype.is_float:
        return None
    product = "(a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s)"
    return Step(f"lambda a, b, c, d, p, q, r, s: {product}", ("1", "0", "0", "1"), ("any",) * 4)


def _last_of_the_largest(w: Writer, dtype: DType) -> Step | None:
    if dtype.is_float:
        return None
    least = str(dtype.integer_range[0])
    return Step("lambda k, v, l, w: (ct.maximum(k, l), ct.where(l >= k, w, v))", (least, "0"), ("any", "any"))


def _segments(w: Writer, dtype: DType) -> Step | None:
    """Sums that restart where the first number is odd."""
    if dtype.is_float:
        return None
    return Step("lambda f, v, g, w: (f | g, ct.where((g & 1) != 0, w, v + w))", ("0", "0"), ("any", "any"))


def _of_pairs(w: Writer, dtype: DType) -> Step | None:
    if dtype.is_float:
        return None
    return Step("lambda a, b, c, d: (ct.maximum(a, c), b ^ d)", (str(dtype.integer_range[0]), "0"), ("any", "any"))


_Maker = Callable[[Writer, DType], Step | None]
_IN_ANY_ORDER: tuple[_Maker, ...] = (_plain_step, _of_pairs)
_IN_ORDER: tuple[_Maker, ...] = (_last_or_first, _maps, _matrices, _last_of_the_largest, _segments)


def _element(w: Writer, kind: str, dtype: DType, shape: Shape, depth: int) -> str:
    if kind == "exact":
        return exact_terms(w, dtype, shape, depth)
    return numbers_without_sign_of_zero(w, dtype, shape, depth)


def fold(w: Writer, name: str, dtype: DType, source: Shape, axis: int, options: str, depth: int) -> str | None:
    """`reduce` or `scan` by one of the steps; of several results one. Only a scan keeps the order of the elements."""
    step = w.choose(_IN_ORDER if name == "scan" and w.chance(0.7) else _IN_ANY_ORDER)(w, dtype)
    if step is None:
        return None
    elements = [_element(w, kind, dtype, source, depth if len(step.elements) < 3 else 0) for kind in step.elements]
    function = step.function
    if w.chance(0.3) and not w.reads_literal(function):
        # Before the kernel: an expression may stand in a condition, where no statement can come before it.
        function = w.name("step")
        parameters, result = step.function.removeprefix("lambda ").split(": ", 1)
        w.helpers += [f"def {function}({parameters}):", f"    return {result}", "", ""]
    if len(elements) == 1:
        return f"ct.{name}({elements[0]}, {axis}, {function}, {step.identities[0]}{options})"
    place = w.random.randrange(len(elements))
    return (f"ct.{name}(({', '.join(elements)}), {axis}, {function}, ({', '.join(step.identities)}){options})"
            f"[{place}]")  # fmt: skip


# ---- expressions ----


def position_of_extreme(w: Writer, source: Shape, axis: int, depth: int) -> str:
    kind = w.choose([t for t in w.dtypes if t is not bool_])
    elements = w.plain(kind, source, depth)
    if w.chance(0.5):  # with ties
        elements = f"({elements} & 1)" if not kind.is_float else f"ct.minimum(ct.maximum({elements}, -1.0), 1.0)"
    nan = ", propagate_nan=True" if kind.is_float and w.chance(0.5) else ""
    name = w.choose(("argmax", "argmin"))
    return f"ct.{name}({elements}, {axis}{nan})"


@expression(7)
def reduction(w, dtype, shape, depth):
    if dtype is bool_ or len(shape) >= 3:
        return None
    axis = w.random.randrange(len(shape) + 1)
    extent = w.choose((2, 4, 8, 16, 64, 128))
    if math.prod(shape) * extent > 512:
        return None
    source = (*shape[:axis], extent, *shape[axis:])
    name = w.choose(("sum", "max", "min", "prod", "arg", "reduce", "reduce"))
    if name in ("max", "min"):
        nan = ", propagate_nan=True" if dtype.is_float and w.chance(0.5) else ""
        return f"ct.{name}({numbers_without_sign_of_zero(w, dtype, source, depth)}, {axis}{nan})"
    if name == "arg":
        return position_of_extreme(w, source, axis, depth) if dtype is int32 else None
    if name == "prod" and dtype.is_float:
        return None
    if name == "reduce":
        keep = w.chance(0.2)
        text = fold(w, "reduce", dtype, source, axis, ", keepdims=True" if keep else "", depth)
        return f"{text}.reshape({shape})" if keep and text else text
    terms = exact_terms(w, dtype, source, depth)
    if w.chance(0.3):
        return f"ct.{name}({terms}, axis={axis}, keepdims=True).reshape({shape})"
    return f"ct.{name}({terms}, axis={axis})"


@expression(5)
def scan(w, dtype, shape, depth):
    if dtype is bool_ or not shape:
        return None
    axis = w.random.randrange(len(shape))
    reverse = w.choose(("", ", reverse=True"))
    if w.chance(0.6):
        return fold(w, "scan", dtype, shape, axis, reverse, depth)
    if not dtype.is_float and w.chance(0.3):
        return f"ct.cumprod({w.plain(dtype, shape, depth)}, axis={axis}{reverse})"
    return f"ct.cumsum({exact_terms(w, dtype, shape, depth)}, axis={axis}{reverse})"
