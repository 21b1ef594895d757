# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch to be predicted and measured: a kernel, its grid, and descriptions of its arguments."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Array:
    """An array before it has memory. `contents` are integers where they decide what the kernel does; else the elements
    are random. With `halves` the argument is a view of the two halves of each row, as [2, rows, columns / 2]."""

    shape: tuple
    dtype: str
    contents: Any = None
    halves: bool = False

    def view(self, array):
        if not self.halves:
            return array
        rows, columns = self.shape
        return array.reshape(rows, 2, columns // 2).swapaxes(0, 1)


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def aligned(description: Array, alignment: int):
    """A flat array for the elements that begins at a multiple of so many bytes; no one has written there."""
    dtype = dtype_of(description.dtype)
    size = int(np.prod(description.shape)) * dtype.itemsize
    memory = np.empty(size + alignment, np.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start : start + size].view(dtype)


def matching(points, only):
    """Those whose name has one of the texts between |."""
    texts = only.lower().split("|")
    return [point for point in points if any(text in point.name.lower() for text in texts)]


@dataclass(frozen=True)
class Point:
    work: str  # without the decisions, as in `gemm bf16 4096x4096x4096`
    choice: str  # tile sizes and hints
    kernel: Any
    grid: tuple
    arguments: tuple  # Array, the value itself, or a tuple of such
    hints: dict = field(default_factory=dict)
    threads: int = 0  # of a CPU

    @property
    def name(self) -> str:
        threads = f", {self.threads} thread{'s' if self.threads > 1 else ''}" if self.threads else ""
        return f"{self.work}, {self.choice}{threads}"

    @property
    def is_held_out(self) -> bool:
        """Half of all points do not count for the constants: those with odd digests of their names."""
        return bool(hashlib.sha256(self.name.encode()).digest()[0] & 1)

    def hinted(self):
        """The kernel with the hints, the same for the same: it keeps the code that was compiled for it."""
        key = self.kernel, tuple(sorted(self.hints.items()))
        if key not in _hinted:
            _hinted[key] = self.kernel.replace_hints(**self.hints) if self.hints else self.kernel
        return _hinted[key]


_hinted: dict = {}
