# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that are read."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Any

from tilewright._frontend.trace.frame import UNASSIGNED, UNKNOWN
from tilewright._frontend.values.kinds import Undefined, is_numpy_scalar
from tilewright.dtypes import find_dtype
from tilewright.errors import TileSyntaxError, TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def read_name(tracer: Tracer, node: ast.Name) -> Any:
    frame = tracer.frame
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
        return strictly_typed(tracer, value) if is_numpy_scalar(value) else value
    raise TileSyntaxError(f"undefined name {node.id!r}; it is neither a local name, a parameter, nor a global")


def strictly_typed(tracer: Tracer, value: Any) -> Any:
    """A scalar of NumPy or ml_dtypes as a constant of its dtype."""
    dtype = find_dtype(type(value))
    return value.item() if dtype is None else tracer.constant(value.item(), dtype)
