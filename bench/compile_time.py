# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cold compile: a process of its own per measurement, nothing on disk, the first launch on the smallest input.

python -m bench.compile_time KERNEL prints the seconds that the first launch of one kernel takes.
"""

import importlib
import os
import subprocess
import sys
import time
from statistics import median

import numpy as np

from bench.row import within
from kernels.attention.kernel import attention
from kernels.gemm.kernel import gemm
from kernels.vector_add.kernel import vector_add

ONE_TILE = np.zeros((128, 64), np.float32)
HEADS = np.zeros((1, 1, 64, 64), np.float32)

KERNELS = {
    "GEMM": (0.2, lambda: gemm(ONE_TILE, ONE_TILE, transposed_b=True)),
    "attention": (0.4, lambda: attention(HEADS, HEADS, HEADS)),
    "vector add": (0.05, lambda: vector_add(ONE_TILE[0], ONE_TILE[1])),
}


def cold_launch(name, rounds) -> float:
    """The median over a third of the rounds, because a process takes its time."""
    command = [sys.executable, "-m", "bench.compile_time", name]
    environment = os.environ | {"TILEWRIGHT_CACHE_DIR": ""}
    times = []
    for _ in range(max(1, rounds // 3)):
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        times.append(float(done.stdout))
    return median(times)


def compile_rows():
    for name, (limit, _) in KERNELS.items():
        yield within(f"cold compile, {name}", lambda rounds, name=name: cold_launch(name, rounds), limit)


if __name__ == "__main__":
    # Loading code is not compiling: the front end and the libraries come in before the clock starts.
    importlib.import_module("tilewright._runtime.dispatch")
    importlib.import_module("tilewright._frontend.compile")
    start = time.perf_counter()
    KERNELS[sys.argv[1]][1]()
    print(time.perf_counter() - start)
