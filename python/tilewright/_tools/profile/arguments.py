# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of --arg as arguments of launches that run: arrays of random numbers, or those of files."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright import _native
from tilewright._runtime.launch_facts import read_facts

_ALIGNMENT = 256
"""Of arrays, as allocators of GPUs give them."""


def make_arguments(kernel: Any, texts: list[str]) -> tuple[Any, ...]:
    """ValueError names the argument."""
    loaded = {number: _load(text) for number, text in enumerate(texts) if text.endswith(".npy")}
    described = [_described(loaded[number]) if number in loaded else text for number, text in enumerate(texts)]
    facts = read_facts(kernel, described, None)
    if facts.unknown:
        raise ValueError(f"--arg {texts[min(facts.unknown)]}: a launch needs all of its arguments")
    generator = np.random.default_rng(0)
    return tuple(
        loaded[number] if number in loaded else _filled(value, generator) if isinstance(value, np.ndarray) else value
        for number, value in enumerate(facts.arguments)
    )


class DeviceArray:
    """A copy of an array on a GPU, for launches alone. It is no dataclass: these stand for their fields in a launch."""

    def __init__(self, array: np.ndarray):
        self.shape, self.dtype = array.shape, array.dtype
        self._strides = array.strides
        self._memory = _native.DeviceCopy(0, array.ctypes.data, array.size * array.itemsize)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        typestr = self.dtype.name if self.dtype.kind == "V" else self.dtype.str  # NumPy does not have all formats
        return {"shape": self.shape, "strides": self._strides, "typestr": typestr, "version": 3,
                "data": (self._memory.address, False)}  # fmt: skip


def copy_to_device(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """To the first GPU."""
    return tuple(DeviceArray(value) if isinstance(value, np.ndarray) else value for value in arguments)


def _load(path: str) -> np.ndarray:
    array = np.load(path, allow_pickle=False)
    copy = _allocate(array)
    copy[...] = array
    return copy


def _described(array: np.ndarray) -> str:
    return f"{array.dtype.name}:{'x'.join(map(str, array.shape))}"


def _allocate(like: np.ndarray) -> np.ndarray:
    """With its shape and order of axes."""
    order = sorted(range(like.ndim), key=lambda axis: -like.strides[axis])
    memory = np.empty(like.size * like.itemsize + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    flat = memory[start : start + like.size * like.itemsize].view(like.dtype)
    return flat.reshape([like.shape[axis] for axis in order]).transpose(np.argsort(order))


def _filled(described: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Numbers from -1 to 1; integers are 0, which is a legal index."""
    array = _allocate(described)
    if array.dtype.kind in "iub":
        array[...] = 0
    else:
        array[...] = generator.uniform(-1, 1, array.shape).astype(array.dtype)
    return array
