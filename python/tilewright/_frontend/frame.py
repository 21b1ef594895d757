# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The function being traced: its names and where it was called."""

from __future__ import annotations

import ast
from typing import Any

from tilewright._frontend.location import Location
from tilewright._frontend.source import FunctionSource

# Names that no program can have: the state of leaving a loop or function early.
BREAK, RETURN, RESULT = "$break", "$return", "$result"


class Frame:
    """`names` is replaced, not changed, where control flow branches. `assigned` remembers where each name last got its
    value, for messages. `reads` are the names read in the loop that is traced, with the identity of what they were."""

    __slots__ = (
        "assigned",
        "caller",
        "captured",
        "filename",
        "globals",
        "line",
        "locations",
        "loops",
        "name",
        "names",
        "reads",
    )

    def __init__(
        self, source: FunctionSource, caller: Location | None, captured: dict[str, Any], globals: dict[str, Any]
    ):
        self.name = source.name
        self.filename = source.filename
        self.line = source.node.lineno
        self.caller = caller
        self.names: dict[str, Any] = {}
        self.captured = captured
        self.globals = globals
        self.assigned: dict[str, Location] = {}
        self.locations: dict[ast.AST, Location] = {}
        self.loops = 0
        self.reads: set[tuple[str, int]] = set()
