# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing several callables in one process so that a noisy machine hurts all of them alike."""

import time
from statistics import median

PAUSE = 0.01  # seconds


def alternate(callables, rounds=7, warm_up=2, seconds=None):
    """The median time in seconds of each callable, run in turns.

    One round runs every callable once. With `seconds`, rounds beyond the third stop once that time is spent. Before
    each call there is a pause: the threads of the one before may spin for a while in case more work comes, and would
    take the cores from the next (a factor of two between PyTorch's and ours on two cores).
    """
    for call in callables:
        for _ in range(warm_up):
            call()
    times = [[] for _ in callables]
    start = time.perf_counter()
    for done in range(rounds):
        if seconds is not None and done >= 3 and time.perf_counter() - start > seconds:
            break
        for call, taken in zip(callables, times, strict=True):
            time.sleep(PAUSE)
            before = time.perf_counter()
            call()
            taken.append(time.perf_counter() - before)
    return [median(taken) for taken in times]
