# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements without control flow of their own: assignments, definitions, return, and what is refused."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.frame import BREAK, LEFT, RESULT, RETURN
from tilewright._frontend.records import is_record
from tilewright._frontend.values import ArrayValue, ListValue, RangeValue, TileValue, describe
from tilewright._intrinsic import get_intrinsic
from tilewright.errors import StaticException, TileSyntaxError, TileTypeError, TileValueError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

_REFUSED = {
    ast.Try: "try/except",
    ast.Import: "import; import at the top of the file",
    ast.ImportFrom: "import; import at the top of the file",
    ast.ClassDef: "a class; define it outside of the kernel",
    ast.Delete: "del",
    ast.Global: "global; pass the value as a parameter",
    ast.Nonlocal: "nonlocal; return the new value",
    ast.AsyncFunctionDef: "async def",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Assert: "assert; use assert_() at run time or static_assert() at compile time",
    ast.Match: "match; use if/elif",
}


class StatementTracer:
    def run_statement(self: Tracer, node: ast.stmt) -> bool | None:
        """True if control leaves the block here, None to go on."""
        method = getattr(self, "run_" + type(node).__name__, None)
        if method is None:
            raise TileSyntaxError(f"tile code cannot contain {_REFUSED.get(type(node), type(node).__name__)}")
        return method(node)

    def run_Expr(self: Tracer, node: ast.Expr) -> None:
        self.eval(node.value)

    def run_Pass(self: Tracer, node: ast.Pass) -> None:
        pass

    def run_Assign(self: Tracer, node: ast.Assign) -> None:
        value = self.eval(node.value)
        for target in node.targets:
            self.assign(target, value)

    def run_AnnAssign(self: Tracer, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value))

    def run_AugAssign(self: Tracer, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            value, index = self.eval(node.target.value), self.eval(node.target.slice)
            if is_record(value):
                item = self.binary_operator(node.op, self.subscript(value, index), self.eval(node.value))
                if self.set_item(value, index, item):
                    return
        if not isinstance(node.target, ast.Name):
            self._refuse_item_assignment(node.target)
        load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        left, right = self.eval(load), self.eval(node.value)
        self.node = node
        self.assign(node.target, self.binary_operator(node.op, left, right))

    def assign(self: Tracer, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            if value is NotImplemented:
                raise TileTypeError("this expression has no value")
            outer, self.node = self.node, target
            self.frame.names[target.id] = value
            self.frame.assigned[target.id] = self.location
            self.note(target.id, value)
            self.node = outer
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        else:
            self._assign_item(target, value)

    def _unpack(self: Tracer, target: ast.Tuple | ast.List, value: Any) -> None:
        if isinstance(value, TileValue):
            raise TileTypeError(f"cannot unpack a {describe(value)}; expected a tuple of {len(target.elts)}")
        items = self.require_tuple(value, "the value to unpack")
        starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        if starred:
            first, after = starred[0], len(target.elts) - starred[0] - 1
            if len(items) < len(target.elts) - 1:
                raise TileValueError(f"{len(items)} values to unpack; expected at least {len(target.elts) - 1}")
            middle = items[first : len(items) - after]
            items = (*items[:first], middle, *items[len(items) - after :])
        if len(items) != len(target.elts):
            raise TileValueError(
                f"{len(items)} values to unpack into {len(target.elts)} names; expected as many values"
            )
        for part, item in zip(target.elts, items, strict=True):
            self.assign(part.value if isinstance(part, ast.Starred) else part, item)

    def _assign_item(self: Tracer, target: ast.expr, item: Any) -> None:
        if isinstance(target, ast.Subscript):
            value = self.eval(target.value)
            if is_record(value) and self.set_item(value, self.eval(target.slice), item):
                return
        self._refuse_item_assignment(target)

    def _refuse_item_assignment(self: Tracer, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            value = self.eval(target.value)
            if isinstance(value, ArrayValue):
                raise TileTypeError(f"array {value.name!r} cannot be assigned by subscript; use store() or scatter()")
            raise TileTypeError(f"a {describe(value)} is immutable; build a new one, for example with where()")
        raise TileSyntaxError(f"tile code cannot assign to {type(target).__name__.lower()}; assign to a name")

    def run_FunctionDef(self: Tracer, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            raise TileSyntaxError("a function inside tile code cannot have decorators; define it outside")
        self.frame.names[node.name] = self.make_closure(node, node.name)

    def run_Return(self: Tracer, node: ast.Return) -> bool:
        value = None if node.value is None else self.eval(node.value)
        self.leave_contexts(0)
        names = self.frame.names
        names[RESULT] = value
        if self.frame.loops:
            names[BREAK] = True
            names[RETURN] = True
        self.mark_left()
        return True

    def mark_left(self: Tracer) -> None:
        """Control does not come to the end of the `if` statements around, if that is asked."""
        if LEFT in self.frame.names:
            self.frame.names[LEFT] = True

    def run_Break(self: Tracer, node: ast.Break) -> bool:
        self.leave_contexts(self.frame.loop_contexts)
        self.frame.names[BREAK] = True
        self.mark_left()
        return True

    def run_Continue(self: Tracer, node: ast.Continue) -> bool:
        self.leave_contexts(self.frame.loop_contexts)
        self.mark_left()
        return True

    def run_Raise(self: Tracer, node: ast.Raise) -> None:
        call = node.exc
        if isinstance(call, ast.Call) and node.cause is None:
            intrinsic = get_intrinsic(self.eval(call.func))
            if intrinsic is not None and intrinsic.name == "static_exception" and len(call.args) == 1:
                error = self.evaluate_statically(call.args[0])
                raise StaticException(str(error)) from (error if isinstance(error, BaseException) else None)
        raise TileSyntaxError(
            "tile code cannot raise; use assert_() at run time or 'raise static_exception(...)' at compile time"
        )

    def eval_iterable(self: Tracer, node: ast.expr) -> RangeValue | tuple[Any, ...]:
        """The iterable of a for loop: a range, or the items of static_iter()."""
        items = self.static_iteration_of(node)
        if items is not None:
            return items
        value = self.eval(node)
        if isinstance(value, RangeValue):
            return value
        self.node = node
        advice = f"; write: for i in range(len({value.name}))" if isinstance(value, ListValue) else ""
        raise TileTypeError(
            f"a for loop runs over range(...) or static_iter(...), not over a {describe(value)}{advice}"
        )
