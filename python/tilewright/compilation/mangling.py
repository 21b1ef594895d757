# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbols of compiled kernels: ``name_Kt1_A1f32_1i16t1_p16_Si32_I128``.

After ``_K`` and the code of the calling convention there is an item per parameter, each behind an underscore:

=========================== ======================================================================================
``S`` dtype                 a number
``A`` ndim dtype facts      an array; facts are below
``L`` groups ``i``? array   a list; its own alias groups, ``i`` if its elements may share memory
``T`` count items           a tuple
``B`` 0|1, ``I`` integer    constants; a negative integer begins with an underscore
``F`` 16 hex digits         a constant in the bits of a double
=========================== ======================================================================================

Facts about axes are grouped: an underscore, the axes as bits of a hexadecimal mask, and what they have in common, of
``s`` (extent), ``i`` (divisor of the extent), ``t`` (stride), ``v`` (divisor of the stride), ``l`` (least stride).
Then, behind one more underscore, ``p`` (divisor of the address), ``g`` and a hexadecimal number for each alias group,
numbered by first mention, ``i`` (overlaps itself), ``w`` (64-bit index type).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import NoReturn

from tilewright import dtypes
from tilewright.compilation.constraints import (
    ArrayConstraint,
    ConstantConstraint,
    ListConstraint,
    ParameterConstraint,
    ScalarConstraint,
    TupleConstraint,
    alias_groups_in,
)
from tilewright.compilation.signature import CallingConvention, KernelSignature
from tilewright.dtypes import DType

