# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arrays that the function of an operator works on while JAX traces a call: memory that XLA will give it, and views
of such, without elements."""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

Shape = tuple[int, ...]


class Memory:
    """An operand of the call or what the function allocated, by XLA's number of it."""

    def __init__(self, number: int, dtype: np.dtype, shape: Shape, distances: tuple[int, ...]):
        self.number = number
        self.dtype = dtype
        self.shape = shape  # as XLA has it, with all axes that are mapped over
        self.distances = distances  # elements from item to item, by level of vmap


class Array:
    """An array without elements. It has a shape, a dtype and views; kernels take it."""

    def __init__(self, memory: Memory, offset: int, shape: Shape, strides: Shape, dtype: np.dtype | None = None):
        self.memory = memory
        self.dtype = memory.dtype if dtype is None else dtype
        self.offset = offset
        self.shape = shape
        self.strides = strides  # in elements, as the offset

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def T(self) -> Array:
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def transpose(self, *axes: Any) -> Array:
        """A view with the axes in another order, by default reversed."""
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = tuple(axes[0])
        order = [axis % self.ndim for axis in axes] if axes else list(reversed(range(self.ndim)))
        if sorted(order) != list(range(self.ndim)):
            raise ValueError(f"axes {axes} of an array of {self.ndim} axes")
        return self._view(self.offset, tuple(self.shape[i] for i in order), tuple(self.strides[i] for i in order))

    def reshape(self, *shape: Any) -> Array:
        """A view in another shape, of which one extent may be -1. NeedsCopy if there is none."""
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = tuple(shape[0])
        known = math.prod(extent for extent in shape if extent != -1)
        if -1 in shape:
            shape = tuple(self.size // known if extent == -1 and known else extent for extent in shape)
        if math.prod(shape) != self.size or any(extent < 0 for extent in shape):
            raise ValueError(f"an array of shape {self.shape} cannot have shape {shape}")
        strides = reshaped_strides(self.shape, self.strides, shape)
        if strides is None:
            raise NeedsCopy(f"an array of shape {self.shape} and strides {self.strides} has no view of shape {shape}")
        return self._view(self.offset, shape, strides)

    def __getitem__(self, key: Any) -> Array:
        """A view by numbers, slices, None and an ellipsis."""
        keys = key if isinstance(key, tuple) else (key,)
        missing = self.ndim - sum(each is not None and each is not Ellipsis for each in keys)
        if missing < 0 or sum(each is Ellipsis for each in keys) > 1:
            raise IndexError(f"{key!r} for an array of {self.ndim} axes")
        if Ellipsis not in keys:
            keys += (Ellipsis,)
        place = keys.index(Ellipsis)
        keys = keys[:place] + (slice(None),) * missing + keys[place + 1 :]
        axes = iter(zip(self.shape, self.strides, strict=True))
        offset, shape, strides = self.offset, [], []
        for each in keys:
            if each is None:
                shape.append(1)
                strides.append(0)
                continue
            extent, stride = next(axes)
            if isinstance(each, slice):
                start, stop, step = each.indices(extent)
                shape.append(len(range(start, stop, step)))
                strides.append(stride * step)
                offset += start * stride if shape[-1] else 0
            else:
                index = operator.index(each)
                if not -extent <= index < extent:
                    raise IndexError(f"index {index} for an axis of extent {extent}")
                offset += index % extent * stride
        return self._view(offset, tuple(shape), tuple(strides))

    def _view(self, offset: int, shape: Shape, strides: Shape) -> Array:
        return Array(self.memory, offset, shape, strides, self.dtype)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("an array has no elements in the function of an operator; it may be viewed, and passed to"
                        " kernels; compute with JAX outside of the operator")  # fmt: skip

    def __repr__(self) -> str:
        return f"<array {self.dtype}{list(self.shape)} without elements>"


class NeedsCopy(ValueError):
    """A view that strides do not give."""


def reshaped_strides(shape: Shape, strides: Shape, new: Shape) -> Shape | None:
    """The strides of the same elements in another shape; None if that takes a copy."""
    if 0 in shape:
        return row_major(new)
    runs: list[tuple[int, int]] = []  # neighbouring axes that are one in memory, the last first
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent == 1:
            continue
        if runs and stride == math.prod(runs[-1]):
            runs[-1] = (runs[-1][0] * extent, runs[-1][1])
        else:
            runs.append((extent, stride))
    runs.reverse()
    made, left, stride = [], 1, 1
    for extent in reversed(new):
        if left == 1 and extent != 1:
            left, stride = runs.pop()
        if left % extent:
            return None
        made.append(stride)
        left, stride = left // extent, stride * extent
    return tuple(reversed(made))


def row_major(shape: Shape) -> Shape:
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


_of_thread = threading.local()  # `allocate`, while a function of an operator runs


def empty(shape: int | Sequence[int], dtype: Any = "float32") -> Array:
    """Memory for a result, or for a kernel to work in, in the function of an operator. Since 0.1."""
    allocate = getattr(_of_thread, "allocate", None)
    if allocate is None:
        raise TypeError("tilewright.jax allocates memory in functions of operators only; use jax.numpy elsewhere")
    return allocate((shape,) if isinstance(shape, int) else tuple(map(operator.index, shape)), np.dtype(dtype))


def empty_like(x: Any, shape: int | Sequence[int] | None = None, dtype: Any = None) -> Array:
    """`empty` in the shape and dtype of ``x`` where these are not given. Since 0.1."""
    return empty(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


def full(shape: int | Sequence[int], value: Any, dtype: Any = "float32") -> Array:
    """`empty` with ``value`` in each element, which a kernel stores. Since 0.1."""
    from tilewright.jax.filling import fill

    made = empty(shape, dtype)
    fill(made, value)
    return made


def zeros(shape: int | Sequence[int], dtype: Any = "float32") -> Array:
    """`full` of 0. Since 0.1."""
    return full(shape, 0, dtype)


def zeros_like(x: Any, shape: int | Sequence[int] | None = None, dtype: Any = None) -> Array:
    """`zeros` in the shape and dtype of ``x`` where these are not given. Since 0.1."""
    return zeros(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)
