# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a work gains from threads."""

import argparse
import os
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


def thread_counts(text) -> list[int]:
    """`all`: as many as the process may run on."""
    available = len(os.sched_getaffinity(0))
    words = [available if word == "all" else int(word) if word.isdigit() else 0 for word in text.split(",")]
    if not all(0 < count <= available for count in words):
        raise argparse.ArgumentTypeError(f"{text!r}, expected numbers from 1 to {available}, or all, with commas")
    return sorted(set(words))


def with_threads(row, count) -> Row:
    """The same with so many threads on both sides."""

    def measure(rounds):
        set_threads(count)
        try:
            return row.measure(rounds)
        finally:
            set_threads(THREADS)

    return Row(f"{row.work}, {count} thread{'s' * (count > 1)}", row.floor, row.against, measure)


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
