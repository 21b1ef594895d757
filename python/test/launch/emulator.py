# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels as code for aarch64: libraries that QEMU runs in another process, to which the arrays go and come
back. The program that loads them is src/fuzz/programs/ways/Runner.c."""

import contextlib
import ctypes
import pathlib
import re
import shutil
import struct
import subprocess

import numpy as np
import pytest
from tilewright import _runtime
from tilewright.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    export_kernel,
)

QEMU = shutil.which("qemu-aarch64")
SYSROOT = pathlib.Path("/usr/aarch64-linux-gnu")
RUNNER = pathlib.Path(__file__).parents[3] / "build/bin/aarch64-runner"

needs_emulator = pytest.mark.skipif(
    not (QEMU and RUNNER.exists()),
    reason="nothing runs code for aarch64: no qemu-aarch64 (package qemu-user), or no build/bin/aarch64-runner, which"
    " is built where libc6-dev-arm64-cross is installed",
)

# Those of src/fuzz/programs/ways/Job.h.
JOB = struct.Struct("<3q q q q q 256s 256s q 3q 256s")
ARGUMENT = struct.Struct("<QQ")


def run(processor, *command):
    """The output of a program for aarch64."""
    done = subprocess.run(
        [QEMU, "-cpu", processor, "-L", SYSROOT, *command], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def processor_for(target):
    """The plainest target runs on the oldest processor, others on one with all that the emulator knows."""
    return "cortex-a57" if target == "aarch64" else "max"


@contextlib.contextmanager
def emulated(target, folder):
    """All launches inside run there."""

    def launch(kernel, grid, args, *where):
        library, symbol = folder / "kernel.so", "kernel"
        signature = KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2(), symbol=symbol)
        export_kernel(kernel, [signature], library, output_format="shared_library", cpu_code=target)
        header = library.with_suffix(".h").read_text()
        scratch = int(re.search(r"_SCRATCH_BYTES \(\(size_t\)(\d+)\)", header)[1])
        run_job(target, folder, symbol, grid, parameters(header, signature, args), scratch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runtime, "launch", launch)
        yield


def parameters(header, signature, args):
    """The values of an entry's parameters, an array for an address: constants are none of them."""
    declared = re.search(r"static inline int \w+_launch\((.*?)int64_t grid_x", header, re.DOTALL)[1]
    kinds = re.findall(r"/\* (\w+) \*/", declared)
    values = []
    for constraint, value in zip(signature.parameters, args, strict=True):
        if isinstance(constraint, ArrayConstraint):
            values += [value, *value.shape, *(stride // value.itemsize for stride in value.strides)]
        elif not isinstance(constraint, ConstantConstraint):
            values.append(value)
    return [
        value if isinstance(value, np.ndarray) else bits(value, kind) for value, kind in zip(values, kinds, strict=True)
    ]


def bits(value, kind):
    """A number as its parameter has it, in the low bytes of a word."""
    code = {"f32": "<f4", "f64": "<f8", "f16": "<f2"}.get(kind, "<i8")
    return int.from_bytes(np.array(value, code).tobytes(), "little")


def memory_of(array):
    """The bytes that an array's elements lie among."""
    low, high = np.lib.array_utils.byte_bounds(array)
    return (ctypes.c_char * (high - low)).from_address(low), array.ctypes.data - low


def run_job(target, folder, symbol, grid, values, scratch):
    grid = (*grid, 1, 1)[:3]
    end = JOB.size + ARGUMENT.size * len(values)
    arguments, memories, places = [], [], []
    for value in values:
        if not isinstance(value, np.ndarray):
            arguments.append(ARGUMENT.pack(value, 0))
            continue
        memory, first = memory_of(value)
        place = -(-end // 64) * 64
        end = place + len(memory)
        arguments.append(ARGUMENT.pack(place + first, 1))
        memories.append((memory, value.flags.writeable))
        places.append(place)
    job = bytearray(end)
    begin = JOB.pack(*grid, 1, scratch, -1, len(values), b"", b"", 0, 0, 0, 0, b"") + b"".join(arguments)
    job[: len(begin)] = begin
    for (memory, _), place in zip(memories, places, strict=True):
        job[place : place + len(memory)] = memory
    path = folder / "job"
    path.write_bytes(job)
    run(processor_for(target), RUNNER, path, folder / "kernel.so", symbol)
    after = path.read_bytes()
    assert JOB.unpack_from(after)[5] == 0, "the launch failed"
    for (memory, is_writeable), place in zip(memories, places, strict=True):
        if is_writeable:
            memory[:] = after[place : place + len(memory)]
