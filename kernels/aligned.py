# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory for arrays of NumPy that begins at a cache line."""

import math
from contextlib import contextmanager

import numpy as np

LINE = 64  # bytes
begin = 0  # bytes after a cache line


@contextmanager
def arrays_begin(offset):
    """Arrays that are made within begin so many bytes after a cache line."""
    global begin
    before, begin = begin, offset
    try:
        yield
    finally:
        begin = before


def empty(shape, dtype) -> np.ndarray:
    """An array that begins at a cache line, as those of the frameworks do; NumPy's own begin 16 bytes after one."""
    size = (math.prod(shape) if isinstance(shape, tuple | list) else int(shape)) * np.dtype(dtype).itemsize
    memory = np.empty(size + 2 * LINE, np.uint8)
    start = -memory.__array_interface__["data"][0] % LINE + begin
    return memory[start : start + size].view(dtype).reshape(shape)