_DTYPES = {
    dtypes.bool_: "b8",
    dtypes.tfloat32: "tf32",
    dtypes.bfloat16: "bf16",
    dtypes.float8_e4m3fn: "f8m3fn",
    dtypes.float8_e5m2: "f8m2",
    dtypes.float8_e8m0fnu: "f8m0fnu",
    **{getattr(dtypes, f"{kind}{bits}"): f"{kind[0]}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{getattr(dtypes, f"float{bits}"): f"f{bits}" for bits in (16, 32, 64)},
}
_DTYPES_BY_CODE = {code: dtype for dtype, code in _DTYPES.items()}
# Letter, field of an array's constraint, and the entry that is not written; a to f would look like part of a mask.
_AXIS_FACTS = (
    ("s", "shape_constant", None),
    ("i", "shape_divisible_by", 1),
    ("t", "stride_constant", None),
    ("v", "stride_divisible_by", 1),
    ("l", "stride_lower_bound_incl", None),
)
_MAX_RANK = 64
_MAX_DEPTH = 100


def mangle_kernel_name(function_name: str, kernel_signature: KernelSignature) -> str:
    """The symbol of a kernel compiled for this signature."""
    groups: dict[str, int] = {}
    for _, name in alias_groups_in(kernel_signature.parameters):
        groups.setdefault(name, len(groups))
    items = (_mangle(parameter, groups) for parameter in kernel_signature.parameters)
    return "_".join([f"{function_name}_K{kernel_signature.calling_convention.code}", *items])


def _integer(value: int) -> str:
    return f"_{-value}" if value < 0 else str(value)


def _dtype(dtype: DType) -> str:
    if dtype not in _DTYPES:
        raise ValueError(f"dtype {dtype} has no place in a symbol, expected one of {', '.join(map(str, _DTYPES))}")
    return _DTYPES[dtype]


def _group_numbers(names: Sequence[str], groups: dict[str, int]) -> str:
    return "".join(f"g{number:x}" for number in sorted(groups[name] for name in names))


def _mangle(constraint: ParameterConstraint, groups: dict[str, int]) -> str:
    if isinstance(constraint, ScalarConstraint):
        return f"S{_dtype(constraint.dtype)}"
    if isinstance(constraint, ArrayConstraint):
        return _mangle_array(constraint, groups)
    if isinstance(constraint, ListConstraint):
        overlap = "i" if constraint.elements_may_alias else ""
        return f"L{_group_numbers(constraint.alias_groups, groups)}{overlap}{_mangle(constraint.element, groups)}"
    if isinstance(constraint, TupleConstraint):
        return f"T{len(constraint.items)}" + "".join(_mangle(item, groups) for item in constraint.items)
    value = constraint.value
    if isinstance(value, bool):
        return f"B{value:d}"
    if isinstance(value, int):
        return f"I{_integer(value)}"
    return f"F{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"


def _mangle_array(array: ArrayConstraint, groups: dict[str, int]) -> str:
    masks: dict[str, int] = {}  # axes of each fact, in the order of the table
    for letter, field, unset in _AXIS_FACTS:
        for axis, value in enumerate(getattr(array, field)):
            if value != unset:
                fact = letter + _integer(value)
                masks[fact] = masks.get(fact, 0) | 1 << axis
    text = f"A{array.ndim}{_dtype(array.dtype)}"
    for mask in sorted(set(masks.values())):
        text += f"_{mask:x}" + "".join(fact for fact, axes in masks.items() if axes == mask)
    rest = f"p{array.base_addr_divisible_by}" if array.base_addr_divisible_by != 1 else ""
    rest += _group_numbers(array.alias_groups, groups)
    rest += "i" if array.may_alias_internally else ""
    rest += "w" if array.index_dtype is dtypes.int64 else ""
    return f"{text}_{rest}" if rest else text


def demangle_kernel_name(symbol: str) -> tuple[str, KernelSignature]:
    """The name of the function and the signature in a symbol; alias groups are called group0, group1, ..."""
    function_name, mark, rest = symbol.rpartition("_K")
    if not mark:
        raise ValueError(f"{symbol!r} is no mangled kernel name, expected _K and a signature in it")
    reader = _Reader(symbol, len(symbol) - len(rest))
    convention = CallingConvention.from_code(reader.expect("[^_]*", "a calling convention"))
    parameters = []
    while reader.position < len(symbol):
        reader.expect("_", "an underscore")
        parameters.append(reader.constraint())
    return function_name, KernelSignature(parameters, convention, symbol)


class _Reader:
    """A symbol being read."""

    def __init__(self, symbol: str, position: int):
        self.symbol = symbol
        self.position = position
        self.groups_seen = 0

    def fail(self, expected: str) -> NoReturn:
        found = repr(self.symbol[self.position : self.position + 20]) if self.position < len(self.symbol) else "its end"
        raise ValueError(f"mangled name {self.symbol!r} has {found} at offset {self.position}, expected {expected}")

    def read(self, pattern: str) -> str | None:
        match = re.compile(pattern).match(self.symbol, self.position)
        if match is None:
            return None
        self.position = match.end()
        return match[0]

    def expect(self, pattern: str, expected: str) -> str:
        found = self.read(pattern)
        if found is None:
            self.fail(expected)
        return found

    def integer(self) -> int:
        sign = -1 if self.read("_") else 1
        return sign * int(self.expect("[0-9]{1,40}", "a decimal integer"))

    def divisor(self) -> int:
        start = self.position
        value = self.integer()
        if value < 2:
            self.position = start
            self.fail("a divisor above 1")
        return value

    def dtype(self) -> DType:
        start = self.position
        code = self.expect("[a-z0-9]+", "a dtype")
        if code not in _DTYPES_BY_CODE:
            self.position = start
            self.fail(f"a dtype: one of {', '.join(_DTYPES_BY_CODE)}")
        return _DTYPES_BY_CODE[code]

    def groups(self) -> list[str]:
        numbers: list[int] = []
        while self.read("g"):
            start = self.position
            number = int(self.expect("0|[1-9a-f][0-9a-f]{0,7}", "the number of an alias group"), 16)
            if number > self.groups_seen or (numbers and number <= numbers[-1]):
                self.position = start
                self.fail("alias groups in rising order, numbered by first mention")
            self.groups_seen = max(self.groups_seen, number + 1)
            numbers.append(number)
        return [f"group{number}" for number in numbers]

    def constraint(self, depth: int = 0) -> ParameterConstraint:
        start = self.position
        kind = self.read("[A-Z]")
        if kind == "S":
            return ScalarConstraint(self.dtype())
        if kind == "A":
            return self.array()
        if kind == "L":
            groups = self.groups()
            overlap = self.read("i") is not None
            self.expect("A", "an array")
            return ListConstraint(self.array(), alias_groups=groups, elements_may_alias=overlap)
        if kind == "T":
            count = int(self.expect("[0-9]{1,6}", "a number of items"))
            if depth == _MAX_DEPTH:
                self.fail(f"at most {_MAX_DEPTH} tuples in one another")
            return TupleConstraint([self.constraint(depth + 1) for _ in range(count)])
        if kind == "B":
            return ConstantConstraint(self.expect("[01]", "0 or 1") == "1")
        if kind == "I":
            return ConstantConstraint(self.integer())
        if kind == "F":
            bits = int(self.expect("[0-9a-f]{16}", "16 hexadecimal digits"), 16)
            return ConstantConstraint(struct.unpack("<d", struct.pack("<Q", bits))[0])
        self.position = start
        self.fail("a parameter: one of S, A, L, T, B, I and F")

    def array(self) -> ArrayConstraint:
        start = self.position
        ndim = int(self.expect("[0-9]{1,6}", "a number of axes"))
        if ndim > _MAX_RANK:
            self.position = start
            self.fail(f"at most {_MAX_RANK} axes")
        dtype = self.dtype()
        fields: dict[str, list] = {field: [unset] * ndim for _, field, unset in _AXIS_FACTS}
        start = self.position
        while mask := self.read("_[0-9a-f]+"):
            axes = int(mask[1:], 16)
            if axes == 0 or axes >> ndim:
                self.position = start
                self.fail(f"a mask of the {ndim} axes")
            self.axis_facts(axes, fields)
            start = self.position
        rest = self.read("_(?=[a-z])")
        return ArrayConstraint(
            dtype,
            ndim,
            base_addr_divisible_by=self.divisor() if rest and self.read("p") else 1,
            alias_groups=self.groups() if rest else (),
            may_alias_internally=bool(rest and self.read("i")),
            index_dtype=dtypes.int64 if rest and self.read("w") else dtypes.int32,
            **fields,
        )

    def axis_facts(self, axes: int, fields: dict[str, list]) -> None:
        for letter, field, unset in _AXIS_FACTS:
            start = self.position
            if self.read(letter) is None:
                continue
            value = self.divisor() if unset == 1 else self.integer()
            for axis in range(len(fields[field])):
                if axes >> axis & 1:
                    constant = fields[field.partition("_")[0] + "_constant"][axis]
                    if fields[field][axis] != unset or constant is not None:
                        self.position = start
                        self.fail(f"each fact of axis {axis} once, and none that a constant implies")
                    fields[field][axis] = value
