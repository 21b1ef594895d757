# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are described, not made: the words of --arg for a kernel in Python as arguments, and the values that a
launch would pass to the compiled entry."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilewright import _native
from tilewright._frontend.signature import (
    ArraySpec,
    CompiledModule,
    ConstantSpec,
    Parameter,
    ScalarSpec,
    Signature,
)
from tilewright.dtypes import ALL, DType

_ALIGNMENT = 256
"""Of arrays, as allocators of GPUs give them."""


@dataclass(frozen=True)
class Facts:
    """Arguments as a launch takes them, the numbers of those that are not known, and the specs of the signature or
    those of the arguments. Arrays have no memory to be read."""

    arguments: tuple[Any, ...]
    unknown: frozenset[int]
    specs: tuple


def read_facts(kernel: Any, texts: list[str], specs: tuple | None) -> Facts:
    """An argument for each word. `specs` are those of --signature, if there is one. ValueError names the argument."""
    from tilewright._runtime.dispatch import launcher_of

    parameters = kernel.parameters
    if len(texts) != len(parameters):
        names = ", ".join(parameter.name for parameter in parameters)
        raise ValueError(f"found {len(texts)} --arg, expected {len(parameters)}, one for each of {names}")
    arguments, unknown = [], set()
    for number, (text, parameter) in enumerate(zip(texts, parameters, strict=True)):
        try:
            arguments.append(_read(text, parameter, specs[number] if specs else None))
        except ValueError as error:
            raise ValueError(f"--arg {text} for '{parameter.name}': {error}") from None
        if text in ("-", "ptr"):
            unknown.add(number)
    try:
        return Facts(tuple(arguments), frozenset(unknown), specs or launcher_of(kernel).specs(tuple(arguments)))
    except TypeError as error:
        raise ValueError(error) from None


def entry_values(kernel: Any, compiled: CompiledModule, facts: Facts) -> list[int | None]:
    """The values of the parameters of the entry; None for those that are not known."""
    from tilewright._runtime.dispatch import launcher_of

    values: list[int | None] = list(launcher_of(kernel).values(facts.arguments, compiled.parameters))
    for number, parameter in enumerate(compiled.parameters):
        if parameter.kind == "pointer":
            values[number] = _native.address_of_parameter(number)
        elif parameter.argument[0] in facts.unknown:
            values[number] = None
    return values


def compile_facts(kernel: Any, specs: tuple) -> CompiledModule:
    from tilewright._frontend.compile import compile_to_module

    return compile_to_module(kernel, Signature(specs))


def _read(text: str, parameter: Parameter, spec: Any) -> Any:
    if isinstance(spec, ConstantSpec):
        return spec.value
    if parameter.constant:
        return _constant(text)
    fact = _native.parse_launch_argument(text)
    if isinstance(spec, ArraySpec):
        return _array_of(fact, spec)
    if isinstance(spec, ScalarSpec):
        return _number_of(fact, spec)
    if spec is not None:
        raise ValueError("lists and tuples cannot be described")
    if fact.kind == "array" and fact.element:
        dtype = _dtype(fact.element)
        return _array(dtype, fact.shape, fact.strides)
    if fact.kind == "number":
        return _number(text)
    raise ValueError("expected a number, or a dtype and a shape as in float32:4096x4096, since there is no --signature")


def _constant(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError("the parameter is a constant, expected a Python literal") from None


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text, 0)
    except ValueError:
        return float(text)


def _number_of(fact: Any, spec: ScalarSpec) -> Any:
    is_float = spec.dtype.name.startswith(("float", "bfloat", "tfloat"))
    if fact.kind == "unknown":
        return 0.0 if is_float else 0
    if fact.kind != "number" or (fact.integer is None and not is_float):
        raise ValueError(f"expected a number of {spec.dtype}, or - where it is not known")
    return float(_number(fact.text)) if is_float else fact.integer


def _array_of(fact: Any, spec: ArraySpec) -> np.ndarray:
    """Its strides are those that the signature asks for: the axis of stride 1 is innermost."""
    if fact.kind in ("unknown", "pointer"):
        shape = [1] * spec.ndim
    elif not fact.shape:
        raise ValueError("expected a shape as in 4096x4096, or ptr for any address")
    elif fact.element and _dtype(fact.element) != spec.dtype:
        raise ValueError(f"found an array of {fact.element}, expected {spec.dtype} as in the signature")
    else:
        shape = list(fact.shape)
    if len(shape) != spec.ndim:
        raise ValueError(f"found {len(shape)} extents, expected {spec.ndim} as in the signature")
    order = sorted(range(spec.ndim), key=lambda axis: (spec.static_strides[axis] == 1, axis))
    strides = [0] * spec.ndim
    for position, axis in enumerate(order):
        strides[axis] = math.prod(shape[inner] for inner in order[position + 1 :])
    return _array(spec.dtype, shape, strides)


def _dtype(name: str) -> DType:
    found = [dtype for dtype in ALL if name in (dtype.name, dtype.ir_name)]
    if not found:
        raise ValueError(f"unknown dtype {name!r}, expected one of {', '.join(dtype.name for dtype in ALL)}")
    return found[0]


def _array(dtype: DType, shape: list[int], strides: list[int]) -> np.ndarray:
    """`strides` are in elements."""
    item = _numpy_dtype(dtype)
    memory = np.empty(2 * _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    first = memory[start : start + item.itemsize].view(item)
    return np.lib.stride_tricks.as_strided(first, shape, [stride * item.itemsize for stride in strides])


def _numpy_dtype(dtype: DType) -> np.dtype:
    name = dtype.name.rstrip("_")
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    except (ImportError, AttributeError):
        raise ValueError(f"arrays of {name} cannot be described: NumPy and ml_dtypes have no such dtype") from None
