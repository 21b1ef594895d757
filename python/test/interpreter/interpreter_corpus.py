# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules of NVIDIA's front end (the corpus) in the interpreter, and the same compiled for the CPU or a GPU.

    python interpreter_corpus.py [--every N] [--compare] [--targets=nvidia,tileas:sm_80] [NAME...]

The name of an entry says what its parameters are (`tilewright.compilation.mangling`); arguments are made up from that:
arrays of small extents with memory around them, since a kernel may count on larger ones, and small numbers; where these
make a loop without end, zeros. Each module runs in a process of its own, since a generated argument may crash it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import tilewright as ct
from tilewright.compilation.constraints import (
    ArrayConstraint,
    ConstantConstraint,
    ListConstraint,
    ScalarConstraint,
    TupleConstraint,
)
from tilewright.compilation.mangling import demangle_kernel_name
from tilewright.dtypes import DType

AROUND = 1 << 17
"""Bytes before and behind each array."""

EXTENT = 16
SECONDS = 60
STEPS = 8_000_000
"""More operations than any of them needs."""


@dataclass
class Launch:
    """The bits of the parameters, and the arrays that they point to."""

    zeros: bool = False
    values: list[int] = field(default_factory=list)
    memory: list[tuple[str, np.ndarray]] = field(default_factory=list)
    around: list[np.ndarray] = field(default_factory=list)
    """All that may be accessed, of which a GPU gets copies."""


def fill(dtype: DType, count: int, seed: int | None) -> np.ndarray:
    """Small numbers, so that integers can be indices and sums stay finite; without a seed zeros."""
    if seed is None:
        return np.zeros(count, f"u{max(dtype.bitwidth, 8) // 8}")
    random = np.random.default_rng(seed)
    if dtype.is_integral or dtype.is_bool:
        return random.integers(0, 2 if dtype.is_bool else 8, count).astype(f"u{max(dtype.bitwidth, 8) // 8}")
    numbers = random.integers(-8, 8, count) / 4
    if dtype.ir_name in ("f16", "f32", "f64", "tf32"):
        return numbers.astype({"f16": "f2", "f64": "f8"}.get(dtype.ir_name, "f4"))
    if dtype.ir_name == "bf16":
        return (numbers.astype("f4").view("u4") >> 16).astype("u2")
    return random.integers(0x30, 0x40, count).astype("u1")  # about one in the 8-bit formats


