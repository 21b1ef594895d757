# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The points of a CPU, and their measured times."""

import sys
import time
from dataclasses import replace

import numpy as np
import tilewright as ct
from tilewright._runtime.dispatch import launcher_of

from bench.predict import calibration, host, launches, matrices, rows
from bench.predict.launches import SECONDS
from bench.predict.point import Array, aligned, dtype_of

WARM_UPS, LEAST, MOST = 2, 3, 200  # launches
LINE = 64


def works():
    yield from matrices.cpu_products()
    yield from matrices.cpu_attention()
    yield from rows.cpu_rows()
    yield from rows.cpu_elementwise()


def points(cores):
    """Each work on one thread, on two, and on all cores."""
    for work in works():
        for threads in sorted({1, min(2, cores), cores}):
            yield replace(work, threads=threads)


def array_of(description: Array, seed: int):
    """Random numbers, which repeat in large arrays. It begins at a cache line."""
    array = aligned(description, LINE)
    dtype, count = array.dtype, array.size
    generator = np.random.default_rng(seed)
    if description.contents is not None:
        array[...] = np.asarray(description.contents).reshape(-1)
    elif dtype.kind in "iu":
        array[...] = np.resize(generator.integers(-100, 100, min(count, 1 << 20)), count)
    else:
        array[...] = np.resize(generator.standard_normal(min(count, 1 << 20), np.float32).astype(dtype), count)
    return description.view(array.reshape(description.shape))


def allocate(point):
    return launches.fill_arrays(point, array_of)


def measure(point, arguments) -> float:
    """The median of launches one after another on the same arrays, in seconds: what fits into the caches is there."""
    launcher = launcher_of(point.hinted())
    if ct.get_num_threads() != point.threads:
        ct.set_num_threads(point.threads)
    start = time.perf_counter()
    for _ in range(WARM_UPS):
        launcher.time(point.grid, arguments, None, False, 0.0)
    least = LEAST if time.perf_counter() - start < SECONDS else 1  # slow ones vary less
    return launches.repeat(lambda: launcher.time(point.grid, arguments, None, False, 0.0), least, MOST)


def compile_all(wanted):
    kernels = {(point.work, point.choice): point for point in wanted}
    launches.compile_all(kernels.values(), lambda shape, dtype: np.empty(shape, dtype_of(dtype)))


def measure_all(wanted, limit) -> dict:
    """Seconds by name; points that fail are told of and left out, and so are those beyond the limit in seconds."""
    start, found = time.perf_counter(), {}
    compile_all(wanted)
    print(f"compiled in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    before, of, arguments = ct.get_num_threads(), None, ()
    for number, point in enumerate(wanted):
        if time.perf_counter() - start > limit:
            print(f"{len(wanted) - number} points are left out after {limit} s", file=sys.stderr)
            break
        try:
            if of != (point.work, point.choice):
                of, arguments = (point.work, point.choice), allocate(point)
            found[point.name] = measure(point, arguments)
        except Exception as error:
            print(f"{point.name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
    ct.set_num_threads(before)
    return found


def describe() -> dict:
    """The machine, as its system tells and as kernels measure it."""
    machine = host.describe()
    return machine | {"rates": calibration.measure(machine)}
