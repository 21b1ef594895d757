# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in programs of JAX. Source compatible with ``cuda.tile.jax``. Since 0.1.

A call is a foreign function of XLA's: it may stand inside of ``jax.jit``, and takes part in what XLA schedules. Tested
with jax 0.10 on the CPU; on a GPU with a driver of tests only. There are no rules for ``vmap`` and for gradients.
"""

from __future__ import annotations

import functools
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.kernel import kernel as Kernel

if TYPE_CHECKING:
    import jax

__all__ = ["InputOutput", "OutputPlaceholder", "cutile_call"]

_TARGET = "tilewright_launch"
_PROCESS = secrets.token_hex(8)  # a program that another process has compiled names calls of that process


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
    """In the place of an argument: the operand of the call with this number, or result if it is written."""

    number: int
    is_result: bool


@dataclass(frozen=True)
class _Call:
    kernel: Kernel
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]  # with _Operand in the place of arrays

    def run(self, operands: list[Any], results: list[Any], stream: int | None) -> None:
        from tilewright.kernel import launch

        def filled(argument: Any) -> Any:
            if isinstance(argument, _Operand):
                return (results if argument.is_result else operands)[argument.number]
            return tuple(map(filled, argument)) if isinstance(argument, tuple) else argument

        launch(stream, self.grid, self.kernel, tuple(map(filled, self.arguments)))


_calls: dict[str, _Call] = {}
_names: dict[Any, str] = {}


def cutile_call(grid: tuple[int, ...], kernel: Kernel, args: Sequence[Any]) -> jax.Array | tuple[jax.Array, ...]:
    """Launch ``kernel`` over ``grid`` with ``args``, in a function that JAX compiles or outside of one.

    An argument is a JAX array, which the kernel only reads; an `OutputPlaceholder` or an `InputOutput`, which it
    writes; a number that is known when JAX traces (of a ``Constant`` parameter any value); or a tuple of these. Arrays
    are passed row by row.

    Returns the array of the only placeholder or `InputOutput`, or a tuple of them in order. TypeError names an argument
    that is none of these. JAX raises the exception of a launch as its own error with the same text.
    """
    jax = _jax()
    if not isinstance(kernel, Kernel):
        raise TypeError(f"cutile_call takes a kernel, found {kernel!r}; mark the function with @tilewright.kernel")
    needed = [parameter for parameter in kernel.parameters if not parameter.has_default]
    if not len(needed) <= len(args) <= len(kernel.parameters):
        raise TypeError(f"{kernel.__name__} takes {len(kernel.parameters)} arguments, found {len(args)}")
    operands: list[Any] = []
    results: list[Any] = []
    aliases: dict[int, int] = {}

    def result(shape: Any, dtype: Any) -> _Operand:
        results.append(jax.ShapeDtypeStruct(tuple(shape), dtype))
        return _Operand(len(results) - 1, True)

    def read(argument: Any, parameter: Any, name: str) -> Any:
        if isinstance(argument, InputOutput):
            aliases[len(operands)] = len(results)
            operands.append(argument.array)
            return result(argument.array.shape, argument.array.dtype)
        if isinstance(argument, OutputPlaceholder):
            return result(argument.shape, argument.dtype)
        if isinstance(argument, jax.Array):
            operands.append(argument)
            return _Operand(len(operands) - 1, False)
        if isinstance(argument, tuple) and not (parameter is not None and parameter.constant):
            if parameter is not None and parameter.items and len(parameter.items) != len(argument):
                raise TypeError(f"{name} has {len(argument)} items, expected {len(parameter.items)} as annotated")
            return tuple(
                read(item, parameter.item(i) if parameter is not None else None, f"{name}[{i}]")
                for i, item in enumerate(argument)
            )
        if isinstance(argument, (bool, int, float)) or (parameter is not None and parameter.constant):
            return argument
        raise TypeError(
            f"{kernel.__name__}: argument {name!r} is a {type(argument).__name__}, expected a JAX array, an"
            " OutputPlaceholder, an InputOutput or a static number"
        )

    filled = tuple(
        read(argument, parameter, parameter.name) for argument, parameter in zip(args, kernel.parameters, strict=False)
    )
    if not results:
        raise TypeError(
            f"{kernel.__name__}: no argument is an OutputPlaceholder or an InputOutput, expected one or more"
        )
    _register()
    call = jax.ffi.ffi_call(_TARGET, results, input_output_aliases=aliases or None)
    made = call(*operands, call=_name(_Call(kernel, tuple(map(int, grid)), filled)))
    return made[0] if len(results) == 1 else tuple(made)


def _name(call: _Call) -> str:
    """The name by which the compiled program refers to this call; equal calls have one name."""
    key = (call.kernel, call.grid, _identity(call.arguments))
    name = _names.setdefault(key, f"{call.kernel.__name__}.{_PROCESS}.{len(_names)}")
    _calls.setdefault(name, call)
    return name


def _identity(argument: Any) -> Any:
    """Equal for arguments that mean the same: 1, 1.0 and True are three, and so are 0.0 and -0.0."""
    if isinstance(argument, tuple):
        return tuple(map(_identity, argument))
    is_plain = isinstance(argument, (bool, int, float, str, _Operand))
    return type(argument), repr(argument) if is_plain else id(argument)


def _run(name: str, operands: list[Any], results: list[Any], stream: int | None) -> None:
    if name not in _calls:
        raise KeyError(f"the program was compiled by another process, whose kernel {name} is not here")
    _calls[name].run(operands, results, stream)


def _jax() -> Any:
    try:
        import jax
        import jax.ffi
    except ImportError:
        raise ImportError("tilewright.jax needs JAX, which is not installed: pip install jax") from None
    return jax


@functools.cache
def _register() -> tuple[Any, ...]:
    """Tells XLA of the handlers, which live as long as the process."""
    from tilewright._runtime.xla_ffi import make_handler

    handlers = tuple(make_handler(_run, on_gpu) for on_gpu in (False, True))
    for handler, platform in zip(handlers, ("cpu", "CUDA"), strict=True):
        _jax().ffi.register_ffi_target(_TARGET, _jax().ffi.pycapsule(handler), platform=platform)
    return handlers
