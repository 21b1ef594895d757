# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of points, on any device: their kernels are compiled beforehand, and their times are medians."""

import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from tilewright._runtime.dispatch import launcher_of

from bench.predict.point import Array

SECONDS = 0.1  # of one point


def repeat(launch, least, most) -> float:
    """The median of what at least so many launches return, and of as many as there is time for."""
    taken, start = [], time.perf_counter()
    while len(taken) < least or (len(taken) < most and time.perf_counter() - start < SECONDS):
        taken.append(launch())
    return median(taken)


def fill_arrays(point, array_of):
    """The arguments of a point, with `array_of(description, seed)` for each array."""

    def fill(argument, seed):
        if isinstance(argument, tuple):
            return tuple(fill(item, seed) for item in argument)
        return array_of(argument, seed) if isinstance(argument, Array) else argument

    return tuple(fill(argument, seed) for seed, argument in enumerate(point.arguments))


def compile_all(wanted, empty):
    """By all cores. Only types and shapes count: `empty(shape, dtype)` is an array."""

    def compile(point):
        arguments = fill_arrays(point, lambda array, _: array.view(empty(array.shape, array.dtype)))
        try:
            launcher_of(point.hinted()).prepare(arguments, None)
        except Exception:
            pass  # told of when it is measured

    with ThreadPoolExecutor() as pool:
        list(pool.map(compile, wanted))
