# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls as JAX knows them: their results, the call of XLA's that each becomes, and the one that vmap makes of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.extend.core
import numpy as np
from jax.interpreters import ad, batching, mlir

from tilewright import _native
from tilewright.errors import OperatorError
from tilewright.jax.arrays import NeedsCopy, Shape
from tilewright.jax.program import make_program
from tilewright.jax.recording import Level, Recording

_TARGET = "tilewright"


class Call:
    """One call, traced: `record` runs a function on arrays without elements and returns the recording of it and
    what else its caller wants to know, which is `outcome`. Its `operands` have (shape, dtype); it writes those of
    the numbers `mutated`, which are its first results in XLA. The others are all that the function allocates."""

    def __init__(
        self,
        name: str,
        record: Callable[[Recording], Any],
        operands: Sequence[tuple[Shape, np.dtype]],
        mutated: tuple[int, ...],
        levels: tuple[Level, ...] = (),
    ):
        self.name = name
        self.record = record
        self.operands = tuple(operands)
        for shape, _ in self.operands:
            if not all(isinstance(extent, int) for extent in shape):
                raise TypeError(f"{name}: an array of shape {shape}, expected numbers: a launch has a grid of such")
        self.mutated = mutated
        self.levels = levels
        self.recording = Recording(self.operands, levels, frozenset(mutated))
        self.outcome = record(self.recording)
        allocated = [(memory.shape, memory.dtype) for memory in self.recording.allocated]
        self._over: dict[Level, Call] = {}
        self.results = [*(self.operands[i] for i in mutated), *allocated]

    @functools.cached_property
    def program(self) -> _native.XlaProgram:
        return make_program(self.name, self.recording)

    def over(self, level: Level) -> Call:
        """The call under one more vmap."""
        if level not in self._over:
            operands = [
                (shape if axis is None else (*shape[:axis], level.extent, *shape[axis:]), dtype)
                for (shape, dtype), axis in zip(self.operands, level.axes, strict=True)
            ]
            self._over[level] = Call(self.name, self.record, operands, self.mutated, (level, *self.levels))
        return self._over[level]

    def run(self, operands: Sequence[Any]) -> list[Any]:
        """All results, in a function that JAX traces or outside of one."""
        if not self.results:
            return []
        _register()
        constants = [constant.value for constant in self.recording.constants.values()]
        for value in constants:
            if jax.dtypes.canonicalize_dtype(value.dtype) != value.dtype:
                raise OperatorError(f"{self.name}: an array of NumPy's has dtype {value.dtype}, which JAX has with"
                                    " jax_enable_x64 only; use one of 32 bits")  # fmt: skip
        return _primitive.bind(*varying_alike([*operands, *constants]), call=self)

    def __repr__(self) -> str:
        return self.name  # in the text of a jaxpr


_primitive = jax.extend.core.Primitive("tilewright")
_primitive.multiple_results = True


@_primitive.def_impl
def _run_at_once(*operands: Any, call: Call) -> list[Any]:
    with jax.disable_jit(False):  # or it would come back here
        return _compiled(call)(*operands)


@functools.cache
def _compiled(call: Call) -> Callable:
    return jax.jit(lambda *operands: _primitive.bind(*operands, call=call))


@_primitive.def_abstract_eval
def _results(*operands: Any, call: Call) -> list[Any]:
    if not operands:
        return [jax.core.ShapedArray(shape, dtype) for shape, dtype in call.results]
    like, replicated = operands[0], jax.sharding.PartitionSpec
    mesh = like.sharding.mesh
    return [
        like.update(
            shape=shape,
            dtype=dtype,
            weak_type=False,
            sharding=jax.sharding.NamedSharding(mesh, replicated(*[None] * len(shape))),
        )
        for shape, dtype in call.results
    ]


def _lower(context: Any, *operands: Any, call: Call) -> Any:
    aliases = {operand: result for result, operand in enumerate(call.mutated)}
    lower = jax.ffi.ffi_lowering(_TARGET, operand_output_aliases=aliases)
    address = np.int64(call.program.address)
    return lower(context, *operands, program=address, process=np.int64(_native.xla_process))


def _over_batch(values: Sequence[Any], axes: Sequence[Any], *, call: Call) -> tuple[list[Any], list[Any]]:
    """The rule of vmap. An array stays as it is if the last axis is not the one that is mapped over, and the function
    makes no view of an item that only a row-major one has. One that the operator mutates, and that is not mapped over,
    is repeated."""
    values, axes = list(values[: len(call.operands)]), list(axes[: len(call.operands)])  # `over` has constants itself
    (extent,) = {value.shape[axis] for value, axis in zip(values, axes, strict=True) if axis is not None}

    def to_front(numbers: Iterable[int]) -> Call:
        for i in numbers:
            values[i], axes[i] = jax.numpy.moveaxis(values[i], axes[i], 0), 0
        return call.over(Level(extent, tuple(axes)))

    for i in call.mutated:
        if axes[i] is None:
            values[i], axes[i] = jax.numpy.broadcast_to(values[i], (extent, *values[i].shape)), 0
    mapped = [i for i, axis in enumerate(axes) if axis is not None]
    try:
        # On a CPU, 512 columns of 1024 took 1.2 ms as they are, and 0.3 ms moved first.
        over = to_front(i for i in mapped if axes[i] == values[i].ndim - 1 and i not in call.mutated)
    except NeedsCopy:
        over = to_front(mapped)
    allocated = len(call.results) - len(call.mutated)
    return over.run(values), [*(axes[i] for i in call.mutated), *[0] * allocated]


def _refuse_to_differentiate(values: Any, tangents: Any, *, call: Call) -> Any:
    raise OperatorError(f"{call.name} has no gradient; register_autograd gives it one")


mlir.register_lowering(_primitive, _lower)
batching.primitive_batchers[_primitive] = _over_batch
ad.primitive_jvps[_primitive] = _refuse_to_differentiate


def varying_alike(operands: Sequence[Any]) -> Sequence[Any]:
    """In `shard_map`, operands that all differ from device to device if one does, as results will."""
    axes = [_varying(jax.typeof(operand)) for operand in operands]
    every = frozenset().union(*axes)
    if not every:
        return operands
    return [jax.lax.pcast(operand, tuple(sorted(every - own)), to="varying") if own != every else operand
            for operand, own in zip(operands, axes, strict=True)]  # fmt: skip


def _varying(kind: Any) -> frozenset:
    manual = getattr(kind, "manual_axis_type", None)
    return getattr(kind, "vma", frozenset()) if manual is None else manual.varying


@functools.cache
def _register() -> None:
    """Tell XLA of the handlers."""
    for handler, platform in ((_native.xla_handler_cpu, "cpu"), (_native.xla_handler_gpu, "CUDA")):
        jax.ffi.register_ffi_target(_TARGET, handler, platform=platform)
