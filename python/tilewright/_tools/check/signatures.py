# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types for which a kernel is checked: those of comments, or of the annotations of its parameters.

# tilewright: signature scale: float32[::1]@16, float32, float32[::1]@16, 64

@ct.kernel
def scale(a: Annotated[ct.Array, "float32[::1]@16"], factor: float, out: Annotated[ct.Array, "float32[::1]@16"],
          TILE: ct.Constant[int] = 64): ...
"""

from __future__ import annotations

import ast
import inspect
import re
import typing
from dataclasses import dataclass
from typing import Any

from tilewright._frontend.parameters import evaluated_annotation
from tilewright._frontend.signature import ConstantSpec, Parameter
from tilewright._runtime.signature_text import parse_signature, parse_type
from tilewright.dtypes import int64

_COMMENT = re.compile(r"\s*#\s*tilewright:\s*signature\s+(\w+)\s*:(.*)")
_NUMBERS = {bool: "bool_", int: "int32", float: "float32"}


@dataclass(frozen=True)
class Written:
    """A signature in a comment."""

    kernel: str
    types: str
    line: int
    column: int


def written_in(text: str, tree: ast.Module) -> list[Written]:
    """Those of comments, not those in texts that look like one."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if "tilewright:" in line and (match := _COMMENT.fullmatch(line)):
            found.append(Written(match[1], match[2].strip(), number, line.index("#") + 1))
    if not found:
        return []
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [each for each in found if not any(text.lineno <= each.line <= (text.end_lineno or 0) for text in texts)]


def specs_of(types: str, kernel: Any) -> tuple:
    """ValueError says what is wrong with them."""
    return parse_signature(types, kernel.parameters)


def annotated_specs(kernel: Any) -> tuple | None:
    """None if the annotations leave a type open."""
    parameters = inspect.signature(kernel.function).parameters.values()
    specs: list[Any] = []
    for python, parameter in zip(parameters, kernel.parameters, strict=True):
        spec = _annotated_spec(evaluated_annotation(python.annotation, kernel.function), parameter)
        if spec is None:
            return None
        specs.append(spec)
    return tuple(specs)


def _annotated_spec(annotation: Any, parameter: Parameter) -> Any:
    texts = [note for note in getattr(annotation, "__metadata__", ()) if isinstance(note, str)]
    if len(texts) == 1:
        return parse_type(texts[0], parameter)
    if parameter.has_default:
        return ConstantSpec(parameter.default) if parameter.constant else None
    if parameter.constant:
        return None
    base = typing.get_args(annotation)[0] if hasattr(annotation, "__metadata__") else annotation
    if base is int and parameter.scalar_dtype is not None:
        return parse_type(parameter.scalar_dtype.name, parameter)
    if parameter.scalar_dtype == int64:
        return parse_type("int64", parameter)
    return parse_type(_NUMBERS[base], parameter) if base in _NUMBERS else None
