# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The views of an array that loads and stores go through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.attributes import Bounded, DivBy
from tilewright._frontend.ir.program import Value
from tilewright._frontend.ir.types import PartitionViewType, StridedViewType, TensorViewType
from tilewright._frontend.signature import ArraySpec
from tilewright._frontend.values.kinds import ArrayValue, TileValue
from tilewright._runtime import environment
from tilewright.dtypes import DType
from tilewright.modes import PaddingMode

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def in_type(length: int | None) -> bool:
    """Whether a view's type holds a known extent or stride: none that is zero, as of an axis that is broadcast."""
    return length is not None and length > 0


def tensor_view_type(array: ArrayValue) -> TensorViewType:
    def lengths(known: tuple[int | None, ...]) -> tuple[int | None, ...]:
        return tuple(length if in_type(length) else None for length in known)

    return TensorViewType(array.dtype, lengths(array.static_shape), lengths(array.static_strides))


def make_tensor_view(tracer: Tracer, array: ArrayValue) -> None:
    """Emit the view of an array here; what does not use it is removed later."""

    def operands(values: tuple[TileValue, ...], known: tuple[int | None, ...]) -> list[Value]:
        return [value.value for value, fact in zip(values, known, strict=True) if not in_type(fact)]

    shape, strides = operands(array.shape, array.static_shape), operands(array.strides, array.static_strides)
    array.view_type = tensor_view_type(array)
    op = tracer.emit(
        "make_tensor_view", [array.pointer, *shape, *strides], [array.view_type], segments=[1, len(shape), len(strides)]
    )
    array.view = op.results[0]


def make_array(
    tracer: Tracer, spec: ArraySpec, name: str, alias: Any, pointer: Value, shape: list[Value], strides: list[Value]
) -> ArrayValue:
    """The array that an address, extents and strides describe, of which the compiler may rely on `spec`. A known
    length is a strictly typed constant: its dtype does not depend on what is known."""

    def lengths(values: list[Value], known: tuple[int | None, ...], divisors: tuple[int, ...]) -> tuple[TileValue, ...]:
        return tuple(
            _length(tracer, value, spec.index_dtype, divisor)
            if fact is None
            else tracer.constant(fact, spec.index_dtype)
            for value, fact, divisor in zip(values, known, divisors, strict=True)
        )

    array = ArrayValue(
        name,
        spec.dtype,
        _multiple(tracer, pointer, spec.base_divisible_by),
        lengths(shape, spec.static_shape, spec.shape_divisible_by),
        lengths(strides, spec.static_strides, spec.stride_divisible_by),
        spec.static_shape,
        spec.static_strides,
        alias,
    )
    make_tensor_view(tracer, array)
    return array


def _length(tracer: Tracer, value: Value, dtype: DType, divisor: int) -> TileValue:
    """An extent or a stride: neither is negative."""
    return TileValue(_multiple(tracer, assumed(tracer, value, Bounded(0)), divisor), dtype, ())


def _multiple(tracer: Tracer, value: Value, divisor: int) -> Value:
    if divisor == 1 or environment.value("CUDA_TILE_TESTING_DISABLE_DIV"):
        return value
    return assumed(tracer, value, DivBy(divisor))


def assumed(tracer: Tracer, value: Value, predicate: Bounded | DivBy) -> Value:
    return tracer.emit("assume", [value], [value.type], {"predicate": predicate}).results[0]


def partition_view(
    tracer: Tracer, array: ArrayValue, tile: tuple[int, ...], order: tuple[int, ...], padding: PaddingMode
) -> Value:
    type = PartitionViewType(array.view_type, tile, order, padding)
    return tracer.emit("make_partition_view", [array.view], [type]).results[0]


def strided_view(
    tracer: Tracer, array: ArrayValue, tile: tuple[int, ...], steps: tuple[int, ...], padding: PaddingMode
) -> Value:
    type = StridedViewType(array.view_type, tile, steps, padding)
    return tracer.emit("make_strided_view", [array.view], [type]).results[0]
