# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rate of memory: a copy or a read of as many bytes as a work moves."""

import numpy as np

from bench.row import Row, to_peer
from kernels.peer import tensor, torch
from kernels.work import empty


def halves(work):
    """Two arrays that have as many bytes together as the work moves."""
    size = int(work.amount) // 2 // 4
    first, second = empty(size, np.float32), empty(size, np.float32)
    first[...], second[...] = 1, 0
    return tensor(first), tensor(second)


def to_copy(name, make, floor) -> Row:
    """Our speed over PyTorch's multithreaded copy of the same bytes, read and written ones together."""

    def copy(work):
        source, target = halves(work)
        return lambda: target.copy_(source)

    return to_peer(name, make, copy, floor, "copy of the same bytes")


def to_read(name, make, floor) -> Row:
    """Our speed over PyTorch's dot product, the fastest it has to read the same bytes and write none."""

    def read(work):
        left, right = halves(work)
        return lambda: torch.dot(left, right)

    return to_peer(name, make, read, floor, "read of the same bytes")
