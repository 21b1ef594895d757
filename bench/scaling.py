# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a work gains from the second thread."""

from statistics import median

import tilewright as ct

from bench.row import Measured, Row
from kernels import peer
from kernels.timing import alternate

THREADS = 2


def set_threads(count):
    """For both sides."""
    ct.set_num_threads(count)
    peer.set_threads(count)


def two_threads(name, make, floor) -> Row:
    """Our time on one thread over our time on two."""

    def measure(rounds):
        work = make()
        times = {1: [], THREADS: []}
        try:
            for _ in range(rounds):
                for count, taken in times.items():
                    set_threads(count)
                    taken += alternate([work.run], rounds=1, warm_up=1)  # the first run starts the threads
        finally:
            set_threads(THREADS)
        one, two = median(times[1]), median(times[THREADS])
        return Measured(one / two, f"{one * 1e3:.2f} ms to {two * 1e3:.2f} ms")

    return Row(f"{name}, 1 to 2 threads", floor, "one thread", measure)
