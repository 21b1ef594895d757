# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of an operator's function on arrays without elements. Its launches are kept instead of run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tilewright import _native
from tilewright._runtime.observed import Path, launches_go_to, value_at, written_arguments
from tilewright.jax.arrays import Array, Memory, Shape, _of_thread, row_major


@dataclasses.dataclass(frozen=True)
class Level:
    """One vmap: its extent, and the axis of each operand that it maps over, among those that are left of the operand
    after the levels before it."""

    extent: int
    axes: tuple[int | None, ...]


@dataclasses.dataclass(frozen=True)
class Launch:
    kernel: Any
    grid: Any
    args: tuple


@dataclasses.dataclass(frozen=True)
class Constant:
    """An array of NumPy's, and what stands for it in launches."""

    value: np.ndarray
    array: Array


class Recording:
    """`operands` are the (shape, dtype) of what XLA passes, with all axes that `levels`, from the outermost, map over;
    `items` are these as the function has them. Memory that it allocates gets an axis in front for each level. Arrays of
    NumPy's that it gives to kernels are operands behind the others."""

    def __init__(self, operands: Sequence[tuple[Shape, np.dtype]], levels: tuple[Level, ...], writable: frozenset[int]):
        self.levels = levels
        self.writable = writable  # numbers of operands
        self.launches: list[Launch] = []
        self.allocated: list[Memory] = []
        self.constants: dict[int, Constant] = {}  # by the identity of NumPy's array
        self.items = [self._operand(i, *operand) for i, operand in enumerate(operands)]

    @property
    def num_buffers(self) -> int:
        """XLA's: operands, results that are operands, and other results, by whose numbers memory is known."""
        return self.num_operands + len(self.writable) + len(self.allocated)

    @property
    def num_operands(self) -> int:
        return len(self.items) + len(self.constants)

    def run(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        before = getattr(_of_thread, "allocate", None)
        _of_thread.allocate = self.allocate
        try:
            with launches_go_to(self._launch):
                return function(*args, **kwargs)
        finally:
            _of_thread.allocate = before
            for place, memory in enumerate(self.allocated):  # once the number of constants is known
                memory.number = self.num_operands + len(self.writable) + place

    def allocate(self, shape: Shape, dtype: np.dtype) -> Array:
        extents = tuple(level.extent for level in self.levels)
        strides = row_major((*extents, *shape))
        memory = Memory(self.num_buffers, dtype, (*extents, *shape), strides[: len(extents)])
        self.allocated.append(memory)
        return Array(memory, 0, shape, strides[len(extents) :])

    def written(self, launch: Launch) -> Iterator[tuple[Path, int]]:
        """The paths to the arguments of a launch that its kernel writes, and the numbers of their memory."""
        for path in sorted(written_arguments(launch.kernel, self.described(launch.args))):
            for memory in memories_in(value_at(launch.args, path)):
                yield path, memory.number

    def described(self, args: tuple) -> tuple:
        return replaced(args, lambda array: Described(self, array))

    def _operand(self, number: int, shape: Shape, dtype: np.dtype) -> Array:
        left, strides, distances = list(shape), list(row_major(shape)), []
        for level in self.levels:
            axis = level.axes[number]
            if axis is None:
                distances.append(0)
            else:
                distances.append(strides.pop(axis))
                left.pop(axis)
        memory = Memory(number, dtype, shape, tuple(distances))
        return Array(memory, 0, tuple(left), tuple(strides))

    def _launch(self, kernel: Any, grid: Any, args: tuple, stream: Any) -> None:
        args = replaced(tuple(args), lambda value: self._constant(value) if isinstance(value, np.ndarray) else value)
        self.launches.append(Launch(kernel, grid, args))

    def _constant(self, value: np.ndarray) -> Array:
        if id(value) not in self.constants:
            memory = Memory(self.num_operands, value.dtype, value.shape, (0,) * len(self.levels))
            self.constants[id(value)] = Constant(value, Array(memory, 0, value.shape, row_major(value.shape)))
        return self.constants[id(value)].array


class Described:
    """An array at an address that stands for its memory, as `_native.XlaProgram` takes it; `axis` is one more in front,
    its extent and the bytes of its stride."""

    def __init__(self, recording: Recording, array: Array, axis: tuple[int, int] | None = None):
        memory, item = array.memory, array.dtype.itemsize
        address = (memory.number + 1) * _native.xla_memory_spacing + item * array.offset
        shape, strides = array.shape, tuple(item * stride for stride in array.strides)
        if axis is not None:
            shape, strides = (axis[0], *shape), (axis[1], *strides)
        is_operand = memory.number < recording.num_operands
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": array.dtype.name,
            "data": (address, is_operand and memory.number not in recording.writable),
            "strides": strides,
        }


def replaced(value: Any, replace: Callable[[Any], Any]) -> Any:
    """An argument of a launch, with other values in the place of arrays."""
    if isinstance(value, (Array, np.ndarray)):
        return replace(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(replaced(item, replace) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        return dataclasses.replace(value, **{name: replaced(item, replace) for name, item in changed.items()})
    return value


def memories_in(value: Any) -> list[Memory]:
    """Of the arrays in a value, in order."""
    found: list[Memory] = []
    replaced(value, lambda array: found.append(array.memory))
    return found


def is_whole(array: Array) -> bool:
    """Whether it has all elements of an item, in order."""
    size = math.prod(array.memory.shape[len(array.memory.distances) :])
    if array.dtype != array.memory.dtype:
        return False
    return array.offset == 0 and array.size == size and (size == 0 or _is_row_major(array))


def _is_row_major(array: Array) -> bool:
    axes = zip(array.shape, array.strides, row_major(array.shape), strict=True)
    return all(extent == 1 or stride == expected for extent, stride, expected in axes)
