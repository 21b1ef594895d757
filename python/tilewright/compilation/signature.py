# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures of compiled kernels, and the calling conventions that they may use."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.compilation.constraints import (
    ArrayConstraint,
    ListConstraint,
    ParameterConstraint,
    TupleConstraint,
    alias_groups_in,
    to_constraint,
)

if TYPE_CHECKING:
    from tilewright.kernel import kernel as Kernel


@dataclass(frozen=True, repr=False)
class CallingConvention:
    """How arguments are passed to a compiled kernel, and how its symbol is made.

    A number is passed by value; an array as its pointer, its extents and its strides; a list as a pointer and a length;
    a tuple as its items; a constant not at all. Version 2 adds tuples and extents known at compile time.
    """

    name: str
    code: str
    version: int

    @staticmethod
    def cutile_python_v1() -> CallingConvention:
        return _CONVENTIONS[0]

    @staticmethod
    def cutile_python_v2() -> CallingConvention:
        return _CONVENTIONS[1]

    @staticmethod
    def from_code(code: str, /) -> CallingConvention:
        """The convention with this short name, which stands in mangled symbols: ``t1`` or ``t2``."""
        if not isinstance(code, str):
            raise TypeError(f"the code of a calling convention is {code!r}, expected a string")
        for convention in _CONVENTIONS:
            if convention.code == code:
                return convention
        codes = " or ".join(convention.code for convention in _CONVENTIONS)
        raise ValueError(f"unknown calling convention code {code!r}, expected {codes}")

    def __repr__(self) -> str:
        return f"CallingConvention({self.name!r}, {self.code!r})"


_CONVENTIONS = (CallingConvention("cutile_python_v1", "t1", 1), CallingConvention("cutile_python_v2", "t2", 2))


@dataclass(frozen=True, init=False)
class KernelSignature:
    """One compiled form of a kernel: a constraint per Python parameter, a calling convention, and the symbol, or None
    to have it made from the name of the function and this signature.

    A plain number stands for a `ConstantConstraint`, a plain tuple for a `TupleConstraint`.
    """

    parameters: tuple[ParameterConstraint, ...]
    calling_convention: CallingConvention
    symbol: str | None

    def __init__(self, parameters: Sequence[Any], calling_convention: CallingConvention, symbol: str | None = None):
        if symbol is not None and not isinstance(symbol, str):
            raise TypeError(f"symbol is {symbol!r}, expected a string or None")
        if not isinstance(calling_convention, CallingConvention):
            raise TypeError(
                f"calling_convention is {calling_convention!r}, expected one such as"
                " CallingConvention.cutile_python_v1()"
            )
        parameters = tuple(to_constraint(parameter) for parameter in parameters)
        _check_alias_groups(parameters)
        for parameter in parameters:
            _check_version(parameter, calling_convention)
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "calling_convention", calling_convention)
        object.__setattr__(self, "symbol", symbol)

    def with_symbol(self, symbol: str | None) -> KernelSignature:
        """The same signature with another symbol."""
        return dataclasses.replace(self, symbol=symbol)

    def with_mangled_symbol(self, function_name: str) -> KernelSignature:
        """The same signature with the symbol that ``mangle_kernel_name`` makes."""
        from tilewright.compilation.mangling import mangle_kernel_name

        return self.with_symbol(mangle_kernel_name(function_name, self))

    @staticmethod
    def from_kernel_args(
        kernel: Kernel,
        kernel_args: Sequence[Any],
        calling_convention: CallingConvention,
        *,
        symbol: str | None = None,
    ) -> KernelSignature:
        """The signature that a launch of ``kernel`` with these arguments compiles, its symbol mangled if not given.

        It relies on whatever holds for these arguments, such as an address that is a multiple of 16 by chance. Where
        the code is to run with others, write the constraints down instead.
        """
        from tilewright.compilation.specs import constraints_of_arguments

        parameters = constraints_of_arguments(kernel, tuple(kernel_args), calling_convention.version)
        signature = KernelSignature(parameters, calling_convention, symbol)
        return signature if symbol is not None else signature.with_mangled_symbol(kernel.function.__name__)


def _check_alias_groups(parameters: tuple[ParameterConstraint, ...]) -> None:
    users: dict[str, list[ParameterConstraint]] = {}
    for constraint, name in alias_groups_in(parameters):
        users.setdefault(name, []).append(constraint)
    for name, constraints in users.items():
        if len(constraints) == 1:
            raise ValueError(
                f"alias group {name!r} has one member, expected two or more; an array that shares no memory has no"
                " alias groups"
            )
        if len({type(constraint) for constraint in constraints}) > 1:
            raise ValueError(
                f"alias group {name!r} has arrays and lists in it, expected one kind: the storage of a list shares no"
                " memory with an array"
            )


def _check_version(constraint: ParameterConstraint, convention: CallingConvention) -> None:
    what = None
    if isinstance(constraint, ArrayConstraint) and any(extent is not None for extent in constraint.shape_constant):
        what = "an extent known at compile time"
    elif isinstance(constraint, ListConstraint):
        _check_version(constraint.element, convention)
    elif isinstance(constraint, TupleConstraint):
        what = "a tuple"
        for item in constraint.items:
            _check_version(item, convention)
    if what and convention.version < 2:
        raise ValueError(f"{what} cannot be passed by {convention.name}, expected cutile_python_v2 or later")
