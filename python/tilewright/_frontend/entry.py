# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entry of a kernel: one parameter after the other, and the Python values that stand for them.

ABI: an array is its pointer, then its extents, then its strides; a scalar is itself; tuples and dataclasses are their
members in order; compile-time values have no parameter. Extents and strides that are known at compile time are
parameters too, but are not read.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir import Block, Value, pointer_tile_type, tile_type
from tilewright._frontend.ops.views import make_tensor_view
from tilewright._frontend.signature import (
    ArgumentSpec,
    ArraySpec,
    ConstantSpec,
    DataclassSpec,
    EntryParameter,
    ScalarSpec,
    TupleSpec,
)
from tilewright._frontend.values import ArrayValue, TileValue
from tilewright.dtypes import DType

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

Path = tuple[int, ...]


class EntryBuilder:
    def __init__(self, tracer: Tracer, block: Block):
        self.tracer = tracer
        self.block = block
        self.parameters: list[EntryParameter] = []

    def argument(self, spec: ArgumentSpec, name: str, path: Path) -> Any:
        """The value of a Python parameter; adds its entry parameters."""
        if isinstance(spec, ArraySpec):
            return self._array(spec, name, path)
        if isinstance(spec, ScalarSpec):
            value = self._parameter(path, "scalar", 0, spec.dtype.ir_name, tile_type(spec.dtype, ()), name)
            return TileValue(value, spec.dtype, ())
        if isinstance(spec, ConstantSpec):
            return spec.value
        if isinstance(spec, TupleSpec):
            return tuple(self.argument(item, f"{name}[{i}]", (*path, i)) for i, item in enumerate(spec.items))
        assert isinstance(spec, DataclassSpec)
        result = object.__new__(spec.cls)
        for i, (field, item) in enumerate(zip(dataclasses.fields(spec.cls), spec.fields, strict=True)):
            object.__setattr__(result, field.name, self.argument(item, f"{name}.{field.name}", (*path, i)))
        return result

    def _parameter(self, path: Path, kind: Any, axis: int, ir_type: str, type: str, name: str) -> Value:
        value = Value(type)
        self.block.arguments.append(value)
        self.parameters.append(EntryParameter(path, kind, axis, ir_type, name))
        return value

    def _array(self, spec: ArraySpec, name: str, path: Path) -> ArrayValue:
        index = spec.index_dtype
        index_type = tile_type(index, ())
        pointer = self._parameter(path, "pointer", 0, "ptr", pointer_tile_type(spec.dtype, ()), name)
        shape, strides = (
            [self._parameter(path, kind, i, index.ir_name, index_type, f"{name}_{kind}{i}") for i in range(spec.ndim)]
            for kind in ("shape", "stride")
        )
        pointer = self._assume(pointer, spec.base_divisible_by)
        extents = tuple(
            known if known is not None else self._length(value, index, divisor)
            for value, known, divisor in zip(shape, spec.static_shape, spec.shape_divisible_by, strict=True)
        )
        steps = tuple(
            known if known is not None else self._length(value, index, divisor)
            for value, known, divisor in zip(strides, spec.static_strides, spec.stride_divisible_by, strict=True)
        )
        alias = frozenset(spec.alias_groups) or path
        array = ArrayValue(name, spec.dtype, pointer, extents, steps, spec.static_shape, spec.static_strides, alias)
        make_tensor_view(self.tracer, array)
        return array

    def _length(self, value: Value, dtype: DType, divisor: int) -> TileValue:
        """An extent or a stride: neither is negative."""
        bounded = self._assumed(value, "#cuda_tile.bounded<0, ?>")
        return TileValue(self._assume(bounded, divisor), dtype, ())

    def _assume(self, value: Value, divisor: int) -> Value:
        return self._assumed(value, f"#cuda_tile.div_by<{divisor}>") if divisor > 1 else value

    def _assumed(self, value: Value, predicate: str) -> Value:
        return self.tracer.emit("assume", [value], [value.type], {"predicate": predicate}).results[0]
