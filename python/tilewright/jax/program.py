# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From recorded launches to those that XLA's call makes: over a batch where vmap maps over arrays, as far as kernels
have a place for it in their grid, and repeated for what is left."""

from __future__ import annotations

import dataclasses
from typing import Any

from tilewright import _native
from tilewright._frontend.batch import Batch, batched_grid, batched_kernel
from tilewright.jax.arrays import Array, Memory
from tilewright.jax.recording import Described, Launch, Recording, memories_in
from tilewright.kernel import kernel as Kernel

_MOST_BLOCKS = 65535  # along the third axis of a grid
_kept: list[Any] = []  # programs live as long as the process, for compiled functions have their addresses


@dataclasses.dataclass(frozen=True)
class _Loop:
    """Levels of vmap that are one: their extent, and the elements from item to item in each memory."""

    extent: int
    distances: dict[Memory, int]


def make_program(name: str, recording: Recording) -> _native.XlaProgram:
    """The recorded launches as XLA's call makes them."""
    program = _native.XlaProgram(name, recording.num_buffers)
    _kept.append(program)
    if all(level.extent for level in recording.levels):
        for launch in recording.launches:
            _add(program, recording, launch)
    return program


def _add(program: _native.XlaProgram, recording: Recording, launch: Launch) -> None:
    loops = _loops(recording, launch)
    over = _grid_loop(launch, loops)
    kernel, grid = launch.kernel, launch.grid
    if over is None:
        args = recording.described(launch.args)
    else:
        loops.remove(over)
        paths: set[tuple[int, ...]] = set()
        args = tuple(_over(recording, value, (i,), over, paths) for i, value in enumerate(launch.args))
        grid, shares = batched_grid(grid, over.extent)
        kernel = batched_kernel(kernel, Batch(frozenset(paths), shares))
    program.add(kernel, grid, args, [(loop.extent, _steps(recording, loop)) for loop in loops])


def _loops(recording: Recording, launch: Launch) -> list[_Loop]:
    """From the outermost; two that are one step through all arrays of the launch are merged."""
    memories = set(memories_in(launch.args))
    loops: list[_Loop] = []
    for i, level in enumerate(recording.levels):
        inner = _Loop(level.extent, {memory: memory.distances[i] for memory in memories})
        if inner.extent == 1:
            continue
        if loops and loops[-1].distances == {memory: inner.extent * step for memory, step in inner.distances.items()}:
            inner = _Loop(loops.pop().extent * inner.extent, inner.distances)
        loops.append(inner)
    return loops


def _grid_loop(launch: Launch, loops: list[_Loop]) -> _Loop | None:
    """The longest one that fits the kernel's grid."""
    if not isinstance(launch.kernel, Kernel) or launch.kernel.batch is not None or not _has_place(launch.args):
        return None
    _, _, z = (*((launch.grid,) if isinstance(launch.grid, int) else tuple(launch.grid)), 1, 1)[:3]
    fitting = [loop for loop in loops if z * loop.extent <= _MOST_BLOCKS]
    return max(fitting, key=lambda loop: loop.extent, default=None)


def _has_place(value: Any) -> bool:
    """Arrays in lists and in dataclasses cannot have an axis that others have not."""
    if isinstance(value, tuple):
        return all(map(_has_place, value))
    return isinstance(value, Array) or not memories_in(value)


def _over(recording: Recording, value: Any, path: tuple[int, ...], loop: _Loop, paths: set) -> Any:
    if isinstance(value, tuple):
        return tuple(_over(recording, item, (*path, i), loop, paths) for i, item in enumerate(value))
    if not isinstance(value, Array):
        return value
    distance = loop.distances[value.memory]
    if distance == 0:
        return Described(recording, value)
    paths.add(path)
    return Described(recording, value, (loop.extent, distance * value.memory.dtype.itemsize))


def _steps(recording: Recording, loop: _Loop) -> list[int]:
    """Bytes by XLA's buffer."""
    steps = [0] * recording.num_buffers
    for memory, distance in loop.distances.items():
        steps[memory.number] = distance * memory.dtype.itemsize
    return steps
