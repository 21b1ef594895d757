# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analysis of the text of a statement before anything is traced: the names that it assigns and how it may leave early.
Loops and branches ask for each statement again and again, so the answer stays with the node."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple


class _Facts(NamedTuple):
    stores: tuple[str, ...]
    """Names in order of appearance; functions and comprehensions have names of their own."""
    returns: bool
    breaks: bool
    """Out of a loop around the statement."""
    continues: bool


def names_stored_in(nodes: Iterable[ast.stmt]) -> list[str]:
    """Names that statements assign, in order of appearance."""
    found: dict[str, None] = {}
    for node in nodes:
        found.update(dict.fromkeys(_facts(node).stores))
    return list(found)


def leaves_early(node: ast.stmt) -> bool:
    """Whether a statement contains a return, or a break or continue of the loop around it."""
    facts = _facts(node)
    return facts.returns or facts.breaks or facts.continues


def contains_return(nodes: Iterable[ast.stmt]) -> bool:
    return any(_facts(node).returns for node in nodes)


def contains_break(nodes: Iterable[ast.stmt]) -> bool:
    """Whether statements contain a break of the loop around them."""
    return any(_facts(node).breaks for node in nodes)


def _facts(node: ast.AST) -> _Facts:
    facts = getattr(node, "_tilewright_facts", None)
    if facts is None:
        facts = node._tilewright_facts = _read(node)  # type: ignore[attr-defined]
    return facts


def _read(node: ast.AST) -> _Facts:
    stores: dict[str, None] = {}
    returns, breaks, continues = (isinstance(node, kind) for kind in (ast.Return, ast.Break, ast.Continue))
    if isinstance(node, ast.FunctionDef):
        return _Facts((node.name,), False, False, False)
    is_loop = isinstance(node, (ast.For, ast.While))
    for field in node._fields:
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.expr):
                _read_stores(child, stores)
            elif isinstance(child, ast.AST):
                inner = _facts(child)
                stores.update(dict.fromkeys(inner.stores))
                returns = returns or inner.returns
                breaks = breaks or (inner.breaks and not is_loop)
                continues = continues or (inner.continues and not is_loop)
    return _Facts(tuple(stores), returns, breaks, continues)


_OWN_NAMES = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def _read_stores(node: ast.expr, stores: dict[str, None]) -> None:
    kind = type(node)
    if kind is ast.Name:
        if type(node.ctx) is ast.Store:
            stores[node.id] = None
    elif kind is not ast.Constant and kind not in _OWN_NAMES:
        for field in node._fields:
            value = getattr(node, field, None)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.expr):
                    _read_stores(child, stores)
                elif isinstance(child, ast.keyword):
                    _read_stores(child.value, stores)
