# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of examples/cpp beside the same kernels in Python, and the times of tilewright-c++. Nothing where the front
end for C++ was not built."""

from __future__ import annotations

import functools
import math
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
import tilewright as ct

from bench.row import Measured, Row, within
from kernels.softmax.kernel import softmax_kernel
from kernels.timing import alternate

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples/cpp"
COMPILER = ROOT / "build/bin/tilewright-c++"
FLOOR, AGAINST = 0.98, "the same in Python"
ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def gemm_kernel(a, b, c, M: ConstInt, N: ConstInt, K: ConstInt):
    row, column = ct.bid(0), ct.bid(1)
    total = ct.zeros((M, N), dtype=ct.float32)
    for i in range(ct.cdiv(a.shape[1], K)):
        left = ct.load(a, index=(row, i), shape=(M, K), padding_mode=ZERO)
        right = ct.load(b, index=(i, column), shape=(K, N), padding_mode=ZERO)
        total = ct.mma(left, right, total)
    ct.store(c, index=(row, column), tile=total)


@ct.kernel
def attention_kernel(q, k, v, out, scale: float, QUERIES: ConstInt, KEYS: ConstInt, SIZE: ConstInt):
    i, head = ct.bid(0), ct.bid(1)
    first = i * QUERIES
    query = first + ct.arange(QUERIES, dtype=ct.int32)[:, None]
    key = ct.arange(KEYS, dtype=ct.int32)[None, :]
    tile_q = ct.load(q, (head, i, 0), (1, QUERIES, SIZE), padding_mode=ZERO).reshape((QUERIES, SIZE))
    highest = ct.full((QUERIES, 1), -math.inf, dtype=ct.float32)
    total = ct.zeros((QUERIES, 1), dtype=ct.float32)
    acc = ct.zeros((QUERIES, SIZE), dtype=ct.float32)
    for j in range(ct.cdiv(first + QUERIES, KEYS)):
        tile_k = ct.load(k, (head, 0, j), (1, SIZE, KEYS), order=(0, 2, 1), padding_mode=ZERO).reshape((SIZE, KEYS))
        products = ct.mma(tile_q, tile_k, ct.zeros((QUERIES, KEYS), dtype=ct.float32))
        scores = ct.where(key + j * KEYS <= query, products * scale, -math.inf)
        higher = ct.maximum(highest, ct.max(scores, axis=1, keepdims=True))
        powers = ct.exp(scores - higher)
        shrink = ct.exp(highest - higher)
        total = total * shrink + ct.sum(powers, axis=1, keepdims=True)
        tile_v = ct.load(v, (head, j, 0), (1, KEYS, SIZE), padding_mode=ZERO).reshape((KEYS, SIZE))
        acc = ct.mma(powers, tile_v, acc * shrink)
        highest = higher
    ct.store(out, (head, i, 0), (acc / total).reshape((1, QUERIES, SIZE)))


def random(*shape):
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


def in_cpp(name, *arguments):
    """A kernel of the example of that name, under the same name."""
    return ct.cpp_module(EXAMPLES / f"{name}.cpp", options=[f"-I{EXAMPLES}"])[(name, *arguments)]


def gemm() -> tuple[Callable, Callable, Callable]:
    m, n, k, tile = 1024, 1024, 1024, (128, 256, 64)
    a, b, c, other = random(m, k), random(k, n), np.empty((m, n), np.float32), np.empty((m, n), np.float32)
    grid = (m // tile[0], n // tile[1])
    kernel = in_cpp("gemm", *tile)
    return (
        lambda: kernel[grid](a, b, c, m, n, k),
        lambda: gemm_kernel[grid](a, b, other, *tile),
        lambda: np.testing.assert_allclose(c, other, atol=1e-3),
    )


def softmax() -> tuple[Callable, Callable, Callable]:
    rows, columns, tile = 4096, 1000, 1024
    x, out, other = random(rows, columns), np.empty((rows, columns), np.float32), np.empty((rows, columns), np.float32)
    kernel = in_cpp("softmax", tile)
    return (
        lambda: kernel[rows](x, out, rows, columns),
        lambda: softmax_kernel[rows](x, other, tile),
        lambda: np.testing.assert_allclose(out, other, atol=1e-6),
    )


def attention() -> tuple[Callable, Callable, Callable]:
    heads, length, size, tile = 8, 1024, 64, 64
    q, k, v = (random(heads, length, size) for _ in range(3))
    out, other = np.empty_like(q), np.empty_like(q)
    grid, scale = (length // tile, heads), 1 / math.sqrt(size)
    kernel = in_cpp("attention", tile, tile, size)
    return (
        lambda: kernel[grid](q, k, v, out, length, scale),
        lambda: attention_kernel[grid](q, k, v, other, scale, tile, tile, size),
        lambda: np.testing.assert_allclose(out, other, atol=1e-5),
    )


def beside_python(make, rounds) -> Measured:
    ours, theirs, compare = make()
    time_cpp, time_python = alternate([ours, theirs], rounds)
    compare()
    return Measured(time_python / time_cpp, f"{time_cpp * 1e3:.3f} ms, in Python {time_python * 1e3:.3f} ms")


def kernels_of(name) -> str:
    """The part of an example that is for the device."""
    return (EXAMPLES / f"{name}.cpp").read_text().partition("\nint main")[0]


def twenty_kernels() -> str:
    names = ("gemm", "softmax", "attention", "vector_add", "stencil")
    pointers = "nullptr, nullptr, nullptr"
    launches = (
        *(f"gemm<{m}, {n}, 32><<<1>>>({pointers}, 1, 1, 1);" for m in (32, 64, 128) for n in (64, 128, 256)),
        *(f"softmax<{tile}><<<1>>>(nullptr, nullptr, 1, 1);" for tile in (256, 1024, 4096)),
        *(f"attention<{q}, {k}, 64><<<1>>>({pointers}, nullptr, 1, 1);" for q in (32, 64) for k in (32, 64)),
        *(f"add<{dtype}, 1024><<<1>>>({pointers}, 1);" for dtype in ("float", "__half")),
        *(f"diffuse<16, {width}><<<1>>>(nullptr, nullptr, 1, 1, 1);" for width in (64, 128)),
    )
    assert len(launches) == 20
    return "".join(map(kernels_of, names)) + "\nint main() {" + "\n".join(launches) + "}\n"


def compile_time(rounds, text, *options) -> float:
    times = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cpp")
        source.write_text(text)
        for _ in range(rounds):
            start = time.perf_counter()
            subprocess.run([COMPILER, f"-I{EXAMPLES}", *options, source, "-o", Path(folder, "out")], check=True)
            times.append(time.perf_counter() - start)
    return median(times)


def module_time(rounds, text) -> float:
    times = []
    for i in range(rounds):
        start = time.perf_counter()
        _ = ct.cpp_module(text, options=[f"-DROUND={i}"])["gemm<128, 256, 64>"]
        times.append(time.perf_counter() - start)
    return median(times)


def cpp_rows() -> Iterator[Row]:
    if not COMPILER.exists():
        return
    for make in (gemm, softmax, attention):
        yield Row(f"{make.__name__} in C++", FLOOR, AGAINST, functools.partial(beside_python, make))
    kernel = kernels_of("gemm").replace('#include "check.h"', "")
    options = ("--emit=tilebc", "--kernel=gemm<128, 256, 64>")
    yield within("C++ to Tile IR, a GEMM", lambda rounds: compile_time(rounds, kernel, *options), 0.5)
    yield within("the same in the process", lambda rounds: module_time(rounds, kernel), 0.15)
    targets = "--tile-targets=cpu,sm_90"
    yield within(
        "C++ program, 20 kernels, 2 targets", lambda rounds: compile_time(1, twenty_kernels(), "-O2", targets), 15
    )
