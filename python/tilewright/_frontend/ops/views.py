# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The views of an array that loads and stores go through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir import Value
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


def tensor_view_type(array: ArrayValue) -> str:
    text = [str(e) if in_type(e) else "?" for e in array.static_shape]
    strides = ", ".join(str(s) if in_type(s) else "?" for s in array.static_strides)
    shape = "".join(f"{e}x" for e in text)
    suffix = f", strides=[{strides}]" if text else ""
    return f"!cuda_tile.tensor_view<{shape}{array.dtype.ir_name}{suffix}>"


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
    return TileValue(_multiple(tracer, assumed(tracer, value, "bounded<0, ?>"), divisor), dtype, ())


def _multiple(tracer: Tracer, value: Value, divisor: int) -> Value:
    if divisor == 1 or environment.value("CUDA_TILE_TESTING_DISABLE_DIV"):
        return value
    return assumed(tracer, value, f"div_by<{divisor}>")


def assumed(tracer: Tracer, value: Value, predicate: str) -> Value:
    return tracer.emit("assume", [value], [value.type], {"predicate": f"#cuda_tile.{predicate}"}).results[0]


def inner_type(text: str) -> str:
    return text.removeprefix("!cuda_tile.")


def partition_view(
    tracer: Tracer, array: ArrayValue, tile: tuple[int, ...], order: tuple[int, ...], padding: PaddingMode
) -> tuple[Value, str]:
    parts = [f"tile=({'x'.join(map(str, tile))})"]
    if padding is not PaddingMode.UNDETERMINED:
        parts.append(f"padding_value = {padding.value}")
    parts.append(inner_type(array.view_type))
    if order != tuple(range(len(order))):
        parts.append(f"dim_map=[{', '.join(map(str, order))}]")
    type = f"!cuda_tile.partition_view<{', '.join(parts)}>"
    return tracer.emit("make_partition_view", [array.view], [type]).results[0], type


def strided_view(
    tracer: Tracer, array: ArrayValue, tile: tuple[int, ...], steps: tuple[int, ...], padding: PaddingMode
) -> Value:
    parts = [f"tile=({'x'.join(map(str, tile))})", f"traversal_strides=[{','.join(map(str, steps))}]"]
    if padding is not PaddingMode.UNDETERMINED:
        parts.append(f"padding_value = {padding.value}")
    type = f"!cuda_tile.strided_view<{', '.join([*parts, inner_type(array.view_type)])}>"
    return tracer.emit("make_strided_view", [array.view], [type]).results[0]
