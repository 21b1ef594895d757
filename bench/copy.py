# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rate of memory: a copy that moves as many bytes as a work does."""

import numpy as np

from bench.row import Row
from kernels.peer import tensor
from kernels.timing import alternate
from kernels.work import empty


def to_copy(name, make, floor) -> Row:
    """Our speed over PyTorch's multithreaded copy of the same bytes, read and written ones together."""

    def measure(rounds):
        work = make()
        size = int(work.amount) // 2 // 4
        source, target = empty(size, np.float32), empty(size, np.float32)
        source[...], target[...] = 1, 0
        source, target = tensor(source), tensor(target)
        ours, copy = alternate([work.run, lambda: target.copy_(source)], rounds)
        return copy / ours, f"{ours * 1e3:.2f} ms, {work.rate(ours):.1f} to {work.rate(copy):.1f} GB/s"

    return Row(name, floor, "copy of the same bytes", measure)
