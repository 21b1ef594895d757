# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel parameters from the annotations of the Python function."""

from __future__ import annotations

import inspect
import typing
from types import FunctionType
from typing import Any

from tilewright._frontend.signature import Parameter
from tilewright.annotations import ArrayAnnotation, ConstantAnnotation, ListAnnotation, ScalarAnnotation
from tilewright.errors import TileTypeError

_KINDS = (ArrayAnnotation, ConstantAnnotation, ListAnnotation, ScalarAnnotation)


def read_parameters(function: FunctionType) -> tuple[Parameter, ...]:
    parameters = []
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise TileTypeError(f"{function.__qualname__}: a kernel has a fixed list of parameters, found *{p.name}")
        parameters.append(_read(p.name, evaluated_annotation(p.annotation, function), p.default))
    return tuple(parameters)


def evaluated_annotation(annotation: Any, function: FunctionType) -> Any:
    """The annotation itself where `from __future__ import annotations` made it a string; None if it names something
    that is not there (it then says nothing to us)."""
    if annotation is inspect.Parameter.empty:
        return None
    if not isinstance(annotation, str):
        return annotation
    closure = inspect.getclosurevars(function)
    try:
        return eval(annotation, {**function.__globals__, **closure.nonlocals})
    except Exception:
        return None


def _read(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> Parameter:
    fields: dict[str, Any] = {"constant": False, "constant_type": None}
    if annotation is bool or annotation is int or annotation is float:
        pass  # the value's own type decides, as without annotation
    elif typing.get_origin(annotation) is tuple:
        items = typing.get_args(annotation)
        if len(items) == 2 and items[1] is ...:
            fields["each"] = _read(name, items[0])
        else:
            fields["items"] = tuple(_read(name, item) for item in items)
    notes = (annotation,) if isinstance(annotation, ArrayAnnotation) else getattr(annotation, "__metadata__", ())
    kinds = dict.fromkeys(type(note).__name__ for note in notes if isinstance(note, _KINDS))
    if len(kinds) > 1:
        raise TypeError(f"parameter {name!r} has {' and '.join(kinds)}, expected one of them")
    for note in notes:
        if isinstance(note, ConstantAnnotation) or note is ConstantAnnotation:
            fields["constant"] = True
            base = typing.get_args(annotation)[0]
            fields["constant_type"] = base if isinstance(base, type) else None
        elif isinstance(note, ArrayAnnotation):
            fields["index_dtype"] = note.index_dtype
            fields["static_shape_axes"] = tuple(note.static_shape_dims)
            fields["static_stride_axes"] = tuple(note.static_stride_dims)
        elif isinstance(note, ScalarAnnotation):
            fields["scalar_dtype"] = note.dtype
        elif isinstance(note, ListAnnotation):
            fields["element"] = _read(name, note.element)
    if default is not inspect.Parameter.empty:
        fields |= {"default": default, "has_default": True}
    return Parameter(name, **fields)
