# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions: names, literals, operators, subscripts, comprehensions."""

from __future__ import annotations

import ast
import builtins
import enum
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.arguments import slice_of
from tilewright._frontend.frame import UNASSIGNED, UNKNOWN
from tilewright._frontend.ir import Block
from tilewright._frontend.ops.conversions import convert
from tilewright._frontend.ops.elementwise import COMPARISONS, binary
from tilewright._frontend.ops.functions import logical_not, unary_operator
from tilewright._frontend.ops.lists import list_item
from tilewright._frontend.records import is_record
from tilewright._frontend.source import FunctionSource
from tilewright._frontend.text import FormattedText, formatted, joined
from tilewright._frontend.values import (
    ArrayValue,
    BoundMethod,
    Closure,
    ListValue,
    RawMemoryValue,
    TiledViewValue,
    TileValue,
    Undefined,
    describe,
    is_number,
    is_numpy_scalar,
)
from tilewright._intrinsic import get_intrinsic, tile_attribute
from tilewright.dtypes import DType, bool_, find_dtype
from tilewright.errors import TileError, TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

RUN_TIME_VALUES = (TileValue, ArrayValue, TiledViewValue, RawMemoryValue)

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_lshift", ast.RShift: "bitwise_rshift",
}  # fmt: skip
_COMPARE = {
    ast.Eq: "equal", ast.NotEq: "not_equal", ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater",
    ast.GtE: "greater_equal",
}  # fmt: skip
_NOT_IN_TILE_CODE = {
    ast.List: "a list; use a tuple",
    ast.ListComp: "a list comprehension; write tuple(... for ...)",
    ast.Set: "a set; use a tuple",
    ast.SetComp: "a set comprehension; write tuple(... for ...)",
    ast.DictComp: "a dict comprehension",
    ast.Await: "await",
    ast.Yield: "yield; return a tuple",
    ast.YieldFrom: "yield; return a tuple",
    ast.Starred: "a starred expression here",
}
# An operand of `and`/`or` is computed unconditionally if it is at most this many operations without effects.
_MAX_SPECULATED_OPS = 16
_SPECULATABLE = frozenset(
    "cuda_tile." + name
    for name in "constant cmpi cmpf addi subi muli andi ori xori addf subf mulf maxi mini exti trunci itof select "
    "get_tile_block_id get_num_tile_blocks reshape broadcast".split()
)


def _is_numeric(value: Any) -> bool:
    return isinstance(value, TileValue) or is_number(value)


