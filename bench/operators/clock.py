# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of a call: the least of eleven means over 4,000 calls, or of all calls in 0.6 seconds."""

import time

CALLS, ROUNDS = 4000, 11
SECONDS = 0.6


def microseconds(call, calls=CALLS, settle=None):
    """`settle` is called before each mean, as to wait for a GPU."""
    means = []
    for _ in range(ROUNDS):
        if settle is not None:
            settle()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        means.append((time.perf_counter() - start) / calls * 1e6)
    return min(means)


def milliseconds(call):
    call()
    least, end = float("inf"), time.perf_counter() + SECONDS
    while (start := time.perf_counter()) < end:
        call()
        least = min(least, time.perf_counter() - start)
    return least * 1e3
