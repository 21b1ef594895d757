# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel: its parameters, the types that it is compiled for, and the plan of each."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from tilewright import _native
from tilewright._runtime.dispatch import plan_of
from tilewright._runtime.launch_facts import compile_facts
from tilewright._runtime.signature_text import text_of
from tilewright._tools.display.html import folded, table, titled
from tilewright._tools.display.plans import decisions
from tilewright.errors import TileError
from tilewright.limits import time_limit

_NUMBERS = (int, float, bool, "int", "float", "bool")
_MOST = 4  # specializations, the latest


def of_kernel(kernel: Any) -> str:
    code = kernel.function.__code__
    compiled = list(kernel._compiled.items())[-_MOST:]
    heads = ["parameter", "is", *(f"compiled for {target}" for _, target in compiled)]
    columns = [[text_of(spec) for spec in specs] for specs, _ in compiled]
    annotations = kernel.function.__annotations__
    kinds = [(each.name, _kind(each, annotations.get(each.name))) for each in kernel.parameters]
    rows = [(*kind, *(column[i] for column in columns)) for i, kind in enumerate(kinds)]
    said = [f"kernel, {os.path.basename(code.co_filename)}:{code.co_firstlineno}"]
    said += [f"{key}={value}" for key, value in (_hints(kernel) | kernel.decisions).items()]
    plans = "".join(_plan(kernel, specs, target) for specs, target in compiled)
    return titled(kernel.__name__, ", ".join(said), table(heads, rows), plans)


def _hints(kernel: Any) -> dict[str, Any]:
    return {name: value for name, value in kernel.hints.items() if value != (3 if name == "opt_level" else None)}


def _kind(parameter: Any, annotation: Any) -> str:
    if parameter.constant:
        return f"constant {parameter.constant_type.__name__}" if parameter.constant_type else "constant"
    if parameter.element is not None:
        return "list of arrays"
    if parameter.items or parameter.each:
        return "tuple"
    if parameter.scalar_dtype:
        return str(parameter.scalar_dtype)
    return "number" if annotation in _NUMBERS else "array or number"


def _plan(kernel: Any, specs: tuple, target: str) -> str:
    """Nothing for the interpreter, which has no plan."""
    try:
        compiled = compile_facts(kernel, specs)
        made = _native.explain(compiled.module, kernel.__name__, target, packages=sys.path, time_limit=time_limit(),
                               plan_text=plan_of(kernel, compiled.entry))  # fmt: skip
    except (TileError, ValueError):
        return ""
    title = f"plan for {target}: {', '.join(map(text_of, specs))}"
    return folded(title, decisions(json.loads(made.json())[0]))
