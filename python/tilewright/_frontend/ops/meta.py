# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile-time functions that are calls like any other, and what has no effect on this implementation's targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import MemoryAccess
from tilewright._frontend.ir.types import TOKEN
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values.kinds import TileValue, describe
from tilewright.errors import TileStaticAssertionError
from tilewright.modes import MemoryOrder

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


@implements("ensure_constant")
def ensure_constant(tracer: Tracer, value: Any) -> Any:
    if isinstance(value, TileValue):
        if value.constant is None:
            raise TileStaticAssertionError(
                f"a {describe(value)} is known at run time only; expected a compile-time value"
            )
        return value.constant
    return value


@implements("grid_dependency_control_wait")
def grid_dependency_control_wait(tracer: Tracer) -> None:
    tracer.emit("gdc_wait_tko", [], [TOKEN], memory=MemoryAccess(None, True, MemoryOrder.ACQUIRE))


@implements("grid_dependency_control_launch_dependents")
def grid_dependency_control_launch_dependents(tracer: Tracer) -> None:
    tracer.emit("gdc_launch_dependents_tko", [], [TOKEN], memory=MemoryAccess(None, True))
