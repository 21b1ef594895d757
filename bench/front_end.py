# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end alone: kernels of 1,000 lines to a verified Tile IR module, and the import of the package.

python -m bench.front_end prints the milliseconds of each."""

from __future__ import annotations

import linecache
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median

import tilewright as ct
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import ArraySpec, ScalarSpec, Signature

from bench.row import within

LINES = 1000
KERNEL_LIMIT, IMPORT_LIMIT = 0.3, 0.15
"""Seconds."""
_VALUES = 8  # variables that lines read and write in turn


def straight_line() -> Iterator[str]:
    for i in range(LINES):
        a, b, c = i % _VALUES, (i + 3) % _VALUES, (i + 5) % _VALUES
        yield f"v{a} = {('v{b} * 0.5 + v{c}', 'ct.maximum(v{b}, v{c})', 'v{b} - v{c}', 'ct.exp(v{b})')[i % 4]}".format(
            b=b, c=c
        )


def branches() -> Iterator[str]:
    for i in range(LINES // 5):
        a, b = i % _VALUES, (i + 3) % _VALUES
        yield from (
            f"if n > {i}:",
            f"    v{a} = v{a} + v{b}",
            f"    v{b} = v{b} * 2.0",
            "else:",
            f"    v{b} = v{b} - 1.0",
        )


def loops() -> Iterator[str]:
    for i in range(LINES // 5):
        a, b = i % _VALUES, (i + 3) % _VALUES
        yield from (f"for i{i} in range(n):", f"    v{a} = v{a} + v{b}", f"    t = v{a} * 2.0", f"    v{b} = t - v{b}")
        yield f"v{a} = v{a} + 1.0"


def deep_loops() -> Iterator[str]:
    """Ten loops inside of one another, a hundred lines in each."""
    for depth in range(10):
        indent = "    " * depth
        yield f"{indent}for i{depth} in range(n):"
        for i in range(LINES // 10 - 1):
            yield f"{indent}    v{i % _VALUES} = v{(i + 3) % _VALUES} * 0.5 + v{(i + 5) % _VALUES}"


def breaks() -> Iterator[str]:
    """Five loops inside of one another that all may be left, and which leave early in two ways."""
    for depth in range(5):
        indent = "    " * depth
        yield f"{indent}for i{depth} in range(n):"
        for i in range(LINES // 25):
            yield f"{indent}    v{i % _VALUES} = v{(i + 3) % _VALUES} * 0.5 + v{(i + 5) % _VALUES}"
        yield f"{indent}    if n > {depth}:"
        yield f"{indent}        break"


def early_returns() -> Iterator[str]:
    for i in range(LINES // 20):
        yield f"if n > {i}:"
        yield f"    if n > {i + 100}:"
        yield "        return"
        for j in range(LINES // 50 - 3):
            yield f"v{j % _VALUES} = v{(j + 3) % _VALUES} * 0.5 + v{(j + 5) % _VALUES}"


def conditions() -> Iterator[str]:
    """Each of three loads, of which a block does the later ones only if it comes to them."""
    for i in range(LINES // 4):
        a, b = i % _VALUES, (i + 3) % _VALUES
        tests = " and ".join(f"ct.load(x, ({k},), ()) > {k}" for k in range(3))
        yield from (f"if {tests}:", f"    v{a} = v{b}", f"    v{b} = v{a} + 1.0", f"v{a} = v{a} * 0.5")


def helpers() -> Iterator[str]:
    """Each line calls a function of five lines."""
    for i in range(LINES // 2):
        a, b = i % _VALUES, (i + 3) % _VALUES
        yield f"v{a} = step(v{a}, v{b}, scale={i % 5}.0)"
        yield f"v{b} = twice(lambda x: x + v{a}, v{b})"


def accesses() -> Iterator[str]:
    for i in range(LINES // 2):
        a = i % _VALUES
        yield f"v{a} = v{a} + ct.load(x, ({i},), (64,), padding_mode=ct.PaddingMode.ZERO)"
        yield f"ct.store(x, ({i},), v{a})"


_PRELUDE = """
import tilewright as ct

def step(a, b, scale=1.0):
    c = a * scale
    c = c + b
    return ct.minimum(c, 100.0)

def twice(function, value):
    first = function(value)
    return function(first)

@ct.kernel
def kernel(x, n):
"""

KERNELS: dict[str, Callable[[], Iterator[str]]] = {
    "straight": straight_line,
    "branches": branches,
    "loops": loops,
    "nested loops": deep_loops,
    "breaks": breaks,
    "early returns": early_returns,
    "conditions": conditions,
    "helpers": helpers,
    "loads and stores": accesses,
}


def kernel_of(name: str) -> ct.kernel:
    """A kernel of 1,000 lines around what its generator yields."""
    lines = [f"    v{i} = ct.load(x, ({i},), (64,))" for i in range(_VALUES)]
    lines += [f"    {line}" for line in KERNELS[name]()]
    lines += [f"    ct.store(x, ({i},), v{i})" for i in range(_VALUES)]
    source = _PRELUDE + "\n".join(lines) + "\n"
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    names = {"__name__": name}
    exec(compile(source, filename, "exec"), names)
    return names["kernel"]


def compile_kernel(name: str, rounds: int) -> float:
    """Seconds to a verified module; each round is a new kernel, so that its text is parsed again."""
    signature = Signature((ArraySpec(ct.float32, 1, static_strides=(1,)), ScalarSpec(ct.int32)))
    times = []
    for _ in range(rounds):
        kernel = kernel_of(name)
        start = time.process_time()  # one thread, whatever else runs
        compile_to_module(kernel, signature)
        times.append(time.process_time() - start)
    return median(times)


def import_package(rounds: int) -> float:
    """Seconds that `import tilewright` adds to a process."""
    command = "import time; s = time.perf_counter(); import tilewright; print(time.perf_counter() - s)"
    times = [
        float(subprocess.run([sys.executable, "-c", command], stdout=subprocess.PIPE, text=True, check=True).stdout)
        for _ in range(rounds)
    ]
    return median(times)


def front_end_rows():
    for name in KERNELS:
        yield within(
            f"front end, {LINES} lines: {name}", lambda rounds, name=name: compile_kernel(name, rounds), KERNEL_LIMIT
        )
    yield within("import tilewright", import_package, IMPORT_LIMIT)


if __name__ == "__main__":
    for kernel_name in KERNELS:
        print(f"{kernel_name:20} {compile_kernel(kernel_name, 3) * 1e3:7.0f} ms", flush=True)
    print(f"{'import':20} {import_package(5) * 1e3:7.0f} ms")
