# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the small IR to a native cuda_tile module."""

from __future__ import annotations

from typing import Any

from tilewright._frontend.ir.attributes import Attributes
from tilewright._frontend.ir.program import Block, Op, Value
from tilewright._frontend.ir.text import attribute_text, type_text
from tilewright._frontend.ir.types import EntryType, Type
from tilewright._frontend.source.location import Location


class Emitter:
    def __init__(self, native: Any, module_name: str):
        self.module = native.Module(module_name)
        self.values: dict[int, Any] = {}
        self.types: dict[int, Any] = {}
        self.attributes: dict[int, Any] = {}
        self.locations: dict[int, Any] = {}
        self.functions: dict[tuple[str, int, str, bool], Any] = {}
        self.symbol = ""
        self.names: dict[int, list[str]] = {}  # of variables, by the value that they are

    def emit_entry(
        self, name: str, body: Block, parameters: list[str], location: Location, attributes: Attributes
    ) -> None:
        attributes = {
            "sym_name": name,
            "function_type": EntryType(tuple(argument.type for argument in body.arguments)),
            **attributes,
        }
        # Keyed by identity, and what another entry was made of may be gone.
        self.values, self.locations, self.functions, self.types, self.attributes = {}, {}, {}, {}, {}
        self.symbol = name
        native_location = self.location(location)
        self.module.insert_into(self.module.body)
        entry = self.module.region_op("cuda_tile.entry", [], [], self._attributes(attributes), native_location, None, 1)
        self._emit_region(entry, 0, body, native_location, parameters)

    def location(self, location: Location) -> Any:
        native = self.locations.get(id(location))
        if native is None:
            caller = self.location(location.caller) if location.caller is not None else None
            function = self._function(location)
            native = self.module.location(location.filename, location.line, location.column, function, caller)
            self.locations[id(location)] = native
        return native

    def _function(self, location: Location) -> Any:
        """The function around a place: the kernel under the name of the entry, helpers under their own."""
        inlined = location.caller is not None
        key = location.filename, location.function_line, location.function, inlined
        if key not in self.functions:
            file, line, name, _ = key
            symbol = f"{name}@{file}:{line}" if inlined else self.symbol
            self.functions[key] = self.module.function(file, line, name, symbol)
        return self.functions[key]

    def _emit_region(
        self, operation: Any, region: int, block: Block, location: Any, names: list[str] | None = None
    ) -> None:
        types = [self._type(argument.type) for argument in block.arguments]
        if names is None and self.names:
            names = [self._names(argument) for argument in block.arguments]
        native = self.module.block(operation, region, types, location, names or [])
        self._bind(block.arguments, native.arguments)
        for op in block.ops:
            self.module.insert_into(native)
            self._emit_op(op)

    def _emit_op(self, op: Op) -> None:
        location = self.location(op.location)
        if self.names and any(id(result) in self.names for result in op.results):
            location = self.module.named(location, ";".join(map(self._names, op.results)))
        operands = [self.values[id(operand)] for operand in op.operands]
        types = [self._type(result.type) for result in op.results]
        attributes = self._attributes(op.attributes) if op.attributes else {}
        if not op.blocks:
            self._bind(op.results, self.module.op(op.name, operands, types, attributes, location, op.segments))
            return
        native = self.module.region_op(op.name, operands, types, attributes, location, op.segments, len(op.blocks))
        self._bind(op.results, native.results)
        for region, block in enumerate(op.blocks):
            self._emit_region(native, region, block, location)

    def _type(self, type: Type) -> Any:
        native = self.types.get(id(type))
        if native is None:
            native = self.types[id(type)] = self.module.type(type_text(type))
        return native

    def _attributes(self, attributes: Attributes) -> dict[str, Any]:
        natives = {}
        for name, attribute in attributes.items():
            native = self.attributes.get(id(attribute))
            if native is None:
                native = self.attributes[id(attribute)] = self.module.attribute(attribute_text(attribute))
            natives[name] = native
        return natives

    def _names(self, value: Value) -> str:
        return ",".join(self.names.get(id(value), ()))

    def _bind(self, values: list[Value], natives: list[Any]) -> None:
        for value, native in zip(values, natives, strict=True):
            self.values[id(value)] = native
