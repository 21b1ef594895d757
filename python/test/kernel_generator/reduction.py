# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A failing program made small: statements are left out, compound ones replaced by what is in them, expressions by
their operands, as long as the program ends as before. NumPy's evaluation refuses undefined programs; the number
of the block stays, since two blocks that write one place are not seen by it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from kernel_generator.campaign import Process
from kernel_generator.grammar.accesses import BLOCK
from kernel_generator.outcome import REFUSED, Outcome
from kernel_generator.programs import Program

Test = Callable[[ast.Module], bool]


def reduce(program: Program, options: tuple[str, ...], report: Callable[[int, int], None]) -> Program:
    """`report` is told the number of programs tried and the length of the smallest."""
    process, path_of = Process(options), _Scratch()
    wanted = process.run(path_of(program.source))
    tried = 0

    def still_fails(tree: ast.Module) -> bool:
        nonlocal tried
        tried += 1
        source = ast.unparse(tree)
        same = _same_kind(process.run(path_of(source)), wanted)
        if same:
            report(tried, len(source))
        return same

    tree = ast.parse(program.source)
    size = None
    while size != len(ast.unparse(tree)):
        size = len(ast.unparse(tree))
        for step in (_leave_out_statements, _leave_out_parameters, _unwrap_statements, _simplify_expressions):
            tree = step(tree, still_fails)
    process.close()
    path_of.remove()
    return Program(program.name + "-small", _text(tree))


def _same_kind(found: Outcome, wanted: Outcome) -> bool:
    if found.kind != wanted.kind:
        return False
    return found.kind != REFUSED or _reason(found) == _reason(wanted)


def _reason(outcome: Outcome) -> str:
    """The message of a refusal without its place, names and numbers."""
    text = outcome.message.splitlines()[0].split(": ", 2)[-1]
    return "".join(c for c in text if not c.isdigit())


class _Scratch:
    """A file for the program that is tried."""

    def __init__(self) -> None:
        import tempfile

        self._folder = tempfile.TemporaryDirectory()
        self._count = 0

    def __call__(self, source: str) -> str:
        self._count += 1
        path = f"{self._folder.name}/tried-{self._count}.py"
        with open(path, "w") as file:
            file.write(_text(ast.parse(source)))
        return path

    def remove(self) -> None:
        self._folder.cleanup()


def _text(tree: ast.Module) -> str:
    return ast.unparse(tree) + "\n"


def _bodies(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Every list of statements: its node and the name of the field."""
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            if isinstance(getattr(node, field, None), list):
                yield node, field


def _changed(tree: ast.Module, number: int, field: str, change: Callable[[list], list]) -> ast.Module:
    """A copy with one list of statements changed; `number` is that of its node in the order of ast.walk."""
    result = copy.deepcopy(tree)
    node = next(n for i, n in enumerate(ast.walk(result)) if i == number)
    body = change(getattr(node, field))
    setattr(node, field, body or ([ast.Pass()] if field == "body" else []))
    return result


def _leave_out_statements(tree: ast.Module, fails: Test) -> ast.Module:
    """Halves of each body, quarters, and so on to single statements, from the end."""
    number = 0
    while True:
        nodes = list(ast.walk(tree))
        if number >= len(nodes):
            return tree
        for field in ("body", "orelse"):
            body = getattr(nodes[number], field, None)
            if not isinstance(body, list):
                continue
            size = len(body)
            while size:
                end = len(getattr(list(ast.walk(tree))[number], field))
                while end > 0:
                    begin = max(end - size, 0)
                    current = getattr(list(ast.walk(tree))[number], field)
                    if any(not isinstance(s, ast.Pass) for s in current[begin:end]) or len(current) > 1:
                        candidate = _changed(tree, number, field, lambda b, x=begin, y=end: b[:x] + b[y:])
                        if fails(candidate):
                            tree = candidate
                    end = begin
                size //= 2
        number += 1


def _unwrap_statements(tree: ast.Module, fails: Test) -> ast.Module:
    """The body of an if or a loop, in place of it."""
    number = 0
    while number < len(nodes := list(ast.walk(tree))):
        for field in ("body", "orelse"):
            body = getattr(nodes[number], field, None)
            if not isinstance(body, list):
                continue
            for i, inner in enumerate(body):
                if isinstance(inner, (ast.If, ast.For, ast.While)):
                    parts = [inner.body, inner.orelse] if isinstance(inner, ast.If) else [inner.body]
                    for part in filter(None, parts):
                        candidate = _changed(tree, number, field, lambda b, i=i, p=part: [*b[:i], *p, *b[i + 1 :]])
                        if fails(candidate):
                            return _unwrap_statements(candidate, fails)
        number += 1
    return tree


def _leave_out_parameters(tree: ast.Module, fails: Test) -> ast.Module:
    """Arguments of the kernel that nothing reads, with their descriptions."""
    position = 0
    while True:
        candidate = copy.deepcopy(tree)
        kernel = next(s for s in candidate.body if isinstance(s, ast.FunctionDef) and s.name == "kernel")
        arguments = next(s for s in candidate.body if isinstance(s, ast.Assign) and s.targets[0].id == "ARGUMENTS")
        if position >= len(kernel.args.args):
            return tree
        name = kernel.args.args[position].arg
        read = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(kernel))
        del kernel.args.args[position], arguments.value.elts[position]
        if not read and fails(candidate):
            tree = candidate
        else:
            position += 1


def _simplify_expressions(tree: ast.Module, fails: Test) -> ast.Module:
    """Each expression of the functions by one of its operands, the largest first."""
    number = 0
    while number < len(nodes := list(ast.walk(tree))):
        node = nodes[number]
        is_leaf = isinstance(node, (ast.Name, ast.Constant))
        if isinstance(node, ast.expr) and not is_leaf and not _is_in_block_number(node, tree):
            for operand in _operands(node):
                candidate = _Replace(number, operand).of(tree)
                if candidate is not None and fails(candidate):
                    tree = candidate
                    number -= 1
                    break
        number += 1
    return tree


def _is_in_block_number(node: ast.expr, tree: ast.Module) -> bool:
    return any(
        isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and s.targets[0].id == BLOCK
        and any(n is node for n in ast.walk(s))
        for s in ast.walk(tree)
    )  # fmt: skip


def _operands(node: ast.expr) -> list[ast.expr]:
    """Expressions inside that may stand in its place. A product keeps its sign: a sum would fuse with it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.BinOp) and isinstance(node.operand.op, ast.Mult):
        return []
    children = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        children = [node.func.value, *node.args]
    return [c for c in children if not isinstance(c, (ast.Starred, ast.Lambda))]


class _Replace(ast.NodeTransformer):
    def __init__(self, number: int, by: ast.expr):
        self.number, self.by = number, by

    def of(self, tree: ast.Module) -> ast.Module | None:
        result = copy.deepcopy(tree)
        self.target = list(ast.walk(result))[self.number]
        try:
            return self.visit(result)
        except (ValueError, TypeError):
            return None

    def visit(self, node: ast.AST) -> ast.AST:
        return copy.deepcopy(self.by) if node is self.target else self.generic_visit(node)
