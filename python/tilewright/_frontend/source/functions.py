# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a Python function to its syntax tree. Whole files are parsed, so that places are exact for decorated functions,
lambdas, and cells of IPython and Jupyter (which register their text with `linecache`)."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Union

from tilewright.errors import TileSyntaxError

FunctionNode = Union[ast.FunctionDef, ast.Lambda]  # noqa: UP007

_files: dict[str, tuple[str, dict[tuple[str, int], list[FunctionNode]]]] = {}


@dataclass(frozen=True)
class FunctionSource:
    node: FunctionNode
    filename: str
    name: str


def function_source(function: FunctionType) -> FunctionSource:
    """The syntax of `function`; raises TileSyntaxError where its text cannot be had."""
    code = function.__code__
    filename = code.co_filename
    linecache.checkcache(filename)
    text = "".join(linecache.getlines(filename, function.__globals__))
    if not text:
        raise TileSyntaxError(
            f"the source of {function.__qualname__!r} is not available ({filename!r} is no file); define tile code in"
            " a file, or in an IPython or Jupyter cell"
        )
    candidates = _functions_of(filename, text).get((code.co_name, code.co_firstlineno), [])
    node = candidates[0] if len(candidates) == 1 else _match_columns(code, candidates)
    if node is None:
        raise TileSyntaxError(
            f"{function.__qualname__!r} is not at line {code.co_firstlineno} of {filename} any more; the file changed "
            "after it was imported: restart Python or reload the module"
        )
    return FunctionSource(node, filename, function.__qualname__.rsplit("<locals>.", 1)[-1])


def _functions_of(filename: str, text: str) -> dict[tuple[str, int], list[FunctionNode]]:
    cached = _files.get(filename)
    if cached is not None and cached[0] == text:
        return cached[1]
    index: dict[tuple[str, int], list[FunctionNode]] = {}
    try:
        tree = ast.parse(text, filename)
    except SyntaxError as error:
        raise TileSyntaxError(
            f"{filename}: {error.msg} at line {error.lineno}; the file changed after import"
        ) from None
    # Expressions are most of a tree, and only lambdas among them are functions.
    for node in ast.walk(tree) if "lambda" in text else _statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            index.setdefault((node.name, first), []).append(node)
        elif isinstance(node, ast.Lambda):
            index.setdefault(("<lambda>", node.lineno), []).append(node)
    _files[filename] = (text, index)
    return index


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, and what has statements inside (handlers of exceptions, cases of a match)."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        yield node
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            nodes.extend(getattr(node, field, ()))


def _match_columns(code: CodeType, candidates: list[FunctionNode]) -> FunctionNode | None:
    """Several lambdas on one line: the one whose body covers the positions of the code."""
    if not candidates or not hasattr(code, "co_positions"):
        return candidates[0] if candidates else None
    places = {(line, column) for line, _, column, _ in code.co_positions() if column and line}
    for node in candidates:
        body = node.body if isinstance(node, ast.Lambda) else node
        if (body.lineno, body.col_offset) in places:
            return node
    return candidates[0]
