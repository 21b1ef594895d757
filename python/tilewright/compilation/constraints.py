# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The assumptions of compiled code, one record per kernel parameter."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

from tilewright.dtypes import DType, find_dtype, int32, int64, uint32


def _dtype(value: Any) -> DType:
    found = find_dtype(value)
    if found is None or found.is_pointer:
        raise TypeError(f"dtype is {value!r}, expected a dtype such as tilewright.float32")
    return found


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _int_or_none(what: str, value: Any) -> None:
    if value is not None and not _is_int(value):
        raise TypeError(f"{what} is {value!r}, expected an integer or None")


def _extent_or_none(what: str, value: Any) -> None:
    _int_or_none(what, value)
    if value is not None and value < 0:
        raise ValueError(f"{what} is {value}, expected no negative extent")


def _divisor(what: str, value: Any) -> None:
    if not _is_int(value):
        raise TypeError(f"{what} is {value!r}, expected an integer")
    if value < 1:
        raise ValueError(f"{what} is {value}, expected at least 1")


def _per_axis(name: str, value: Any, ndim: int, unset: Any, check: Callable[[str, Any], None]) -> tuple:
    """One entry per axis; a single value stands for all of them."""
    if value is None or _is_int(value):
        value = (unset if value is None else value,) * ndim
    value = tuple(value)
    if len(value) != ndim:
        raise ValueError(f"{name} has {len(value)} entries, expected one per axis: {ndim}")
    for axis, entry in enumerate(value):
        check(f"{name}[{axis}]", entry)
    return value


def _groups(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise TypeError(f"alias_groups is the string {names!r}, expected a sequence of names")
    names = tuple(names)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"alias_groups[{i}] is {name!r}, expected a string")
        if name in names[:i]:
            raise ValueError(f"alias_groups has {name!r} twice, expected each name once")
    return names


@dataclass(frozen=True, init=False)
class ScalarConstraint:
    """A number of type ``dtype`` that is passed at launch."""

    dtype: DType

    def __init__(self, dtype: DType):
        object.__setattr__(self, "dtype", _dtype(dtype))


@dataclass(frozen=True, init=False)
class ArrayConstraint:
    """An array of ``dtype`` with ``ndim`` axes, and what is known of it when the kernel is compiled.

    ``index_dtype``: int32 (or uint32, which is passed alike) or int64, the type of its extents and strides. Lengths and
    strides count elements. A parameter with one entry per axis also takes a single value for all axes.

    ``stride_lower_bound_incl``: the least that a stride can be; None says nothing. ``stride_constant`` and
    ``shape_constant`` (version 2 of the calling convention): values known at compile time, None where they are not.
    ``stride_divisible_by``, ``shape_divisible_by``, ``base_addr_divisible_by`` (in bytes): 1 says nothing.
    ``alias_groups``: arrays that have a name in common may share memory; an array without any overlaps no other.
    ``may_alias_internally``: different elements may share memory, as with a stride of zero.

    An entry that a constant makes redundant is dropped; one that contradicts it is an error.
    """

    dtype: DType
    ndim: int
    index_dtype: DType
    stride_lower_bound_incl: tuple[int | None, ...]
    alias_groups: tuple[str, ...]
    may_alias_internally: bool
    stride_constant: tuple[int | None, ...]
    shape_constant: tuple[int | None, ...]
    stride_divisible_by: tuple[int, ...]
    shape_divisible_by: tuple[int, ...]
    base_addr_divisible_by: int

    def __init__(
        self,
        dtype: DType,
        ndim: int,
        *,
        index_dtype: DType,
        stride_lower_bound_incl: Sequence[int | None] | int | None,
        alias_groups: Sequence[str],
        may_alias_internally: bool,
        stride_constant: Sequence[int | None] | None = None,
        shape_constant: Sequence[int | None] | None = None,
        stride_divisible_by: Sequence[int] | int = 1,
        shape_divisible_by: Sequence[int] | int = 1,
        base_addr_divisible_by: int = 1,
    ):
        dtype = _dtype(dtype)
        if not _is_int(ndim):
            raise TypeError(f"ndim is {ndim!r}, expected an integer")
        if ndim < 0:
            raise ValueError(f"ndim is {ndim}, expected no negative number of axes")
        index_dtype = _dtype(index_dtype)
        if index_dtype not in (int32, uint32, int64):
            raise ValueError(f"index_dtype is {index_dtype}, expected int32 or int64")
        _divisor("base_addr_divisible_by", base_addr_divisible_by)
        fields = {
            "dtype": dtype,
            "ndim": ndim,
            "index_dtype": index_dtype,
            "alias_groups": _groups(alias_groups),
            "may_alias_internally": bool(may_alias_internally),
            "base_addr_divisible_by": base_addr_divisible_by,
        }
        for name, value, unset, check in (
            ("stride_lower_bound_incl", stride_lower_bound_incl, None, _int_or_none),
            ("stride_constant", stride_constant, None, _int_or_none),
            ("shape_constant", shape_constant, None, _extent_or_none),
            ("stride_divisible_by", stride_divisible_by, 1, _divisor),
            ("shape_divisible_by", shape_divisible_by, 1, _divisor),
        ):
            fields[name] = _per_axis(name, value, ndim, unset, check)

        for constant, bound in (("stride_constant", "stride_lower_bound_incl"),):
            fields[bound] = _dropped(fields, constant, bound, None, "is less than", lambda value, low: value >= low)
        for constant, divisor in (("stride_constant", "stride_divisible_by"), ("shape_constant", "shape_divisible_by")):
            fields[divisor] = _dropped(
                fields, constant, divisor, 1, "is not divisible by", lambda value, by: value % by == 0
            )
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, fields[field.name])