class ExpressionTracer:
    def eval(self: Tracer, node: ast.expr) -> Any:
        """The value of an expression; an error without a place gets that of the innermost expression."""
        outer, self.node = self.node, node
        try:
            method = getattr(self, "eval_" + type(node).__name__, None)
            if method is None:
                what = _NOT_IN_TILE_CODE.get(type(node), type(node).__name__)
                raise TileSyntaxError(f"tile code cannot contain {what}")
            return method(node)
        except TileError as error:
            if error.location is None:
                error.location = self.location
            raise
        finally:
            self.node = outer

    def eval_Constant(self: Tracer, node: ast.Constant) -> Any:
        if isinstance(node.value, (bytes, complex)):
            raise TileTypeError(f"tile code has no {type(node.value).__name__} literals")
        return node.value

    def eval_Name(self: Tracer, node: ast.Name) -> Any:
        frame = self.frame
        value = frame.lookup(node.id)
        if value is UNASSIGNED:
            raise TileSyntaxError(
                f"{node.id!r} is read before it gets a value; a name that a function assigns is local in all of it:"
                " assign it before, or use another name"
            )
        if value is UNKNOWN:
            value = frame.globals.get(node.id, getattr(builtins, node.id, UNKNOWN))
        if isinstance(value, Undefined):
            raise TileTypeError(f"{node.id!r} {value.reason}")
        if value is not UNKNOWN:
            return self.strictly_typed(value) if is_numpy_scalar(value) else value
        raise TileSyntaxError(f"undefined name {node.id!r}; it is neither a local name, a parameter, nor a global")

    def strictly_typed(self: Tracer, value: Any) -> Any:
        """A scalar of NumPy or ml_dtypes as a constant of its dtype."""
        dtype = find_dtype(type(value))
        return value.item() if dtype is None else self.constant(value.item(), dtype)

    def eval_Tuple(self: Tracer, node: ast.Tuple) -> tuple[Any, ...]:
        return self.eval_items(node.elts)

    def eval_items(self: Tracer, nodes: list[ast.expr]) -> tuple[Any, ...]:
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items.extend(self.require_tuple(self.eval(node.value), "the operand of *"))
            else:
                items.append(self.eval(node))
        return tuple(items)

    def require_tuple(self, value: Any, what: str) -> tuple[Any, ...]:
        if not isinstance(value, (tuple, range)):
            raise TileTypeError(f"{what} is a {describe(value)}; expected a tuple")
        return tuple(value)

    def eval_Dict(self: Tracer, node: ast.Dict) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(self.eval(value))
            else:
                result[self.eval(key)] = self.eval(value)
        return result

    def eval_BinOp(self: Tracer, node: ast.BinOp) -> Any:
        return self.binary_operator(node.op, self.eval(node.left), self.eval(node.right))

    def binary_operator(self: Tracer, operator: ast.operator, x: Any, y: Any) -> Any:
        return self.operator(_BINARY[type(operator)], x, y)

    def operator(self: Tracer, name: str, x: Any, y: Any) -> Any:
        """An operator of two values, by the name of its function of the language."""
        if name in COMPARISONS:
            return self.compare_values(name, x, y)
        if is_record(x) or is_record(y):
            return self.record_operator(name, x, y)
        if name == "add" and isinstance(x, tuple) and isinstance(y, tuple):
            return x + y
        if name == "add" and isinstance(x, (str, FormattedText)) and isinstance(y, (str, FormattedText)):
            return x + y
        if name == "mul" and isinstance(x, (tuple, str)) and isinstance(y, int):
            return x * y
        if name == "mod" and isinstance(x, str):
            return x % y
        return binary(self, name, x, y)

    def eval_UnaryOp(self: Tracer, node: ast.UnaryOp) -> Any:
        x = self.eval(node.operand)
        if isinstance(node.op, ast.Not):
            return logical_not(self, x)
        return unary_operator(self, type(node.op).__name__, x)

    def eval_Compare(self: Tracer, node: ast.Compare) -> Any:
        left = self.eval(node.left)
        result: Any = None
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.eval(right_node)
            value = self.compare(operator, left, right)
            if len(node.ops) > 1:
                value = self.truth(value, "a comparison in a chain")
            result = value if result is None else self.both(result, value)
            if result is False:
                return False
            left = right
        return result

    def both(self: Tracer, x: Any, y: Any) -> Any:
        """`x and y` of two truth values, both evaluated."""
        if isinstance(x, bool):
            return y if x else False
        return (x if y else False) if isinstance(y, bool) else binary(self, "bitwise_and", x, y)

    def either(self: Tracer, x: Any, y: Any) -> Any:
        """`x or y` of two truth values, both evaluated."""
        if isinstance(x, bool):
            return True if x else y
        return (True if y else x) if isinstance(y, bool) else binary(self, "bitwise_or", x, y)

    def truth_not(self: Tracer, x: Any) -> Any:
        """`not x` of a truth value."""
        return logical_not(self, x)

    def compare(self: Tracer, operator: ast.cmpop, x: Any, y: Any) -> Any:
        if isinstance(operator, (ast.Is, ast.IsNot)):
            if x is not None and y is not None and (_is_numeric(x) or _is_numeric(y)):
                raise TileTypeError(f"'is' of a {describe(x)} and a {describe(y)}; expected None on one side: use ==")
            return (x is y) == isinstance(operator, ast.Is)
        if isinstance(operator, (ast.In, ast.NotIn)):
            if isinstance(y, str) and isinstance(x, str):
                found = x in y
            else:
                items = y if isinstance(y, dict) else self.require_tuple(y, "the right side of 'in'")
                found = self.is_one_of(x, items)
            return found if isinstance(operator, ast.In) else logical_not(self, found)
        return self.compare_values(_COMPARE[type(operator)], x, y)

    def compare_values(self: Tracer, name: str, x: Any, y: Any) -> Any:
        if is_record(x) or is_record(y):
            return self.compare_records(name, x, y)
        if isinstance(x, FormattedText) or isinstance(y, FormattedText):
            raise TileTypeError("text with tiles in it is known at run time only; expected a compile-time string")
        if isinstance(x, DType) or isinstance(y, DType):
            x, y = find_dtype(x) or x, find_dtype(y) or y
        if isinstance(x, TileValue) or isinstance(y, TileValue):
            return binary(self, name, x, y)
        if isinstance(x, RUN_TIME_VALUES) or isinstance(y, RUN_TIME_VALUES):
            raise TileTypeError(f"cannot compare a {describe(x)} with a {describe(y)}")
        if isinstance(x, tuple) and isinstance(y, tuple):
            if name not in ("equal", "not_equal"):
                raise TileTypeError(f"tuples have no {COMPARISONS[name].symbol}; expected == or !=")
            same: Any = len(x) == len(y)
            for a, b in zip(x, y, strict=True) if same else ():
                same = self.both(same, self.truth(self.compare_values("equal", a, b), "a comparison of tuples"))
            return same if name == "equal" else self.truth_not(same)
        try:
            return COMPARISONS[name].evaluate(x, y)
        except TypeError as error:
            raise TileTypeError(str(error)) from None

    def is_one_of(self: Tracer, x: Any, items: Iterable[Any]) -> Any:
        """`x in items`: a bool, or a bool_ scalar."""
        result: Any = False
        for item in items:
            same = self.truth(self.compare(ast.Eq(), x, item), "a comparison of 'in'")
            if same is True:
                return True
            result = self.either(result, same)
        return result

    def condition(self: Tracer, node: ast.expr) -> Any:
        """The condition of an `if`, a `while` or a conditional expression."""
        value = self.eval(node)
        outer, self.node = self.node, node
        try:
            return self.truth(value, "the condition")
        except TileError as error:
            error.location = error.location or self.location
            raise
        finally:
            self.node = outer

    def truth(self: Tracer, value: Any, what: str) -> Any:
        """The truth value of a condition: a Python bool, or a bool_ scalar of the running kernel."""
        if isinstance(value, TileValue):
            if value.constant is not None:
                return bool(value.constant)
            if value.shape or value.dtype.is_pointer:
                raise TileTypeError(
                    f"{what} is a {describe(value)}; expected a scalar: reduce it, or choose elements with where()"
                )
            return convert(self, value, bool_)
        if isinstance(value, RUN_TIME_VALUES):
            raise TileTypeError(f"{what} is a {describe(value)}; expected a scalar")
        return bool(value)

    def eval_BoolOp(self: Tracer, node: ast.BoolOp) -> Any:
        """The value is a truth value, unless a string, a tuple, None and the like decide at compile time."""
        is_and = isinstance(node.op, ast.And)
        return self._short_circuit(is_and, node.values)

    def _short_circuit(self: Tracer, is_and: bool, nodes: list[ast.expr]) -> Any:
        word = "and" if is_and else "or"
        first = self.eval(nodes[0])
        if len(nodes) == 1:
            return self.truth(first, f"the right side of '{word}'") if _is_numeric(first) else first
        condition = self.truth(first, f"the left side of '{word}'")
        if isinstance(condition, bool):
            if condition is is_and:
                return self._short_circuit(is_and, nodes[1:])
            return condition if _is_numeric(first) else first
        names, self.frame.names = self.frame.names, dict(self.frame.names)
        with self.inserting_into(Block()) as block:
            rest = self.truth(self._short_circuit(is_and, nodes[1:]), f"the right side of '{word}'")
        if len(block.ops) <= _MAX_SPECULATED_OPS and all(op.name in _SPECULATABLE for op in block.ops):
            self.block.ops.extend(block.ops)
            if isinstance(rest, bool):
                return condition if rest is is_and else rest
            return binary(self, "bitwise_and" if is_and else "bitwise_or", condition, rest)

        after, self.frame.names = self.frame.names, names

        def evaluate_rest() -> Any:
            # Evaluated above; again, every operand would double the work.
            self.block.ops.extend(block.ops)
            self.frame.names = dict(after)
            return rest

        return self.select_branch(
            condition, *((evaluate_rest, lambda: False) if is_and else (lambda: True, evaluate_rest))
        )

    def eval_IfExp(self: Tracer, node: ast.IfExp) -> Any:
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.eval(node.body if condition else node.orelse)
        return self.select_branch(condition, lambda: self.eval(node.body), lambda: self.eval(node.orelse))

    def eval_NamedExpr(self: Tracer, node: ast.NamedExpr) -> Any:
        if node.target.id not in self.frame.local_names:
            raise TileSyntaxError("a comprehension cannot assign names of the function; assign before it")
        value = self.eval(node.value)
        self.assign(node.target, value)
        return value

    def eval_Lambda(self: Tracer, node: ast.Lambda) -> Closure:
        return self.make_closure(node, "<lambda>")

    def make_closure(self: Tracer, node: ast.FunctionDef | ast.Lambda, name: str) -> Closure:
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = {
            argument.arg: self.eval(default)
            for argument, default in [
                *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
                *((a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None),
            ]
        }
        source = FunctionSource(node, self.frame.filename, name)
        return Closure(source, self.frame, defaults, self.frame.globals, {})

    def eval_Attribute(self: Tracer, node: ast.Attribute) -> Any:
        return self.attribute(self.eval(node.value), node.attr)

    def attribute(self: Tracer, value: Any, name: str) -> Any:
        if isinstance(value, RUN_TIME_VALUES):
            return self._attribute_of_run_time_value(value, name)
        if isinstance(value, (int, float, bool)) and name in ("dtype", "shape", "ndim"):
            raise TileTypeError(f"the compile-time number {value!r} has no {name}; make a tile with full() or astile()")
        if isinstance(value, (tuple, dict)) and name in ("index", "count", "get", "keys", "values", "items"):
            return getattr(value, name)
        if isinstance(value, str) and name in ("join", "format", "upper", "lower", "startswith", "endswith"):
            return getattr(value, name)
        if is_record(value):
            return self.record_attribute(value, name)
        if isinstance(value, (ModuleType, type, enum.Enum, DType)) or hasattr(type(value), "__dataclass_fields__"):
            try:
                result = getattr(value, name)
            except AttributeError:
                raise TileTypeError(f"{describe(value)} has no attribute {name!r}") from None
            if isinstance(result, MethodType) and not isinstance(value, (type, DType)):
                return BoundMethod(value, result.__func__)
            return result
        raise TileTypeError(f"a {describe(value)} has no attribute {name!r} in tile code")

    def _attribute_of_run_time_value(self: Tracer, value: Any, name: str) -> Any:
        kind = next(k for k in type(value).__mro__ if not k.__module__.startswith("tilewright._"))  # Tile, Array, ...
        if not name.startswith("_"):
            function = getattr(kind, name, None)
            if isinstance(function, (property, tile_attribute)):
                return getattr(value, name)
            if get_intrinsic(function) is not None or isinstance(function, FunctionType):
                return BoundMethod(value, function)
        known = [n for n in vars(kind) if not n.startswith("_")]
        raise TileTypeError(f"a {describe(value)} has no attribute {name!r}; it has {', '.join(known)}")

    def eval_Subscript(self: Tracer, node: ast.Subscript) -> Any:
        return self.subscript(self.eval(node.value), self.eval(node.slice))

    def subscript(self: Tracer, value: Any, index: Any) -> Any:
        if isinstance(value, ArrayValue):
            raise TileTypeError(f"array {value.name!r} cannot be subscripted; use load(), gather() or slice()")
        if isinstance(value, TileValue):
            return slice_of(self, value, index)
        if isinstance(value, ListValue):
            return list_item(self, value, index)
        if isinstance(value, (tuple, str, range, dict)):
            if isinstance(index, TileValue) and index.constant is not None:
                index = index.constant
            if isinstance(index, TileValue):
                raise TileTypeError("a tuple is indexed by compile-time integers; this index is known at run time only")
            try:
                return value[index]
            except (IndexError, KeyError, TypeError) as error:
                raise TileTypeError(f"{error} (of a {describe(value)}, index {index!r})") from None
        method = getattr(type(value), "__getitem__", None)
        if isinstance(method, FunctionType) and hasattr(type(value), "__dataclass_fields__"):
            return self.call(BoundMethod(value, method), (index,), {})
        if hasattr(value, "__class_getitem__") or isinstance(value, type):
            return value[index]  # annotations such as tuple[int, ...]
        raise TileTypeError(f"a {describe(value)} cannot be subscripted")

    def eval_Slice(self: Tracer, node: ast.Slice) -> slice:
        return slice(*(None if part is None else self.eval(part) for part in (node.lower, node.upper, node.step)))

    def eval_JoinedStr(self: Tracer, node: ast.JoinedStr) -> Any:
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
            texts.append(formatted(self, self.eval(part.value), spec))
        return joined(texts)

    def eval_GeneratorExp(self: Tracer, node: ast.GeneratorExp) -> tuple[Any, ...]:
        """Only as the argument of tuple(...) and the like: unrolled over compile-time iterables."""
        outer, scope = self.frame, self.frame.comprehension([generator.target for generator in node.generators])
        self.frame = scope
        try:
            return tuple(self._comprehend(node.generators, lambda: self.eval(node.elt)))
        finally:
            self.frame, scope.is_live = outer, False

    def _comprehend(self: Tracer, generators: list[ast.comprehension], element: Callable[[], Any]) -> list[Any]:
        if not generators:
            return [element()]
        first, result = generators[0], []
        iterable = self.static_iteration_of(first.iter)
        for item in self.static_items(self.eval(first.iter)) if iterable is None else iterable:
            self.assign(first.target, item)
            conditions = [self.truth(self.eval(test), "the condition of the comprehension") for test in first.ifs]
            if not all(isinstance(c, bool) for c in conditions):
                raise TileTypeError("the condition of a comprehension is a compile-time value; this one is not")
            if all(conditions):
                result.extend(self._comprehend(generators[1:], element))
        return result

    def static_items(self: Tracer, value: Any) -> tuple[Any, ...]:
        from tilewright._frontend.values import RangeValue

        if isinstance(value, RangeValue):
            bounds = [b.constant if isinstance(b, TileValue) else b for b in (value.start, value.stop, value.step)]
            if any(b is None for b in bounds):
                raise TileTypeError("this range is known at run time only; expected compile-time bounds")
            return tuple(range(*bounds))
        if isinstance(value, dict):
            return tuple(value)
        return self.require_tuple(value, "the iterable")
