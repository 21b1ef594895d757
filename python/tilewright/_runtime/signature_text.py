# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures as people write them on the command line: ``float32[:,::1]@16, int32, 128``.

An array is its dtype and one ``:`` per axis; ``::1`` marks an axis whose stride is 1. ``@16`` promises what fresh
arrays of round sizes have: an address and strides that are multiples of 16 bytes, and lengths that are multiples of 16.
``list[...]`` around an array is a list of such arrays. A dtype alone is a number, anything else a Python literal: the
value of a constant parameter.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from tilewright._frontend.signature import ArraySpec, ConstantSpec, ListSpec, Parameter, ScalarSpec, TupleSpec
from tilewright.dtypes import ALL

_DTYPES = {dtype.name: dtype for dtype in ALL}
_LIST = re.compile(r"list\s*\[(.*)\]")
_ARRAY = re.compile(r"(\w+)\s*\[([^\]]*)\]\s*(@16)?")


def _split(text: str) -> list[str]:
    """The parts between commas that stand outside of brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "[(":
            depth += 1
        elif c in "])":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _dtype(name: str) -> Any:
    if name not in _DTYPES:
        raise ValueError(f"unknown dtype {name!r} in the signature, expected one of {', '.join(_DTYPES)}")
    return _DTYPES[name]


def _array(match: re.Match, parameter: Parameter) -> ArraySpec:
    dtype = _dtype(match[1])
    axes = [axis.strip() for axis in match[2].split(",")] if match[2].strip() else []
    for axis in axes:
        if axis not in (":", "::1"):
            raise ValueError(f"axis {axis!r} in the signature, expected : or ::1")
    unit = tuple(axis == "::1" for axis in axes)
    vector = max(1, 128 // dtype.bitwidth)
    aligned = match[3] is not None
    return ArraySpec(
        dtype,
        len(axes),
        index_dtype=parameter.index_dtype,
        static_strides=tuple(1 if u else None for u in unit),
        base_divisible_by=16 if aligned else 1,
        stride_divisible_by=tuple(vector if aligned and not u else 1 for u in unit),
        shape_divisible_by=(16 if aligned else 1,) * len(axes),
    )


def parse_type(text: str, parameter: Parameter) -> Any:
    """The spec of one argument."""
    match = _ARRAY.fullmatch(text)
    if match:
        return _array(match, parameter)
    match = _LIST.fullmatch(text)
    element = _ARRAY.fullmatch(match[1].strip()) if match else None
    if element:
        return ListSpec(_array(element, parameter.element or parameter))
    if not parameter.constant:
        return ScalarSpec(_dtype(text))
    try:
        return ConstantSpec(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        raise ValueError(
            f"parameter {parameter.name!r} is a constant, expected a Python literal, found {text!r}"
        ) from None


def parse_signature(text: str, parameters: tuple[Parameter, ...]) -> tuple:
    """The specs of one specialization."""
    parts = _split(text)
    names = ", ".join(parameter.name for parameter in parameters)
    if len(parts) != len(parameters):
        raise ValueError(f"the signature has {len(parts)} entries, expected {len(parameters)} ({names})")
    return tuple(parse_type(part, parameter) for part, parameter in zip(parts, parameters, strict=False))


def text_of(spec: Any) -> str:
    """The other way: of the spec of one argument."""
    if isinstance(spec, ArraySpec):
        axes = ",".join("::1" if stride == 1 else ":" for stride in spec.static_strides)
        return f"{spec.dtype}[{axes}]{'@16' if spec.base_divisible_by >= 16 else ''}"
    if isinstance(spec, ListSpec):
        return f"list[{text_of(spec.element)}]"
    if isinstance(spec, ScalarSpec):
        return str(spec.dtype)
    if isinstance(spec, ConstantSpec):
        return repr(spec.value)
    items = spec.items if isinstance(spec, TupleSpec) else spec.fields
    return f"({', '.join(map(text_of, items))})"
