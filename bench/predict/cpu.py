# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The points of a CPU, and their measured times."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import median

import ml_dtypes
import numpy as np
import tilewright as ct
from tilewright._runtime.dispatch import launcher_of

from bench.predict import calibration, host, matrices, rows
from bench.predict.point import Array

WARM_UPS, LEAST, MOST = 2, 3, 200  # launches
SECONDS = 0.1  # of one point
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


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def array_of(description: Array, seed: int):
    """Random numbers, which repeat in large arrays. It begins at a cache line."""
    dtype = dtype_of(description.dtype)
    count = int(np.prod(description.shape))
    memory = np.empty(count * dtype.itemsize + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    array = memory[start : start + count * dtype.itemsize].view(dtype)
    generator = np.random.default_rng(seed)
    if description.contents is not None:
        array[...] = np.asarray(description.contents).reshape(-1)
    elif dtype.kind in "iu":
        array[...] = np.resize(generator.integers(-100, 100, min(count, 1 << 20)), count)
    else:
        array[...] = np.resize(generator.standard_normal(min(count, 1 << 20), np.float32).astype(dtype), count)
    return description.view(array.reshape(description.shape))


def allocate(point):
    return tuple(
        array_of(argument, seed) if isinstance(argument, Array) else argument
        for seed, argument in enumerate(point.arguments)
    )


def measure(point, arguments) -> float:
    """The median of launches one after another on the same arrays, in seconds: what fits into the caches is there."""
    launcher = launcher_of(point.hinted())
    if ct.get_num_threads() != point.threads:
        ct.set_num_threads(point.threads)
    start = time.perf_counter()
    for _ in range(WARM_UPS):
        launcher.time(point.grid, arguments, None, False, 0.0)
    least = LEAST if time.perf_counter() - start < SECONDS else 1  # slow ones vary less
    taken, start = [], time.perf_counter()
    while len(taken) < least or (len(taken) < MOST and time.perf_counter() - start < SECONDS):
        taken.append(launcher.time(point.grid, arguments, None, False, 0.0))
    return median(taken)


def compile_all(wanted):
    """Beforehand, by all cores: only types and shapes count."""

    def compile(point):
        arguments = tuple(
            each.view(np.empty(each.shape, dtype_of(each.dtype))) if isinstance(each, Array) else each
            for each in point.arguments
        )
        try:
            launcher_of(point.hinted()).prepare(arguments, None)
        except Exception:
            pass  # told of when it is measured

    kernels = {(point.work, point.choice): point for point in wanted}
    with ThreadPoolExecutor() as pool:
        list(pool.map(compile, kernels.values()))


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
