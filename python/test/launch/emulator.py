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
from dataclasses import dataclass

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


@dataclass
class Memory:
    """Bytes of this process that a launch may use: a copy goes to the emulated one, and comes back if it may write."""

    address: int
    size: int
    is_written: bool = True

    @staticmethod
    def of(array):
        """The bytes that the elements of an array lie among."""
        low, high = np.lib.array_utils.byte_bounds(array)
        return Memory(low, high - low, array.flags.writeable)

    def view(self):
        return (ctypes.c_char * self.size).from_address(self.address)


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


def scratch_of(library, symbol):
    """The bytes that an entry of a library takes, as its header says."""
    header = library.with_suffix(".h").read_text()
    return int(re.search(rf"{symbol.upper()}_SCRATCH_BYTES \(\(size_t\)(\d+)\)", header)[1])


def joined(memories):
    """The same bytes, those that overlap as one: arrays may be views of one array."""
    apart = []
    for memory in sorted(memories, key=lambda each: each.address):
        last = apart[-1] if apart else Memory(0, 0)
        if memory.address >= last.address + last.size:
            apart.append(memory)
            continue
        end = max(last.address + last.size, memory.address + memory.size)
        apart[-1] = Memory(last.address, end - last.address, last.is_written or memory.is_written)
    return apart


def run_entry(target, library, symbol, grid, values, memories):
    """Runs an entry of a library, and returns its output and the failed assertion, if any. `values` are those of the
    parameters, by their bits; one that lies in a memory is an address."""
    end = JOB.size + ARGUMENT.size * len(values)
    memories, places = joined(memories), []
    for memory in memories:
        places.append(end + (memory.address - end) % 64)  # as aligned as it is here
        end = places[-1] + memory.size

    def argument(value):
        for memory, place in zip(memories, places, strict=True):
            if memory.address <= value < memory.address + memory.size:
                return ARGUMENT.pack(place + value - memory.address, 1)
        return ARGUMENT.pack(value % 2**64, 0)

    begin = JOB.pack(*(*grid, 1, 1)[:3], 1, scratch_of(library, symbol), -1, len(values), b"", b"", 0, 0, 0, 0, b"")
    begin += b"".join(map(argument, values))
    job = bytearray(end)
    job[: len(begin)] = begin
    for memory, place in zip(memories, places, strict=True):
        job[place : place + memory.size] = memory.view()
    path = library.with_suffix(".job")
    path.write_bytes(job)
    printed = run(processor_for(target), RUNNER, path, library, symbol)
    after = path.read_bytes()
    status, _, message, _, _, *block, position = JOB.unpack_from(after)[5:]
    assert status in (0, 1), f"the launch ended with status {status}"
    for memory, place in zip(memories, places, strict=True):
        if memory.is_written:
            memory.view()[:] = after[place : place + memory.size]
    message, position = (text.split(b"\0")[0].decode() for text in (message, position))
    return printed, f"assert failed, tile block: {block}, position: {position}: {message}" if status == 1 else ""


# ---- kernels in Python ----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def emulated(target, folder):
    """All launches inside run there."""

    def launch(kernel, grid, args, *where):
        library, symbol = folder / "kernel.so", "kernel"
        signature = KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2(), symbol=symbol)
        export_kernel(kernel, [signature], library, output_format="shared_library", cpu_code=target)
        values = parameters(library.with_suffix(".h").read_text(), signature, args)
        memories = [Memory.of(value) for value in args if isinstance(value, np.ndarray)]
        _, failure = run_entry(target, library, symbol, grid, values, memories)
        assert not failure, failure

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_runtime, "launch", launch)
        yield


def parameters(header, signature, args):
    """The values of an entry's parameters, by their bits: constants are none of them."""
    declared = re.search(r"static inline int \w+_launch\((.*?)int64_t grid_x", header, re.DOTALL)[1]
    kinds = re.findall(r"(\*?)\w+ /\* (\w+) \*/", declared)
    values = []
    for constraint, value in zip(signature.parameters, args, strict=True):
        if isinstance(constraint, ArrayConstraint):
            strides = (stride // value.itemsize for stride in value.strides)
            values += [value.ctypes.data, *value.shape, *strides]
        elif not isinstance(constraint, ConstantConstraint):
            values.append(value)
    return [bits(value, "address" if star else kind) for value, (star, kind) in zip(values, kinds, strict=True)]


def bits(value, kind):
    """A number as its parameter has it, in the low bytes of a word."""
    code = {"f32": "<f4", "f64": "<f8", "f16": "<f2"}.get(kind, "<i8")
    return int.from_bytes(np.array(value, code).tobytes(), "little")
