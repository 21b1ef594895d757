# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a file that a kernel needs: its definition, and the statements of the module that define the names in
it, theirs in turn, and so on.

Only this part is executed: imports, definitions, and assignments whose values are computed without side effects. The
rest of a file (launches, input and output, tests) never runs. Its text also tells whether a kernel has changed.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dtypes import ALL

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_PURE_BUILTINS = set(
    "abs bool bytes dict divmod enumerate filter float frozenset getattr hasattr int isinstance issubclass len list map"
    " max min object pow property range repr reversed round set slice sorted str sum tuple type zip".split()
)
_TYPES_WITH_METHODS = set("bytes dict float int str".split())
_PURE_MODULES = set(
    "collections cuda dataclasses enum functools itertools math ml_dtypes numpy operator typing".split()
)
_PURE_OF_TILEWRIGHT = {
    *"kernel function schedule replace_hints cdiv ByTarget".split(),
    *"ArrayAnnotation ConstantAnnotation ListAnnotation ScalarAnnotation".split(),
    *(dtype.name for dtype in ALL),
}
_IMPURE_OF_NUMPY = set("fromfile genfromtxt load loadtxt memmap save savetxt savez savez_compressed".split())


@dataclass(frozen=True, eq=False)
class Statement:
    """Of the module."""

    node: ast.stmt
    first: int
    last: int
    binds: frozenset[str]
    uses: frozenset[str]
    text: str


@dataclass(frozen=True)
class Slice:
    kernel: str
    statements: tuple[Statement, ...]  # in the order of the file
    definition: Statement
    unknown: tuple[str, int] | None  # a name that only running the file would define, and the line

    def key(self, signatures: list[str]) -> str:
        """Changes with the text and with these."""
        texts = [self.kernel, *(self.unknown or ())[:1], *(statement.text for statement in self.statements), signatures]
        return hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()


def statements_of(tree: ast.Module, text: str) -> list[Statement]:
    lines = text.split("\n")
    found = []
    for node in tree.body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        last = node.end_lineno or node.lineno
        found.append(Statement(node, first, last, frozenset(_binds(node)), frozenset(_uses(node)),
                               "\n".join(lines[first - 1 : last])))  # fmt: skip
    return found


def kernel_slices(statements: list[Statement]) -> list[Slice]:
    """One for each kernel that the module seems to define; execution shows whether it is one."""
    by_name: dict[str, list[Statement]] = {}
    stars, always = [], []
    for statement in statements:
        for name in statement.binds:
            by_name.setdefault(name, []).append(statement)
        if isinstance(statement.node, ast.ImportFrom):
            if any(alias.name == "*" for alias in statement.node.names):
                stars.append(statement)
            if statement.node.module == "__future__":
                always.append(statement)
    purity = _Purity(statements)
    return [_slice(name, statement, by_name, stars, always, purity) for name, statement in _kernels(statements)]


def inner_kernels(statements: list[Statement]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Kernels that functions define."""
    for statement in statements:
        for node in ast.walk(statement.node):
            if node is not statement.node and isinstance(node, _Function) and _is_marked(node):
                yield node


def _kernels(statements: list[Statement]) -> Iterator[tuple[str, Statement]]:
    for statement in statements:
        node = statement.node
        if isinstance(node, _Function):
            if _is_marked(node):
                yield node.name, statement
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, ast.Call) and _last_name(node.value.func) in ("kernel", "replace_hints"):
                yield node.targets[0].id, statement


def _is_marked(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        _last_name(each.func if isinstance(each, ast.Call) else each) in ("kernel", "schedule")
        for each in node.decorator_list
    )


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _slice(
    kernel: str,
    definition: Statement,
    by_name: dict[str, list[Statement]],
    stars: list[Statement],
    always: list[Statement],
    purity: _Purity,
) -> Slice:
    taken = {id(each): each for each in (definition, *always)}
    names, seen = list(definition.uses), set(definition.uses)
    unknown = None
    while names:
        name = names.pop()
        binding = by_name.get(name, stars if not hasattr(builtins, name) else [])
        for statement in binding:
            if id(statement) in taken:
                continue
            if not purity.is_pure(statement.node):
                unknown = unknown or (name, statement.first)
                continue
            taken[id(statement)] = statement
            names += statement.uses - seen
            seen |= statement.uses
    return Slice(kernel, tuple(sorted(taken.values(), key=lambda each: each.first)), definition, unknown)


def _binds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (*_Function, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0]
    elif isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):
            yield node.id
    elif not isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
        for child in ast.iter_child_nodes(node):
            yield from _binds(child)


def _uses(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.arg) and isinstance(each.annotation, ast.Constant):
            yield from re.findall(r"[^\W\d]\w*", str(each.annotation.value))


class _Purity:
    """Whether statements may be executed: imports, definitions, and computations."""

    def __init__(self, statements: list[Statement]):
        self.modules: dict[str, str] = {}  # the top module that a name comes from
        self.values: set[str] = set()  # names that assignments define
        for statement in statements:
            for node in ast.walk(statement.node) if isinstance(statement.node, (ast.If, ast.Try)) else [statement.node]:
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    for alias in node.names:
                        module = node.module or "" if isinstance(node, ast.ImportFrom) else alias.name
                        self.modules[alias.asname or alias.name.split(".")[0]] = module.split(".")[0]
                elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                    self.values.update(_binds(node))

    def is_pure(self, node: ast.AST) -> bool:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Pass, ast.Raise, *_Function)):
            return True
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Assert, ast.Expr)):
            return all(self._is_pure_expression(each) for each in ast.walk(node))
        if isinstance(node, (ast.If, ast.Try, ast.For, ast.With)):
            return all(self.is_pure(each) for each in ast.iter_child_nodes(node) if not isinstance(each, ast.Load))
        if isinstance(node, (ast.expr, ast.ExceptHandler, ast.withitem)):
            inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            return all(self._is_pure_expression(each) for each in ast.walk(node) if isinstance(each, ast.expr)) and all(
                map(self.is_pure, inner)
            )
        return False

    def _is_pure_expression(self, node: ast.AST) -> bool:
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        return not isinstance(node, ast.Call) or self._is_pure_call(node.func)

    def _is_pure_call(self, function: ast.expr) -> bool:
        last, root = _last_name(function), function
        while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name):
            return isinstance(root, (ast.Constant, ast.BinOp, ast.Tuple, ast.List, ast.Dict))
        module = self.modules.get(root.id)
        if module is None:
            pure = _PURE_BUILTINS if isinstance(function, ast.Name) else _TYPES_WITH_METHODS
            return root.id in self.values or root.id in pure
        if module in ("tilewright", "cuda"):
            return last in _PURE_OF_TILEWRIGHT
        return module in _PURE_MODULES and last not in _IMPURE_OF_NUMPY
