# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entry of a kernel: one parameter after the other, and the Python values that stand for them.

ABI: an array is its pointer, then its extents, then its strides; a scalar is itself; tuples and dataclasses are their
members in order; a list of arrays is a pointer to a table and the int32 number of its rows, where a row has a 64-bit
word for an array's address, each extent and each stride; compile-time values have no parameter. Extents and strides
that are known at compile time are parameters too, but are not read; nor are those of an array that is like an earlier
one, and the pointer of one that is the same memory.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tilewright._frontend.batch import Batch, BatchBuilder
from tilewright._frontend.ir.attributes import Bounded
from tilewright._frontend.ir.program import Block, Value
from tilewright._frontend.ir.types import Type, tile_type
from tilewright._frontend.ops.views import assumed, make_array
from tilewright._frontend.signature import (
    ArgumentSpec,
    ArraySpec,
    ConstantSpec,
    DataclassSpec,
    ListSpec,
    ParameterSource,
    ScalarSpec,
    TupleSpec,
)
from tilewright._frontend.values.kinds import ArrayValue, ListValue, TileValue
from tilewright._frontend.values.records import check_record_class
from tilewright.dtypes import int32, int64, pointer_to

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

Path = tuple[int, ...]


class EntryBuilder:
    def __init__(self, tracer: Tracer, block: Block, batch: Batch | None = None):
        self.tracer = tracer
        self.batched = frozenset() if batch is None else batch.arguments
        self.batch = None if batch is None else BatchBuilder(tracer, batch)
        self.block = block
        self.parameters: list[ParameterSource] = []
        self.arrays: list[ArrayValue] = []
        self.specs: list[ArraySpec] = []  # of each array
        self.lengths: list[tuple[list[Value], list[Value]]] = []  # likewise: extents and strides

    def argument(self, spec: ArgumentSpec, name: str, path: Path) -> Any:
        """The value of a Python parameter; adds its entry parameters."""
        if isinstance(spec, ArraySpec):
            return self._array(spec, name, path)
        if isinstance(spec, ScalarSpec):
            value = self._parameter(path, "scalar", 0, spec.dtype.ir_name, tile_type(spec.dtype, ()), name)
            return TileValue(value, spec.dtype, ())
        if isinstance(spec, ConstantSpec):
            return spec.value
        if isinstance(spec, ListSpec):
            return self._list(spec, name, path)
        if isinstance(spec, TupleSpec):
            return tuple(self.argument(item, f"{name}[{i}]", (*path, i)) for i, item in enumerate(spec.items))
        assert isinstance(spec, DataclassSpec)
        check_record_class(spec.cls)
        result = object.__new__(spec.cls)
        for i, (field, item) in enumerate(zip(dataclasses.fields(spec.cls), spec.fields, strict=True)):
            object.__setattr__(result, field.name, self.argument(item, f"{name}.{field.name}", (*path, i)))
        return result

    def _parameter(self, path: Path, kind: Any, axis: int, ir_type: str, type: Type, name: str) -> Value:
        value = Value(type)
        self.block.arguments.append(value)
        self.parameters.append(ParameterSource(path, kind, axis, ir_type, name))
        return value

    def _array(self, spec: ArraySpec, name: str, path: Path) -> ArrayValue:
        index = spec.index_dtype
        index_type = tile_type(index, ())
        pointer = self._parameter(path, "pointer", 0, "ptr", tile_type(pointer_to(spec.dtype), ()), name)
        shape, strides = (
            [self._parameter(path, kind, i, index.ir_name, index_type, f"{name}_{kind}{i}") for i in range(spec.ndim)]
            for kind in ("shape", "stride")
        )
        alias = frozenset(spec.alias_groups) or path
        if spec.same_as is not None:
            pointer, alias = self._same_memory(self.arrays[spec.same_as], spec)
        if spec.like is not None and self.specs[spec.like].index_dtype == index:
            shape, strides = self.lengths[spec.like]
            if spec.behind is not None and self.batch is None:
                pointer, alias = self._behind(*spec.behind)
        self.specs.append(spec)
        self.lengths.append((shape, strides))
        if path in self.batched:
            own = pointer if spec.same_as is None else None
            spec, own, shape, strides = self.batch.array(spec, own, shape, strides)
            pointer = own or pointer
        self.arrays.append(make_array(self.tracer, spec, name, alias, pointer, shape, strides))
        return self.arrays[-1]

    def _same_memory(self, first: ArrayValue, spec: ArraySpec) -> tuple[Value, Any]:
        """The address is that of the other argument, so that every pass sees one memory."""
        pointer = first.pointer
        if first.dtype != spec.dtype:
            pointer = self.tracer.emit("ptr_to_ptr", [pointer], [tile_type(pointer_to(spec.dtype), ())]).results[0]
        return pointer, first.alias

    def _behind(self, number: int, elements: int) -> tuple[Value, Any]:
        """The address is at a known distance from that of another view of the array."""
        first = self.arrays[number]
        distance = self.tracer.constant(elements, int32).value
        return self.tracer.emit("offset", [first.pointer, distance], [first.pointer.type]).results[0], first.alias

    def _list(self, spec: ListSpec, name: str, path: Path) -> ListValue:
        pointer = self._parameter(path, "table", 0, "ptr", tile_type(pointer_to(int64), ()), f"{name}_table")
        length = self._parameter(path, "length", 0, "i32", tile_type(int32, ()), f"{name}_length")
        alias = frozenset(spec.alias_groups) or ("table", *path)
        # Rows are found by offset: the table needs no view, extents or strides of its own.
        table = ArrayValue(name, int64, pointer, (), (), (), (), alias)
        rows = TileValue(assumed(self.tracer, length, Bounded(0)), int32, ())
        return ListValue(name, spec, table, rows, frozenset(spec.element.alias_groups) or path)
