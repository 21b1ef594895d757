# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that a call launches on a GPU, as CUPTI sees them through PyTorch's profiler: the same for all
implementations."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Launch:
    kernel: str
    registers: int  # of a thread
    shared: int  # bytes of a CTA


def read_trace(trace) -> list[Launch]:
    """The launches in a trace of PyTorch's profiler, in order of time."""
    events = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
    events.sort(key=lambda event: event["ts"])
    return [
        Launch(event["name"], event["args"].get("registers per thread", 0), event["args"].get("shared memory", 0))
        for event in events
    ]


def launches(call, arrays) -> list[Launch]:
    """Those of one call, after another that compiles and loads."""
    torch = arrays.torch
    call()
    arrays.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        arrays.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(path))
        return read_trace(json.loads(path.read_text()))
