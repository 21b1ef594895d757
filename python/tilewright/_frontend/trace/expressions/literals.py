# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Literals: numbers, tuples, dicts, slices, and text with values in it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.values.arguments import require_tuple
from tilewright._frontend.values.text import FormattedText, formatted, joined
from tilewright.errors import TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def constant(tracer: Tracer, node: ast.Constant) -> Any:
    if isinstance(node.value, (bytes, complex)):
        raise TileTypeError(f"tile code has no {type(node.value).__name__} literals")
    return node.value


def tuple_literal(tracer: Tracer, node: ast.Tuple) -> tuple[Any, ...]:
    return eval_items(tracer, node.elts)


def eval_items(tracer: Tracer, nodes: list[ast.expr]) -> tuple[Any, ...]:
    items: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items.extend(require_tuple(tracer.eval(node.value), "the operand of *"))
        else:
            items.append(tracer.eval(node))
    return tuple(items)


def dict_literal(tracer: Tracer, node: ast.Dict) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            result.update(tracer.eval(value))
        else:
            result[tracer.eval(key)] = tracer.eval(value)
    return result


def slice_literal(tracer: Tracer, node: ast.Slice) -> slice:
    return slice(*(None if part is None else tracer.eval(part) for part in (node.lower, node.upper, node.step)))


def joined_text(tracer: Tracer, node: ast.JoinedStr) -> Any:
    texts: list[str | FormattedText] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            texts.append(part.value)
            continue
        assert isinstance(part, ast.FormattedValue)
        if part.conversion != -1:
            raise TileSyntaxError("tile code has no !r, !s, !a or = in f-strings; write {repr(x)} or {str(x)}")
        specs = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
        if not all(isinstance(spec, ast.Constant) for spec in specs):
            raise TileSyntaxError("a format in an f-string is fixed text in tile code, found {} in it")
        spec = "".join(spec.value for spec in specs)
        texts.append(formatted(tracer, tracer.eval(part.value), spec))
    return joined(texts)
