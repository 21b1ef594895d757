# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The properties of the arguments of one specialization, for the front end, and its description of the entry it made.

The launcher inspects the arguments, builds a `Signature`, and calls `compile_to_module(kernel, signature)`. All records
are frozen and hashable: a signature is the specialization key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from tilewright.dtypes import DType, int32


@dataclass(frozen=True)
class ArraySpec:
    """An array argument. Divisors are powers of two; 1 means nothing is known."""

    dtype: DType
    ndim: int
    index_dtype: DType = int32  # dtype of the shape and stride parameters: int32 or int64
    static_strides: tuple[int | None, ...] = ()  # per axis: the stride in elements where it is known
    base_divisible_by: int = 1  # of the address, in bytes
    stride_divisible_by: tuple[int, ...] = ()  # per axis, in elements
    shape_divisible_by: tuple[int, ...] = ()  # per axis, in elements
    static_shape: tuple[int | None, ...] = ()  # per axis: the extent where it is known
    alias_groups: tuple[str, ...] = ()  # arrays that share a group may share memory; without any, it overlaps none
    may_alias_internally: bool = False  # different elements may share memory; the code never relies on the contrary
    same_as: int | None = None  # the number, among arrays, of an earlier argument that is the same memory
    like: int | None = None  # of an earlier argument with the same extents and strides, another view of its array
    behind: tuple[int, int] | None = None  # such an argument, and how many elements later this one begins

    def __post_init__(self) -> None:
        for field, default in (
            ("static_strides", None),
            ("stride_divisible_by", 1),
            ("shape_divisible_by", 1),
            ("static_shape", None),
        ):
            if not getattr(self, field):
                object.__setattr__(self, field, (default,) * self.ndim)
            if len(getattr(self, field)) != self.ndim:
                raise ValueError(f"{field} has {len(getattr(self, field))} entries, expected one per axis: {self.ndim}")


@dataclass(frozen=True)
class ScalarSpec:
    """A number passed at launch: bool -> bool_, int -> int32 (int64 if annotated), float -> float32."""

    dtype: DType


@dataclass(frozen=True)
class ConstantSpec:
    """A compile-time value: any hashable Python object. It has no entry parameter."""

    value: Any

    def __eq__(self, other: object) -> bool:  # 1, 1.0 and True are different specializations
        return isinstance(other, ConstantSpec) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class TupleSpec:
    """A tuple argument; its members are flattened into entry parameters in order."""

    items: tuple[ArgumentSpec, ...]


@dataclass(frozen=True)
class DataclassSpec:
    """A frozen dataclass argument; its fields are flattened like a tuple."""

    cls: type
    fields: tuple[ArgumentSpec, ...]


@dataclass(frozen=True)
class ListSpec:
    """A list of arrays, of each of which ``element`` holds. How many they are is known at run time only."""

    element: ArraySpec
    alias_groups: tuple[str, ...] = ()  # of the table that describes the arrays


ArgumentSpec = Union[ArraySpec, ScalarSpec, ConstantSpec, TupleSpec, DataclassSpec, ListSpec]  # noqa: UP007


@dataclass(frozen=True)
class Signature:
    """One specialization of a kernel: an `ArgumentSpec` per Python parameter, in order."""

    arguments: tuple[ArgumentSpec, ...]
    contract_fma: bool = True  # a*b + c of floats becomes one fma


@dataclass(frozen=True)
class ParameterSource:
    """One parameter of the compiled entry, in ABI order: where its value comes from and how it is passed."""

    argument: tuple[int, ...]  # path: index of the Python argument, then of tuple members or dataclass fields
    kind: Literal["pointer", "shape", "stride", "scalar", "table", "length"]
    axis: int  # of a shape or stride; 0 otherwise
    ir_type: str  # "ptr", or the IR name of the scalar: i1 i8 i16 i32 i64 f16 bf16 f32 f64
    name: str  # for people


@dataclass(frozen=True)
class CompiledModule:
    """Result of `compile_to_module`: a verified module, its entry symbol, and the layout of the entry parameters."""

    module: Any  # tilewright._native.Module
    entry: str
    parameters: tuple[ParameterSource, ...]


@dataclass(frozen=True)
class Parameter:
    """A Python parameter of a kernel as its annotation describes it; the launcher builds specs from these."""

    name: str
    constant: bool  # annotated Constant / Constant[T]
    constant_type: type | None  # T of Constant[T]
    index_dtype: DType = int32  # ArrayAnnotation / IndexedWithInt64
    static_shape_axes: tuple[int, ...] = ()  # ArrayAnnotation(static_shape_dims=...)
    static_stride_axes: tuple[int, ...] = ()  # ArrayAnnotation(static_stride_dims=...)
    scalar_dtype: DType | None = None  # ScalarAnnotation / ScalarInt64
    items: tuple[Parameter, ...] = ()  # of tuple[X, Y] annotations
    each: Parameter | None = None  # of tuple[X, ...]
    element: Parameter | None = None  # ListAnnotation(element=...)
    default: Any = None
    has_default: bool = False

    def item(self, i: int) -> Parameter | None:
        """The annotation of a member of a tuple, if there is one."""
        return self.each or (self.items[i] if self.items else None)
