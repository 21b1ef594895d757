# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions and lambdas that are defined in tile code."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from tilewright._frontend.source.functions import FunctionSource
from tilewright._frontend.values.kinds import Closure
from tilewright.errors import TileSyntaxError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def signature_of(closure: Closure) -> inspect.Signature:
    arguments, parameter = closure.source.node.args, inspect.Parameter
    parameters = []
    kinds = [
        (arguments.posonlyargs, parameter.POSITIONAL_ONLY),
        (arguments.args, parameter.POSITIONAL_OR_KEYWORD),
        ([arguments.vararg] if arguments.vararg else [], parameter.VAR_POSITIONAL),
        (arguments.kwonlyargs, parameter.KEYWORD_ONLY),
        ([arguments.kwarg] if arguments.kwarg else [], parameter.VAR_KEYWORD),
    ]
    for names, kind in kinds:
        for a in names:
            parameters.append(parameter(a.arg, kind, default=closure.defaults.get(a.arg, parameter.empty)))
    return inspect.Signature(parameters)


def function_definition(tracer: Tracer, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        raise TileSyntaxError("a function inside tile code cannot have decorators; define it outside")
    tracer.frame.names[node.name] = _make_closure(tracer, node, node.name)


def lambda_expression(tracer: Tracer, node: ast.Lambda) -> Closure:
    return _make_closure(tracer, node, "<lambda>")


def _make_closure(tracer: Tracer, node: ast.FunctionDef | ast.Lambda, name: str) -> Closure:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = {
        argument.arg: tracer.eval(default)
        for argument, default in [
            *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
            *((a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None),
        ]
    }
    source = FunctionSource(node, tracer.frame.filename, name)
    return Closure(source, tracer.frame, defaults, tracer.frame.globals, {})
