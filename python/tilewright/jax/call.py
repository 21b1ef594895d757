# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One launch as a function of JAX. Source compatible with ``cuda.tile.jax``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright._runtime.tracebacks import boundary
from tilewright.jax.known import Known
from tilewright.jax.needed import needed
from tilewright.jax.recording import Recording
from tilewright.kernel import kernel as Kernel
from tilewright.kernel import launch

if TYPE_CHECKING:
    import jax

    from tilewright.jax.primitive import Call

__all__ = ["InputOutput", "OutputPlaceholder", "cutile_call"]


@dataclass
class OutputPlaceholder:
    """An argument that JAX makes: an array that the kernel writes, and that `cutile_call` returns."""

    shape: tuple[int, ...]
    dtype: Any


@dataclass
class InputOutput:
    """An argument that the kernel changes in place; `cutile_call` returns it changed, ``array`` stays as it is."""

    array: jax.Array


@dataclass(frozen=True)
class _Operand:
    """In the place of an argument: the operand of the call with this number."""

    number: int


@dataclass(frozen=True)
class _Result:
    """In the place of an argument: what the call allocates."""

    shape: tuple[int, ...]
    dtype: np.dtype


_calls: dict[Any, Call] = {}


@boundary
def cutile_call(grid: tuple[int, ...], kernel: Kernel, args: Sequence[Any]) -> jax.Array | tuple[jax.Array, ...]:
    """Launch ``kernel`` over ``grid`` with ``args``, in a function that JAX compiles or outside of one.

    An argument is a JAX array, which the kernel only reads; an `OutputPlaceholder` or an `InputOutput`, which it
    writes; a number that is known when JAX traces (of a ``Constant`` parameter any value); or a tuple of these. Arrays
    are passed row by row. `jax.vmap` runs the kernel over a batch; it has no gradient.

    Returns the array of the only placeholder or `InputOutput`, or a tuple of them in order. TypeError names an argument
    that is none of these. JAX raises the exception of a launch as its own error with the same text.
    """
    jax = needed()
    if not isinstance(kernel, Kernel):
        raise TypeError(f"cutile_call takes a kernel, found {kernel!r}; mark the function with @tilewright.kernel")
    required = [parameter for parameter in kernel.parameters if not parameter.has_default]
    if not len(required) <= len(args) <= len(kernel.parameters):
        raise TypeError(f"{kernel.__name__} takes {len(kernel.parameters)} arguments, found {len(args)}")
    operands: list[Any] = []
    written: list[int | None] = []  # of each result the operand that it is, if it is one

    def read(argument: Any, parameter: Any, name: str) -> Any:
        if isinstance(argument, InputOutput):
            written.append(len(operands))
        if isinstance(argument, (InputOutput, jax.Array)):
            operands.append(argument.array if isinstance(argument, InputOutput) else argument)
            return _Operand(len(operands) - 1)
        if isinstance(argument, OutputPlaceholder):
            written.append(None)
            return _Result(tuple(argument.shape), np.dtype(argument.dtype))
        if isinstance(argument, tuple) and not (parameter is not None and parameter.constant):
            if parameter is not None and parameter.items and len(parameter.items) != len(argument):
                raise TypeError(f"{name} has {len(argument)} items, expected {len(parameter.items)} as annotated")
            return tuple(
                read(item, parameter.item(i) if parameter is not None else None, f"{name}[{i}]")
                for i, item in enumerate(argument)
            )
        if isinstance(argument, (bool, int, float)) or (parameter is not None and parameter.constant):
            return Known(argument)
        raise TypeError(
            f"{kernel.__name__}: argument {name!r} is a {type(argument).__name__}, expected a JAX array, an"
            " OutputPlaceholder, an InputOutput or a static number"
        )

    filled = tuple(
        read(argument, parameter, parameter.name) for argument, parameter in zip(args, kernel.parameters, strict=False)
    )
    if not written:
        raise TypeError(
            f"{kernel.__name__}: no argument is an OutputPlaceholder or an InputOutput, expected one or more"
        )
    mutated = tuple(i for i in written if i is not None)
    call = _call_for(kernel, tuple(map(int, grid)), filled, operands, mutated)
    results = call.run(operands)
    changed, allocated = iter(results[: len(mutated)]), iter(results[len(mutated) :])
    made = [next(allocated if i is None else changed) for i in written]
    return made[0] if len(made) == 1 else tuple(made)


def _call_for(
    kernel: Kernel, grid: tuple[int, ...], arguments: tuple[Any, ...], operands: list[Any], mutated: tuple[int, ...]
) -> Call:
    """Equal calls have one, and one program of XLA's."""
    from tilewright.jax.primitive import Call

    described = tuple((tuple(operand.shape), np.dtype(operand.dtype)) for operand in operands)
    key = (kernel, grid, arguments, described, mutated)
    if key not in _calls:

        def record(recording: Recording) -> None:
            args = tuple(_given(recording, argument) for argument in arguments)
            recording.run(lambda: launch(None, grid, kernel, args))

        _calls[key] = Call(kernel.__name__, record, described, mutated)
    return _calls[key]


def _given(recording: Recording, argument: Any) -> Any:
    if isinstance(argument, tuple):
        return tuple(_given(recording, item) for item in argument)
    if isinstance(argument, _Operand):
        return recording.items[argument.number]
    if isinstance(argument, _Result):
        return recording.allocate(argument.shape, argument.dtype)
    return argument.value