def add_array(launch: Launch, array: ArrayConstraint) -> list[int]:
    """Pointer, extents, strides."""
    extents, strides = [], []
    for axis in range(array.ndim):
        divisor = array.shape_divisible_by[axis]
        extent = array.shape_constant[axis]
        extents.append(-(-EXTENT // divisor) * divisor if extent is None else extent)
    for axis in range(array.ndim):
        least = math.prod(extents[axis + 1 :])
        stride = array.stride_constant[axis]
        divisor = array.stride_divisible_by[axis]
        strides.append(-(-least // divisor) * divisor if stride is None else stride)
    size = max(array.dtype.bitwidth // 8, 1)
    span = sum((extent - 1) * abs(stride) for extent, stride in zip(extents, strides, strict=True)) + 1
    memory = np.zeros(2 * AROUND + span * size + 256, np.uint8)
    memory = memory[-memory.ctypes.data % 256 :][: 2 * AROUND + span * size]
    content = fill(array.dtype, span, None if launch.zeros else len(launch.memory))
    inside = memory[AROUND : AROUND + span * size]
    inside[...] = content.view(np.uint8)
    launch.memory.append((array.dtype.ir_name, inside))
    launch.around.append(memory)
    return [inside.ctypes.data, *extents, *strides]


def add(launch: Launch, parameter) -> None:
    if isinstance(parameter, ArrayConstraint):
        launch.values += add_array(launch, parameter)
    elif isinstance(parameter, ScalarConstraint):
        if parameter.dtype.is_float:  # 1.5
            bits = {"f64": 0x3FF8 << 48, "f16": 0x3E00, "bf16": 0x3FC0}
            launch.values.append(bits.get(parameter.dtype.ir_name, 0x3FC00000))
        else:
            launch.values.append(1 if parameter.dtype.is_bool else 4)
    elif isinstance(parameter, ListConstraint):
        table = np.array([add_array(launch, parameter.element) for _ in range(3)], np.int64)
        launch.memory.append(("table", table))
        launch.values += [table.ctypes.data, len(table)]
    elif isinstance(parameter, TupleConstraint):
        for item in parameter.items:
            add(launch, item)
    else:
        assert isinstance(parameter, ConstantConstraint), parameter


def make_launch(kernel, zeros: bool) -> Launch:
    launch = Launch(zeros)
    if "_K" in kernel.__name__:
        for parameter in demangle_kernel_name(kernel.__name__)[1].parameters:
            add(launch, parameter)
        return launch
    for parameter in kernel.parameters:
        launch.values.append(4)
        if parameter.kind == "pointer":
            launch.memory.append((parameter.ir_type, np.zeros(2 * AROUND, np.uint8)))
            launch.around.append(launch.memory[-1][1])
            launch.values[-1] = launch.memory[-1][1].ctypes.data + AROUND
    return launch


def run_once(module, name: str, target: str, zeros: bool, blocks: int = 2) -> Launch:
    launch = make_launch(module[name], zeros)
    # Of a simulated kernel each warp counts its operations, and there are more where functions have become arithmetic.
    limit = STEPS if target == "interpreter" else 100 * STEPS
    arrays = [(f"array {i}", a.ctypes.data, 1, [a.nbytes], [1], True) for i, a in enumerate(launch.around)]
    module[name].compile(target).run((blocks, 1, 1), launch.values, step_limit=limit, arrays=arrays)
    return launch


def interpret(module, name: str, blocks: int = 2) -> Launch:
    try:
        return run_once(module, name, "interpreter", zeros=False, blocks=blocks)
    except ct.TileInterpreterError as error:
        if "the limit it was given" not in str(error):
            raise
        return run_once(module, name, "interpreter", zeros=True, blocks=blocks)


RELATIVE = {"f16": 2e-2, "bf16": 0.2, "f32": 1e-3, "f64": 1e-9}
"""By how much sums in another order, and functions, may differ."""


def as_doubles(kind: str, memory: np.ndarray) -> np.ndarray:
    if kind == "bf16":
        return (memory.view("u2").astype("u4") << 16).view("f4").astype("f8")
    return memory.view({"f16": "f2", "f32": "f4", "f64": "f8"}[kind]).astype("f8")


def difference(found: Launch, expected: Launch) -> str:
    """Where two runs wrote different bytes, and not merely floats that are close."""
    worst = ""
    for (kind, a), (_, b) in zip(found.memory, expected.memory, strict=True):
        if kind == "table" or (a == b).all():
            continue
        if kind not in RELATIVE:
            return f"different {kind}"
        x, y = as_doubles(kind, a), as_doubles(kind, b)
        close = np.isclose(x, y, rtol=RELATIVE[kind], atol=1e-5, equal_nan=True)
        if not close.all():
            return f"different {kind}: {x[~close][0]} and {y[~close][0]}"
        worst = "close"
    return worst


def examine(data: bytes, targets: list[str]) -> tuple[str, str]:
    """(outcome, details) of one module."""
    try:
        module = ct.load_module(data)
        # Elsewhere blocks run one after the other; on a GPU two that write the same race.
        blocks = 1 if "nvidia" in targets else 2
        for name in module:
            try:
                interpreted = interpret(module, name, blocks)
            except ct.TileAssertionError:
                continue
            for target in targets:
                if target == "nvidia" and any(kind == "table" for kind, _ in interpreted.memory):
                    continue  # of pointers, which are the host's
                text = difference(run_once(module, name, target, interpreted.zeros, blocks), interpreted)
                if text.startswith("different"):
                    return "differs", f"{target}: {text}"
    except Exception as error:
        text = str(error).strip().splitlines()
        return "error", f"{type(error).__name__}: {text[0] if text else ''}"
    return "ran", ""


def in_child(data: bytes, targets: list[str]) -> tuple[str, str]:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        with os.fdopen(write, "w") as out:
            json.dump(examine(data, targets), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    status = os.waitpid(child, 0)[1]
    if text:
        outcome, details = json.loads(text)
        return outcome, details
    ended = signal.Signals(status & 0x7F).name if status & 0x7F else f"status {status >> 8}"
    return ("took too long" if ended == "SIGALRM" else "crashed"), ended


def examine_one(module: tuple[str, bytes], targets: list[str]) -> tuple[str, str, str, float]:
    start = time.monotonic()
    outcome, details = in_child(module[1], targets)
    return module[0], outcome, details, time.monotonic() - start


def examine_all(
    modules: list[tuple[str, bytes]], targets: list[str], jobs: int = 1
) -> Iterator[tuple[str, str, str, float]]:
    if jobs == 1:
        yield from (examine_one(module, targets) for module in modules)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(examine_one, modules, [targets] * len(modules), chunksize=8)


def main() -> int:
    import nvidia_tools

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take each Nth module only")
    parser.add_argument("--compare", action="store_true", help="with what the CPU computes")
    parser.add_argument(
        "--targets",
        help="what to compare with instead; nvidia is GPU 0, tileas:sm_80 simulates an sm_80",
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="modules at a time")
    parser.add_argument("names", nargs="*", help="parts of names of modules")
    options = parser.parse_args()
    modules = nvidia_tools.corpus()
    if modules is None:
        print("no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")
        return 0
    modules = [m for m in modules if not options.names or any(name in m[0] for name in options.names)]
    targets = options.targets.split(",") if options.targets else ["cpu"] * options.compare
    outcomes: Counter[str] = Counter()
    seconds = []
    for name, outcome, details, time_taken in examine_all(modules[:: options.every], targets, options.jobs):
        outcomes[outcome] += 1
        seconds.append(time_taken)
        if outcome != "ran":
            print(f"{outcome}: {name}: {details}", flush=True)
    print(f"{sum(outcomes.values())} modules:", ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    print(f"median {np.median(seconds):.3f} s, slowest {max(seconds):.1f} s")
    return 0 if set(outcomes) <= {"ran"} else 1


if __name__ == "__main__":
    sys.exit(main())
