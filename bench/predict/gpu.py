# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The points of a GPU, and their measured times."""

import sys
import time

from tilewright._runtime.dispatch import launcher_of

from bench.gpu import machine
from bench.predict import launches, matrices, rows
from bench.predict.point import Array

WARM_UPS, LEAST, MOST = 2, 5, 25  # launches

MULTIPROCESSORS = 132  # as many blocks have the kernels that loop over tiles themselves


def points():
    yield from matrices.gpu_products(MULTIPROCESSORS)
    yield from matrices.gpu_attention()
    yield from matrices.gpu_experts()
    yield from rows.gpu_rows()
    yield from rows.gpu_elementwise()


def torch_array(torch, description: Array, seed: int):
    dtype = getattr(torch, description.dtype)
    if description.contents is not None:
        return torch.from_numpy(description.contents).to("cuda")
    if dtype in (torch.int8, torch.int32):
        return torch.randint(-100, 100, description.shape, dtype=dtype, device="cuda")
    generator = torch.Generator("cuda").manual_seed(seed)
    numbers = torch.randn(description.shape, device="cuda", generator=generator, dtype=torch.bfloat16)
    return description.view(numbers.to(dtype))


def allocate(torch, point):
    return launches.fill_arrays(point, lambda array, seed: torch_array(torch, array, seed))


def measure(torch, point) -> float:
    """The median of launches that each begin with an empty L2 cache, in seconds."""
    arguments = allocate(torch, point)
    launcher = launcher_of(point.hinted())
    launcher.prepare(arguments, None)
    for _ in range(WARM_UPS):
        launcher.time(point.grid, arguments, None, True, 0.0)
    return launches.repeat(lambda: launcher.time(point.grid, arguments, None, True, 0.0), LEAST, MOST)


def compile_all(torch, wanted):
    launches.compile_all(wanted, lambda shape, dtype: torch.empty(shape, dtype=getattr(torch, dtype), device="cuda"))


def measure_all(wanted, limit) -> dict:
    """Seconds by name; points that fail are told of and left out, and so are those beyond the limit in seconds."""
    import torch

    start, found = time.perf_counter(), {}
    compile_all(torch, wanted)
    print(f"compiled in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    for point in wanted:
        if time.perf_counter() - start > limit:
            print(f"{len(wanted) - len(found)} points are left out after {limit} s", file=sys.stderr)
            break
        try:
            found[point.name] = measure(torch, point)
            torch.cuda.empty_cache()
        except Exception as error:
            print(f"{point.name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
    return found


def describe() -> dict:
    """The machine, with what PyTorch says of the device."""
    import torch

    properties = torch.cuda.get_device_properties(0)
    names = ("clock_rate", "memory_clock_rate", "memory_bus_width", "L2_cache_size", "total_memory")
    return machine.describe() | {"properties": {name: getattr(properties, name, None) for name in names}}
