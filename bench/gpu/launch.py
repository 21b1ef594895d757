# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a launch from Python, with 3 arrays and 1 constant, beside the driver's call alone, from C++ with the
same kernel. Both are the median of many short runs, between which the GPU comes to rest, so that nothing waits for a
full queue."""

import time
from statistics import median

import tilewright as ct
from tilewright import _native
from tilewright._runtime import dispatch

from bench.row import Measured, Row, duration
from kernels.peer import torch

RUNS, LAUNCHES = 60, 200
ALLOWED = 1e-6  # seconds more than the driver's call


@ct.kernel
def add(a, b, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


def typical(*ways) -> list[float]:
    """Of the seconds that each way says it took, in turns, so that a clock that changes changes for all."""
    found = [[] for _ in ways]
    for _ in range(RUNS):
        for seconds, taken in zip(ways, found, strict=True):
            taken.append(seconds())
            ct.synchronize()
    return [median(taken) for taken in found]


def from_python(stream, arrays) -> float:
    launch, arguments = ct.launch, (*arrays, 128)
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch(stream, (8,), add, arguments)
    return (time.perf_counter() - start) / LAUNCHES


def bare(a):
    """A way to launch the same code."""
    specs = dispatch.make_launcher(add).specs((a, a, a, 128))
    code, parameters = dispatch.compile_kernel(add, specs, device=0)
    address = a.__cuda_array_interface__["data"][0]
    values = {"pointer": address, "shape": 1024, "stride": 1}
    values = [values[parameter.kind] for parameter in parameters]
    return lambda: _native.time_bare_launches(code, (8, 1, 1), values, LAUNCHES)


def of_torch():
    return torch.cuda.current_stream(), [torch.ones(1024, device="cuda") for _ in range(3)]


def of_cupy():
    import cupy

    return cupy.cuda.get_current_stream(), [cupy.ones(1024, cupy.float32) for _ in range(3)]


def launch_row(name, floor, arrays_of) -> Row:
    def measure(rounds):
        stream, arrays = arrays_of()
        from_python(stream, arrays)
        floor, taken = typical(bare(arrays[0]), lambda: from_python(stream, arrays))
        details = {"from Python": {"us": taken * 1e6}, "the driver's call": {"us": floor * 1e6}}
        seen = f"{duration(taken)}, the driver's call {duration(floor)}, {(taken - floor) * 1e6:.2f} us more"
        return Measured((floor + ALLOWED) / taken, seen, details)

    return Row(name, floor, "the driver's call and 1 us", measure)


def launch_rows():
    yield launch_row("launch from Python, 3 tensors of PyTorch", 1.0, of_torch)
    yield launch_row("launch from Python, 3 arrays of CuPy", None, of_cupy)
