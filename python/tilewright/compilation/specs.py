# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between constraints, which people write, and the specs that the front end compiles for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright._frontend.signature import (
    ArgumentSpec,
    ArraySpec,
    ConstantSpec,
    DataclassSpec,
    ListSpec,
    Parameter,
    ScalarSpec,
    Signature,
    TupleSpec,
)
from tilewright.compilation.constraints import (
    ArrayConstraint,
    ConstantConstraint,
    ListConstraint,
    ParameterConstraint,
    ScalarConstraint,
    TupleConstraint,
)

if TYPE_CHECKING:
    from tilewright.compilation.signature import KernelSignature
    from tilewright.kernel import kernel as Kernel

_LARGEST_DIVISOR = 1024  # the largest that compilers of Tile IR use


def signature_of_constraints(kernel: Kernel, signature: KernelSignature) -> Signature:
    """The specialization for which the front end compiles `kernel`; the constraints must fit the annotations of the
    parameters."""
    parameters = kernel.parameters
    if len(signature.parameters) != len(parameters):
        names = ", ".join(parameter.name for parameter in parameters)
        raise TypeError(
            f"the signature has {len(signature.parameters)} parameters, expected {len(parameters)}: {names}"
        )
    specs = tuple(
        _spec(constraint, parameter, f"parameter {parameter.name!r}")
        for constraint, parameter in zip(signature.parameters, parameters, strict=True)
    )
    return Signature(specs)


def _spec(constraint: ParameterConstraint, parameter: Parameter, what: str) -> ArgumentSpec:
    found = type(constraint).__name__
    if isinstance(constraint, TupleConstraint):
        members = parameter.items or (parameter.each or parameter,) * len(constraint.items)
        if len(members) != len(constraint.items):
            raise TypeError(f"{what} has {len(constraint.items)} items, expected {len(members)} as annotated")
        return TupleSpec(
            tuple(
                _spec(item, member, f"item {i} of {what}")
                for i, (item, member) in enumerate(zip(constraint.items, members, strict=True))
            )
        )
    if parameter.items or parameter.each:
        raise TypeError(f"{what} is annotated as a tuple, found {found}")
    if isinstance(constraint, ConstantConstraint):
        return ConstantSpec(constraint.value)
    if parameter.constant:
        raise TypeError(f"{what} is annotated Constant, found {found}, expected a ConstantConstraint")
    if isinstance(constraint, ScalarConstraint):
        if parameter.scalar_dtype not in (None, constraint.dtype):
            raise TypeError(f"{what} is annotated {parameter.scalar_dtype}, found a scalar of {constraint.dtype}")
        return ScalarSpec(constraint.dtype)
    if parameter.scalar_dtype is not None:
        raise TypeError(f"{what} is annotated as a scalar, found {found}")
    if isinstance(constraint, ListConstraint):
        return _list_spec(constraint, parameter, what)
    if parameter.element is not None:
        raise TypeError(f"{what} is annotated as a list of arrays, found {found}")
    return _array_spec(constraint, parameter, what)


def _list_spec(constraint: ListConstraint, parameter: Parameter, what: str) -> ListSpec:
    """Whether elements may alias makes no difference: they are one memory to whatever orders accesses."""
    element = _array_spec(constraint.element, parameter.element or parameter, f"the element of {what}")
    return ListSpec(element, constraint.alias_groups)


def _array_spec(array: ArrayConstraint, parameter: Parameter, what: str) -> ArraySpec:
    for axis, (constant, bound) in enumerate(zip(array.stride_constant, array.stride_lower_bound_incl, strict=True)):
        least = bound if constant is None else constant
        if least is None or least < 0:
            raise TypeError(
                f"stride {axis} of {what} may be negative, which is not supported; say stride_lower_bound_incl=0"
            )
    for note, axes, values in (
        ("static_shape_dims", parameter.static_shape_axes, array.shape_constant),
        ("static_stride_dims", parameter.static_stride_axes, array.stride_constant),
    ):
        for axis in axes:
            if not -array.ndim <= axis < array.ndim:
                raise TypeError(f"{note} of {what} has axis {axis}, found an array of {array.ndim} axes")
            if values[axis] is None:
                constant = "shape_constant" if note == "static_shape_dims" else "stride_constant"
                raise TypeError(f"{what} is annotated with axis {axis} in {note}, expected its value in {constant}")
    return ArraySpec(
        array.dtype,
        array.ndim,
        index_dtype=array.index_dtype,
        static_strides=array.stride_constant,
        base_divisible_by=_power_of_two(array.base_addr_divisible_by),
        stride_divisible_by=tuple(map(_power_of_two, array.stride_divisible_by)),
        shape_divisible_by=tuple(map(_power_of_two, array.shape_divisible_by)),
        static_shape=array.shape_constant,
        alias_groups=array.alias_groups,
        may_alias_internally=array.may_alias_internally,
    )


def _power_of_two(divisor: int) -> int:
    return min(divisor & -divisor, _LARGEST_DIVISOR)


def constraints_of_arguments(kernel: Kernel, arguments: tuple[Any, ...], version: int) -> list[ParameterConstraint]:
    """The specialization for a launch with these arguments, in a version of the calling convention."""
    from tilewright._runtime.dispatch import make_launcher

    specs = make_launcher(kernel).specs(arguments)
    return [
        _constraint(spec, parameter, version, f"parameter {parameter.name!r}")
        for spec, parameter in zip(specs, kernel.parameters, strict=True)
    ]


def _constraint(spec: ArgumentSpec, parameter: Parameter, version: int, what: str) -> ParameterConstraint:
    if isinstance(spec, ScalarSpec):
        return ScalarConstraint(spec.dtype)
    if isinstance(spec, TupleSpec):
        return TupleConstraint(
            [
                _constraint(item, parameter.item(i) or parameter, version, f"item {i} of {what}")
                for i, item in enumerate(spec.items)
            ]
        )
    if isinstance(spec, DataclassSpec):
        raise TypeError(f"{what} is a dataclass, which no calling convention passes yet; pass its fields or a tuple")
    if isinstance(spec, ConstantSpec):
        try:
            return ConstantConstraint(spec.value)
        except TypeError as error:
            raise TypeError(f"{what}: {error}") from None
    if isinstance(spec, ListSpec):
        element = _array_constraint(spec.element, parameter.element or parameter, version)
        return ListConstraint(element, alias_groups=(), elements_may_alias=True)
    return _array_constraint(spec, parameter, version)


def _array_constraint(spec: ArraySpec, parameter: Parameter, version: int) -> ArrayConstraint:
    shape = spec.static_shape
    if version < 2:  # which passes no extents of one that only the arguments at hand have
        annotated = {axis % spec.ndim for axis in parameter.static_shape_axes}
        shape = tuple(extent if axis in annotated else None for axis, extent in enumerate(shape))
    return ArrayConstraint(
        spec.dtype,
        spec.ndim,
        index_dtype=spec.index_dtype,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=spec.may_alias_internally,
        stride_constant=spec.static_strides,
        shape_constant=shape,
        stride_divisible_by=spec.stride_divisible_by,
        shape_divisible_by=tuple(
            1 if constant is not None else divisor
            for constant, divisor in zip(shape, spec.shape_divisible_by, strict=True)
        ),
        base_addr_divisible_by=spec.base_divisible_by,
    )