def _dropped(fields: dict, constant: str, fact: str, unset: Any, problem: str, holds: Callable) -> tuple:
    """The entries of `fact` without those that a constant implies."""
    result = list(fields[fact])
    for axis, value in enumerate(fields[constant]):
        if value is not None and result[axis] != unset:
            if not holds(value, result[axis]):
                raise ValueError(f"{constant}[{axis}] is {value}, which {problem} {fact}[{axis}], {result[axis]}")
            result[axis] = unset
    return tuple(result)


@dataclass(frozen=True, init=False)
class ListConstraint:
    """A list of arrays that satisfy ``element``. ``alias_groups`` are those of the list's own storage;
    ``elements_may_alias`` says whether two of the arrays may share memory."""

    element: ArrayConstraint
    alias_groups: tuple[str, ...]
    elements_may_alias: bool

    def __init__(self, element: ArrayConstraint, *, alias_groups: Sequence[str], elements_may_alias: bool):
        if not isinstance(element, ArrayConstraint):
            raise TypeError(f"the element of a list is {element!r}, expected an ArrayConstraint")
        object.__setattr__(self, "element", element)
        object.__setattr__(self, "alias_groups", _groups(alias_groups))
        object.__setattr__(self, "elements_may_alias", bool(elements_may_alias))


@dataclass(frozen=True, init=False)
class TupleConstraint:
    """A tuple: a constraint per item."""

    items: tuple[ParameterConstraint, ...]

    def __init__(self, items: Sequence[Any]):
        object.__setattr__(self, "items", tuple(to_constraint(item) for item in items))


@dataclass(frozen=True, init=False, eq=False)
class ConstantConstraint:
    """The parameter has this value at compile time. 1, 1.0 and True are three values; a NaN equals itself."""

    value: ConstantValue

    def __init__(self, value: ConstantValue):
        for kind in (bool, int, float):  # subclasses, as of NumPy, become the type itself
            if isinstance(value, kind):
                object.__setattr__(self, "value", kind(value))
                return
        raise TypeError(f"a constant is {value!r}, expected a bool, int or float")

    def _identity(self) -> tuple:
        value = self.value
        return type(value), struct.pack("<d", value) if isinstance(value, float) else value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConstantConstraint):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


ConstantValue = Union[bool, int, float]  # noqa: UP007
ParameterConstraint = Union[  # noqa: UP007
    ScalarConstraint, ArrayConstraint, ListConstraint, TupleConstraint, ConstantConstraint
]
_CONSTRAINTS = (ScalarConstraint, ArrayConstraint, ListConstraint, TupleConstraint, ConstantConstraint)


def to_constraint(value: Any) -> ParameterConstraint:
    """A number stands for a constant, a tuple for a TupleConstraint."""
    if isinstance(value, _CONSTRAINTS):
        return value
    if isinstance(value, tuple):
        return TupleConstraint(value)
    if isinstance(value, (bool, int, float)):
        return ConstantConstraint(value)
    raise TypeError(f"{value!r} is no constraint, expected one of tilewright.compilation, a number or a tuple")


def alias_groups_in(constraints: Sequence[ParameterConstraint]) -> Iterator[tuple[ParameterConstraint, str]]:
    """Every mention of an alias group, in order, with the constraint that has it."""
    for constraint in constraints:
        if isinstance(constraint, TupleConstraint):
            yield from alias_groups_in(constraint.items)
        elif isinstance(constraint, (ArrayConstraint, ListConstraint)):
            yield from ((constraint, name) for name in constraint.alias_groups)
            if isinstance(constraint, ListConstraint):
                yield from alias_groups_in([constraint.element])
