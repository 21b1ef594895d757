# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fastest that a device reads memory and multiplies matrices, measured here, and the time of works by these two."""

import time
from dataclasses import dataclass
from statistics import median

import numpy as np

from ..arrays import NUMPY

READ = 1 << 28  # bytes, more than caches hold
SIDE = {"cpu": 1024, "cuda": 8192}  # of the matrices
WARM_UP = 0.05  # seconds that a GPU is busy before it is measured, so that its clocks are up


@dataclass(frozen=True)
class Roofline:
    bandwidth: float  # bytes a second
    flops: float  # a second, in the type of the model

    def seconds(self, work) -> float:
        """No implementation that moves all bytes once can be faster, where both are as fast as measured."""
        return max(work.bytes / self.bandwidth, work.flops / self.flops)


def timed(call, arrays, rounds=7, seconds=2.0) -> float:
    """The median of several calls, after some to compile and to load."""
    for _ in range(2):
        call()
    arrays.synchronize()
    return timed_on_gpu(call, arrays, seconds) if arrays.name == "cuda" else timed_on_cpu(call, rounds, seconds)


def timed_on_cpu(call, rounds, seconds):
    taken, end = [], time.perf_counter() + seconds
    while len(taken) < rounds and (len(taken) < 3 or time.perf_counter() < end):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return median(taken)


def timed_on_gpu(call, arrays, seconds):
    """Between events of the stream. Before each call the L2 is cleared, meanwhile Python prepares the call; a clock of
    the host would count its launch and the return from a wait as well, 153 us for a product that takes 45."""
    cuda = arrays.torch.cuda
    cache = arrays.zeros((READ,), "uint8")

    def times(count):
        events = [(cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)) for _ in range(count)]
        for start, end in events:
            cache.zero_()
            start.record()
            call()
            end.record()
        cuda.synchronize()
        return [start.elapsed_time(end) / 1e3 for start, end in events]

    one = max(median(times(3)), 1e-5)
    times(max(1, min(50, int(WARM_UP / one))))
    return median(times(max(3, min(50, int(seconds / one)))))


def measure(arrays, dtype) -> Roofline:
    """By our own kernels on CPUs, where PyTorch need not be, and by PyTorch on GPUs."""
    return measure_cuda(arrays, dtype) if arrays.name == "cuda" else measure_cpu(arrays, dtype)


def reading():
    """A function that reads READ bytes on a CPU."""
    from tilewright._runtime.kernel_library import kernel

    row_max = kernel("row_reduce.kernel").row_max
    rows = np.full((READ // 4 // 4096, 4096), 0.5, np.float32)  # zeros would be one page of memory, mapped many times
    most = np.empty(len(rows), np.float32)
    return lambda: row_max(rows, most)


def timed_beside_reads(call, arrays, rounds=15, seconds=2.0):
    """(seconds, bytes a second of reads between the calls): where others share the memory, its rate is not that of a
    second ago; beside 9.5 ms each stood 0.80 to 0.99 of a rate that had been measured before them."""
    read = reading()
    for _ in range(2):
        read()
        call()
    reads, calls, end = [], [], time.perf_counter() + seconds
    while len(calls) < rounds and (len(calls) < 3 or time.perf_counter() < end):
        reads.append(timed_on_cpu(read, 1, 0))
        calls.append(timed_on_cpu(call, 1, 0))
    return median(calls), READ / median(reads)


def measure_cpu(arrays, dtype):
    from tilewright._runtime.kernel_library import kernel

    gemm = kernel("gemm.kernel").gemm
    read = timed(reading(), arrays)
    side = SIDE["cpu"]
    numbers = np.random.default_rng(0)
    a, b = (numbers.standard_normal((side, side), np.float32).astype(NUMPY[dtype]) for _ in range(2))
    out = arrays.zeros((side, side), dtype)
    return Roofline(READ / read, 2 * side**3 / timed(lambda: gemm(a, b, out), arrays))


def measure_cuda(arrays, dtype):
    torch, side = arrays.torch, SIDE["cuda"]
    source = arrays.zeros((READ,), "uint8")
    copy = timed(lambda: source.clone(), arrays)
    a = torch.randn(side, side, device="cuda").to(getattr(torch, dtype))
    return Roofline(2 * READ / copy, 2 * side**3 / timed(lambda: a @ a, arrays))
