# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python measure_launch.py: microseconds that a launch from Python takes with 3 arrays and 1 constant, for each
framework at hand, beside the driver's call alone, from C++ with the same kernel. Both are the median of many short
runs, between which the GPU comes to rest, so that nothing waits for a full queue."""

import statistics
import sys
import time

import tilewright as ct
from tilewright import _native
from tilewright._runtime import dispatch

RUNS, LAUNCHES = 200, 200


@ct.kernel
def add(a, b, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


def median(measure) -> float:
    """Of the microseconds that `measure` returns."""
    found = []
    for _ in range(RUNS):
        found.append(measure() * 1e6)
        ct.synchronize()
    return statistics.median(found)


def from_python(stream, arrays) -> float:
    launch, arguments = ct.launch, (*arrays, 128)
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch(stream, (8,), add, arguments)
    return (time.perf_counter() - start) / LAUNCHES


def bare(a) -> float:
    specs = dispatch.make_launcher(add).specs((a, a, a, 128))
    code, parameters = dispatch.compile_kernel(add, specs, device=0)
    address = a.__cuda_array_interface__["data"][0]
    values = [address if parameter.kind == "pointer" else 1024 for parameter in parameters]
    values = [1 if parameter.kind == "stride" else value for parameter, value in zip(parameters, values, strict=True)]
    return median(lambda: _native.time_bare_launches(code, (8, 1, 1), values, LAUNCHES))


def frameworks():
    try:
        import torch

        arrays = [torch.ones(1024, device="cuda") for _ in range(3)]
        yield "PyTorch, its stream", torch.cuda.current_stream(), arrays
        yield "PyTorch, no stream given", None, arrays
    except ImportError:
        pass
    try:
        import cupy

        arrays = [cupy.ones(1024, cupy.float32) for _ in range(3)]
        yield "CuPy, its stream", cupy.cuda.get_current_stream(), arrays
    except ImportError:
        pass


def main() -> int:
    floor = None
    for name, stream, arrays in frameworks():
        from_python(stream, arrays)
        floor = floor or bare(arrays[0])
        launch = median(lambda stream=stream, arrays=arrays: from_python(stream, arrays))
        print(f"{name}: {launch:.2f} us a launch, the driver's call {floor:.2f} us, {launch - floor:.2f} us more")
    if floor is None:
        print("neither PyTorch nor CuPy is installed")
    return floor is None


if __name__ == "__main__":
    sys.exit(main())
