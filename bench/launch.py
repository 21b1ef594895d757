# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The overhead of a launch beyond the work of its tile blocks."""

import time
from functools import partial
from statistics import median

import numpy as np
import tilewright as ct

from bench.row import within

LIMIT = 5e-6
LAUNCHES = 5000


@ct.kernel
def add_three(x, y, z, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.load(x, index=(i,), shape=(TILE,)) + ct.load(y, index=(i,), shape=(TILE,))
    ct.store(out, index=(i,), tile=total + ct.load(z, index=(i,), shape=(TILE,)))


class DLPack:
    """Any framework's array. The time for creating the capsule is part of the launch."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Interface:
    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


def seconds(wrap, rounds) -> float:
    """One launch of one block of 16 elements, whose own work takes nanoseconds."""
    arguments = (*(wrap(np.ones(16, np.float32)) for _ in range(4)), 16)
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            ct.launch(None, (1,), add_three, arguments)
        times.append((time.perf_counter() - start) / LAUNCHES)
    return median(times[1:])


def launch_rows():
    yield within("launch from Python, 4 arrays", partial(seconds, np.asarray), LIMIT)
    yield within("the same, 4 DLPack objects", partial(seconds, DLPack), LIMIT)
    yield within("the same, 4 with __array_interface__", partial(seconds, Interface), LIMIT)
