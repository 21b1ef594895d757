# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of Python that is tile code: what evaluates and executes each kind of node."""

from __future__ import annotations

import ast

from tilewright._frontend.trace.calls import calls, closures
from tilewright._frontend.trace.control import branches, contexts, leaving, loops
from tilewright._frontend.trace.expressions import (
    comparisons,
    comprehensions,
    conditions,
    literals,
    members,
    names,
    operators,
)
from tilewright._frontend.trace.statements import assignments, simple
from tilewright._frontend.trace.tracer import Language

TILE_CODE = Language(
    expressions={
        ast.Constant: literals.constant,
        ast.Tuple: literals.tuple_literal,
        ast.Dict: literals.dict_literal,
        ast.Slice: literals.slice_literal,
        ast.JoinedStr: literals.joined_text,
        ast.Name: names.read_name,
        ast.NamedExpr: assignments.named_expression,
        ast.BinOp: operators.binary_operation,
        ast.UnaryOp: operators.unary_operation,
        ast.Compare: comparisons.comparison,
        ast.BoolOp: conditions.boolean_operation,
        ast.IfExp: conditions.conditional,
        ast.Attribute: members.attribute_of,
        ast.Subscript: members.subscript_of,
        ast.GeneratorExp: comprehensions.generator,
        ast.Lambda: closures.lambda_expression,
        ast.Call: calls.call_expression,
    },
    statements={
        ast.Expr: simple.expression,
        ast.Pass: simple.nothing,
        ast.Raise: simple.raise_statement,
        ast.Assign: assignments.assign_statement,
        ast.AnnAssign: assignments.annotated_assignment,
        ast.AugAssign: assignments.augmented_assignment,
        ast.FunctionDef: closures.function_definition,
        ast.Return: leaving.return_statement,
        ast.Break: leaving.break_statement,
        ast.Continue: leaving.continue_statement,
        contexts.LeaveContext: contexts.leave_context,
    },
    control_flow={
        ast.If: branches.if_statement,
        ast.For: loops.loop_statement,
        ast.While: loops.loop_statement,
        ast.With: contexts.with_statement,
    },
    call=calls.call,
    refused={
        ast.List: "a list; use a tuple",
        ast.ListComp: "a list comprehension; write tuple(... for ...)",
        ast.Set: "a set; use a tuple",
        ast.SetComp: "a set comprehension; write tuple(... for ...)",
        ast.DictComp: "a dict comprehension",
        ast.Await: "await",
        ast.Yield: "yield; return a tuple",
        ast.YieldFrom: "yield; return a tuple",
        ast.Starred: "a starred expression here",
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
    },
)
