# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: bytes that the writer made, with a name and a version."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cuda.tile._bytecode as writer
from cuda.tile._bytecode import MISSING_DEBUG_ATTR_ID, BytecodeVersion, EntryHints

from .body import Body
from .types import V1, V5


@dataclass(frozen=True)
class Module:
    name: str
    version: BytecodeVersion
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Function:
    """`fill` gets the body; the parameters are in `body.parameters`."""

    name: str
    fill: Callable = lambda body: None
    parameters: tuple = ()
    hints: Mapping[str, EntryHints] = field(default_factory=dict)
    # From the table of debug attributes and the name to the location of the function.
    location: Callable = lambda debug, name: MISSING_DEBUG_ATTR_ID


@dataclass(frozen=True)
class Description:
    """The contents to write as a module, in every version from `since` to `until`."""

    name: str
    functions: tuple
    since: int = V1
    until: int = V5
    # Gets the section of globals and the table of types.
    define: Callable = lambda globals_, table: None

    def write(self, version):
        buffer = bytearray()
        with writer.write_bytecode(len(self.functions), buffer, version) as out:
            self.define(out.global_section, out.type_table)
            for function in self.functions:
                location = function.location(out.debug_attr_table, function.name)
                parameters = [type.write(out.type_table) for type in function.parameters]
                with out.function(function.name, parameters, [], True, function.hints, location) as made:
                    body = Body(made.code_builder, out.type_table, made.parameters, out.debug_attr_table, function.name)
                    function.fill(body)
                    body.op("Return", operands=[])
        return Module(self.name, version, bytes(buffer))
