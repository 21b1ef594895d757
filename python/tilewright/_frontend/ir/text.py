# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR as text of MLIR, which the native builder reads. Floats are written as their bits, so that nothing is rounded
twice."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from tilewright._frontend.ir.attributes import (
    AtomicMode,
    Attribute,
    Bounded,
    ComparisonOrdering,
    ComparisonPredicate,
    Dense,
    DivBy,
    Hints,
    Scalar,
    Signedness,
)
from tilewright._frontend.ir.numbers import Number, convert_number, float_bits
from tilewright._frontend.ir.program import Block, Value, resolve
from tilewright._frontend.ir.types import (
    EntryType,
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TensorViewType,
    TileType,
    TokenType,
    Type,
)
from tilewright.dtypes import DType
from tilewright.modes import MemoryOrder, MemoryScope, PaddingMode, RoundingMode


def _tensor_view(type: TensorViewType) -> str:
    def known(length: int | None) -> str:
        return "?" if length is None else str(length)

    extents = "".join(f"{known(extent)}x" for extent in type.shape)
    strides = f", strides=[{', '.join(map(known, type.strides))}]" if type.shape else ""
    return f"tensor_view<{extents}{type.dtype.ir_name}{strides}>"


def _view_of_tiles(name: str, type: Any, *, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> str:
    """A view with what stands before and after the array it is of."""
    padding = () if type.padding is PaddingMode.UNDETERMINED else (f"padding_value = {type.padding.value}",)
    parts = (f"tile=({'x'.join(map(str, type.tile))})", *before, *padding, _tensor_view(type.view), *after)
    return f"!cuda_tile.{name}<{', '.join(parts)}>"


def _partition_view(type: PartitionViewType) -> str:
    in_order = type.order == tuple(range(len(type.order)))
    order = () if in_order else (f"dim_map=[{', '.join(map(str, type.order))}]",)
    return _view_of_tiles("partition_view", type, after=order)


def _strided_view(type: StridedViewType) -> str:
    return _view_of_tiles("strided_view", type, before=(f"traversal_strides=[{','.join(map(str, type.steps))}]",))


def _gather_scatter_view(type: GatherScatterViewType) -> str:
    return _view_of_tiles("gather_scatter_view", type, after=(f"sparse_dim={type.sparse_axis}",))


_TYPES: dict[type, Callable[[Any], str]] = {
    TokenType: lambda type: "!cuda_tile.token",
    TileType: lambda type: f"!cuda_tile.tile<{''.join(f'{e}x' for e in type.shape)}{type.dtype.ir_name}>",
    TensorViewType: lambda type: f"!cuda_tile.{_tensor_view(type)}",
    PartitionViewType: _partition_view,
    StridedViewType: _strided_view,
    GatherScatterViewType: _gather_scatter_view,
    EntryType: lambda type: f"({', '.join(map(type_text, type.arguments))}) -> ()",
}


def type_text(type_: Type) -> str:
    return _TYPES[type(type_)](type_)


def element_text(number: Number, dtype: DType) -> str:
    """One element of a dense attribute."""
    if dtype.is_float:
        return f"0x{float_bits(number, dtype):0{(dtype.bitwidth + 3) // 4}X}"
    value = convert_number(number, dtype)
    if dtype.is_bool:
        return "true" if value else "false"
    return str(value - (1 << dtype.bitwidth) if value >= 1 << (dtype.bitwidth - 1) else value)


def _dense(value: Dense) -> str:
    def text(elements: Any) -> str:
        is_one = not isinstance(elements, tuple)
        return element_text(elements, value.dtype) if is_one else f"[{', '.join(map(text, elements))}]"

    return f"dense<{text(value.elements)}> : {type_text(TileType(value.dtype, value.shape))}"


def _scalar(value: Scalar) -> str:
    text = element_text(value.number, value.dtype)
    return text if value.dtype.is_bool else f"{text} : {value.dtype.ir_name}"


def _hints(value: Hints) -> str:
    def amount(hint: int | bool) -> str:
        return attribute_text(hint) if isinstance(hint, bool) else f"{hint} : i32"

    targets = (
        f"{target} = {{{', '.join(f'{name} = {amount(hint)}' for name, hint in hints.items())}}}"
        for target, hints in value.by_target.items()
    )
    return f"#cuda_tile.optimization_hints<{', '.join(targets)}>"


def _string(text: str) -> str:
    """MLIR has two digits for what cannot stand for itself."""
    escaped = "".join(f"\\{ord(c):02X}" if c in '"\\' or ord(c) < 32 else c for c in text)
    return f'"{escaped}"'


def _tuple(items: tuple[Any, ...]) -> str:
    if all(type(item) is int for item in items):
        return f"array<i32: {', '.join(map(str, items))}>"
    texts = ", ".join(map(attribute_text, items))
    return f"array<i1: {texts}>" if all(type(item) is bool for item in items) else f"[{texts}]"


# The names of the attributes that enumerations are.
_ENUMERATIONS: dict[type[enum.Enum], str] = {
    Signedness: "signedness",
    ComparisonPredicate: "comparison_predicate",
    ComparisonOrdering: "comparison_ordering",
    AtomicMode: "atomic_rmw_mode",
    RoundingMode: "rounding",
    MemoryOrder: "memory_ordering_semantics",
    MemoryScope: "memory_scope",
}
_SCOPE_OF_BLOCK = "tl_blk"
_ATTRIBUTES: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    str: _string,
    tuple: _tuple,
    DivBy: lambda value: f"#cuda_tile.div_by<{value.divisor}>",
    Bounded: lambda value: f"#cuda_tile.bounded<{value.low}, ?>",
    Scalar: _scalar,
    Dense: _dense,
    Hints: _hints,
}


def attribute_text(value: Attribute) -> str:
    kind = type(value)
    if kind in _ENUMERATIONS:
        text = _SCOPE_OF_BLOCK if value is MemoryScope.BLOCK else value.value
        return f"#cuda_tile.{_ENUMERATIONS[kind]}<{text}>"
    if kind in _ATTRIBUTES:
        return _ATTRIBUTES[kind](value)
    return value.value if isinstance(value, enum.Enum) else type_text(value)


def block_text(block: Block) -> str:
    """The block in MLIR's generic form, for debugging."""
    names: dict[int, str] = {}

    def name(value: Value) -> str:
        return names.setdefault(id(resolve(value)), f"%{len(names)}")

    lines: list[str] = []

    def show(inner: Block, indent: str) -> None:
        if inner.arguments:
            lines.append(f"{indent}^({', '.join(f'{name(a)}: {type_text(a.type)}' for a in inner.arguments)}):")
        for op in inner.ops:
            results = ", ".join(name(r) for r in op.results)
            operands = ", ".join(name(o) for o in op.operands)
            attributes = ", ".join(f"{k} = {attribute_text(v)}" for k, v in op.attributes.items())
            types = ", ".join(type_text(r.type) for r in op.results)
            lines.append(f"{indent}{results}{' = ' if results else ''}{op.name}({operands}) {{{attributes}}} : {types}")
            for nested in op.blocks:
                lines.append(f"{indent}{{")
                show(nested, indent + "  ")
                lines.append(f"{indent}}}")

    show(block, "")
    return "\n".join(lines)
