# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch costs beyond the work of its blocks."""

import time
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


def seconds(rounds) -> float:
    """One launch of one block of 16 elements, whose own work takes nanoseconds."""
    arguments = (*(np.ones(16, np.float32) for _ in range(4)), 16)
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            ct.launch(None, (1,), add_three, arguments)
        times.append((time.perf_counter() - start) / LAUNCHES)
    return median(times[1:])


def launch_row():
    return within("launch from Python, 4 arrays", seconds, LIMIT)
