# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a call keeps the GPU: the median of Triton's do_bench, or of the same done by hand."""

from statistics import median

from kernels.peer import torch

CACHE = 256 << 20  # bytes, more than any L2 has


def milliseconds(call, warmup=10, rep=60) -> float:
    """`warmup` and `rep` are milliseconds. Before each call the L2 is emptied."""
    try:
        from triton.testing import do_bench
    except ImportError:
        return by_hand(call, warmup, rep)
    return do_bench(call, warmup=warmup, rep=rep, return_mode="median")


def by_hand(call, warmup, rep) -> float:
    call()
    cache = torch.empty(CACHE, dtype=torch.int8, device="cuda")

    def timed(count):
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
        for start, end in events:
            cache.zero_()
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in events]

    one = max(median(timed(5)), 1e-3)
    timed(max(1, int(warmup / one)))
    return median(timed(max(1, int(rep / one))))
