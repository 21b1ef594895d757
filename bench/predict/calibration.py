# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rates of a CPU that no table has, measured once by small kernels: its arithmetic, each of its caches, memory, and
how long it takes to wake threads."""

from statistics import median

import numpy as np
import tilewright as ct
from tilewright._runtime.dispatch import launcher_of

TILE = 4096  # floats of one array at a time
ROUNDS, SECONDS = 5, 0.02  # launches, and how long each is about to take
ATTEMPTS = 3


@ct.kernel
def read_kernel(x, out, TILES: ct.Constant[int], repeats: int):
    """A block reads its part of the array again and again."""
    i = ct.bid(0)
    total = ct.zeros((1,), dtype=ct.float32)
    for r in range(repeats):
        tile = ct.load(x, index=(i * TILES + r % TILES,), shape=(TILE,))
        total = total + ct.sum(tile, axis=0, keepdims=True)
    ct.store(out, index=(i,), tile=total)


@ct.kernel
def write_kernel(x, out, TILES: ct.Constant[int], repeats: int):
    i = ct.bid(0)
    for r in range(repeats):
        ct.store(x, index=(i * TILES + r % TILES,), tile=ct.full((TILE,), 1.0, dtype=ct.float32))
    ct.store(out, index=(i,), tile=ct.zeros((1,), dtype=ct.float32))


@ct.kernel
def copy_kernel(x, out, TILES: ct.Constant[int], repeats: int):
    """From the first half of its part to the second."""
    i = ct.bid(0)
    for r in range(repeats):
        j = i * 2 * TILES + r % TILES
        ct.store(x, index=(j + TILES,), tile=ct.load(x, index=(j,), shape=(TILE,)))
    ct.store(out, index=(i,), tile=ct.zeros((1,), dtype=ct.float32))


CHAINS, STEPS, WIDTH = 4, 8, 256


@ct.kernel
def multiply_add_kernel(x, out, repeats: int):
    """Independent chains of fused multiply-adds, which keep in registers."""
    i = ct.bid(0)
    values = ct.load(x, index=(i,), shape=(WIDTH,))
    for _ in range(repeats):
        a = values
        b = values * 0.5
        c = values * 0.25
        d = values * 0.125
        for _ in ct.static_iter(range(STEPS)):
            a, b, c, d = a * values + 0.1, b * values + 0.2, c * values + 0.3, d * values + 0.4
        values = (a + b) * 0.1 + (c + d) * 0.1
    ct.store(out, index=(i,), tile=values)


OPERATIONS = WIDTH * (2 * CHAINS * STEPS + CHAINS + 3)


@ct.kernel
def exponential_kernel(x, out, repeats: int):
    i = ct.bid(0)
    values = ct.load(x, index=(i,), shape=(WIDTH,))
    for _ in range(repeats):
        values = ct.exp(ct.exp(ct.exp(ct.exp(values - 1.0) - 1.0) - 1.0) - 1.0)
    ct.store(out, index=(i,), tile=values)


EXPONENTIALS = WIDTH * 4


def seconds(kernel, arguments, threads) -> float:
    """The median of launches with one block for each thread."""
    launcher = launcher_of(kernel)
    return median(launcher.time((threads,), arguments, None, False, 0.0) for _ in range(ROUNDS + 1))


def repeated(kernel, arguments, threads) -> float:
    """Seconds of one repetition, all threads at a time; how many there are comes from a short trial."""
    trial = 64
    while (taken := seconds(kernel, (*arguments, trial), threads)) < SECONDS / 10:
        trial *= 4
    repeats = max(trial, int(trial * SECONDS / taken))
    return seconds(kernel, (*arguments, repeats), threads) / repeats


def bytes_per_second(kernel, threads, part, moved) -> float:
    """`part`: bytes of each thread. `moved`: arrays that one repetition reads and writes."""
    halves = 2 if kernel is copy_kernel else 1
    tiles = max(1, part // (4 * TILE) // halves)
    x = np.ones(threads * tiles * halves * TILE, np.float32)
    out = np.zeros(threads, np.float32)
    return threads * 4 * TILE * moved / repeated(kernel, (x, out, tiles), threads)


def memory_rates(threads, part) -> dict:
    return {
        "part": part,
        "read": bytes_per_second(read_kernel, threads, part, 1),
        "write": bytes_per_second(write_kernel, threads, part, 1),
        "copy": bytes_per_second(copy_kernel, threads, part, 2),
    }


def parts(machine, threads) -> dict:
    """Bytes of a thread that lie in each level."""
    caches = machine["caches"]
    first, second = caches.get("L1", {"bytes": 32 << 10}), caches.get("L2", {"bytes": 1 << 20})
    third = caches.get("L3", {"bytes": 8 * second["bytes"]})
    found = {"L1": first["bytes"] // 2, "L2": second["bytes"] // 2}
    if threads * 2 * second["bytes"] <= third["bytes"] // 2:
        found["L3"] = 2 * second["bytes"]
    return found | {"DRAM": max(256 << 20, 4 * third["bytes"]) // threads}


def arithmetic_rates(threads) -> dict:
    x = np.linspace(0, 0.1, threads * WIDTH, dtype=np.float32)
    out = np.zeros_like(x)
    return {
        "multiply_adds": threads * OPERATIONS / repeated(multiply_add_kernel, (x, out), threads),
        "exponentials": threads * EXPONENTIALS / repeated(exponential_kernel, (x, out), threads),
    }


def launch_seconds(threads) -> dict:
    """Beyond the work: of a launch of one block, and of one for each thread that is too long for one alone."""
    x = np.zeros(threads * WIDTH, np.float32)
    arguments = (x, np.zeros_like(x))
    launcher = launcher_of(multiply_add_kernel)

    def taken(blocks, repeats):
        return median(launcher.time((blocks,), (*arguments, repeats), None, False, 0.0) for _ in range(200))

    return {"empty": taken(1, 0), "alone": taken(1, 200), "together": taken(threads, 200)}


def measure_once(machine, threads) -> dict:
    memory = {level: memory_rates(threads, part) for level, part in parts(machine, threads).items()}
    return arithmetic_rates(threads) | {"memory": memory, "launch": launch_seconds(threads)}


def best(attempts, choose=max):
    """Of dictionaries with the same keys: the highest rates, and the shortest launches."""
    if not isinstance(attempts[0], dict):
        return choose(attempts)
    return {key: best([a[key] for a in attempts], min if key == "launch" else choose) for key in attempts[0]}


def measure(machine) -> dict:
    """By numbers of threads: operations and bytes per second, and seconds of launches.

    The best of some attempts, since a virtual machine may be slow for a while, or have all threads on one core.
    """
    before, found = ct.get_num_threads(), {}
    cores = machine["cores"]
    for threads in sorted({1, min(2, cores), max(1, cores // 2), cores}):
        ct.set_num_threads(threads)
        found[str(threads)] = best([measure_once(machine, threads) for _ in range(ATTEMPTS)])
    ct.set_num_threads(before)
    return found
