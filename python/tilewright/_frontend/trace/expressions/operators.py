# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of values of all kinds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ops.elementwise import COMPARISONS, binary
from tilewright._frontend.ops.functions import logical_not, unary_operator
from tilewright._frontend.trace.expressions.comparisons import compare_values
from tilewright._frontend.values.kinds import BoundMethod, describe
from tilewright._frontend.values.records import is_record, method_of
from tilewright._frontend.values.text import FormattedText
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_lshift", ast.RShift: "bitwise_rshift",
}  # fmt: skip
_REFLECTED = {
    "add": "radd", "sub": "rsub", "mul": "rmul", "matmul": "rmatmul", "truediv": "rtruediv",
    "floordiv": "rfloordiv", "mod": "rmod", "divmod": "rdivmod", "pow": "rpow", "lshift": "rlshift",
    "rshift": "rrshift", "and": "rand", "xor": "rxor", "or": "ror",
}  # fmt: skip


def binary_operation(tracer: Tracer, node: ast.BinOp) -> Any:
    return binary_operator(tracer, node.op, tracer.eval(node.left), tracer.eval(node.right))


def binary_operator(tracer: Tracer, operator: ast.operator, x: Any, y: Any) -> Any:
    return apply_operator(tracer, _BINARY[type(operator)], x, y)


def apply_operator(tracer: Tracer, name: str, x: Any, y: Any) -> Any:
    """An operator of two values, by the name of its function of the language."""
    if name in COMPARISONS:
        return compare_values(tracer, name, x, y)
    if is_record(x) or is_record(y):
        return record_operator(tracer, name, x, y)
    if name == "add" and isinstance(x, tuple) and isinstance(y, tuple):
        return x + y
    if name == "add" and isinstance(x, (str, FormattedText)) and isinstance(y, (str, FormattedText)):
        return x + y
    if name == "mul" and isinstance(x, (tuple, str)) and isinstance(y, int):
        return x * y
    if name == "mod" and isinstance(x, str):
        return x % y
    return binary(tracer, name, x, y)


def unary_operation(tracer: Tracer, node: ast.UnaryOp) -> Any:
    x = tracer.eval(node.operand)
    if isinstance(node.op, ast.Not):
        return logical_not(tracer, x)
    return unary_operator(tracer, type(node.op).__name__, x)


def record_operator(tracer: Tracer, name: str, x: Any, y: Any) -> Any:
    """x + y and the like, of which one is a dataclass, by the methods of Python."""
    name = name.removeprefix("bitwise_")
    for value, other, method_name in ((x, y, name), (y, x, _REFLECTED.get(name, name))):
        method = method_of(value, f"__{method_name}__") if is_record(value) else None
        if method is not None:
            result = tracer.call(BoundMethod(value, method), (other,), {})
            if result is not NotImplemented:
                return result
    raise TileTypeError(f"a {describe(x)} and a {describe(y)} have no operator for this; expected a method __{name}__")
