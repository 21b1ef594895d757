# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about arguments that are NumPy's arrays or PyTorch's tensors, on a CPU or on a GPU."""

import functools
import pathlib
import sys

import numpy as np

from kernels import aligned


def is_integer(array) -> bool:
    """Whether the elements are integers: PyTorch's types have no `kind`."""
    return "int" in str(array.dtype)


def on_cpu(array) -> bool:
    is_cpu = getattr(array, "is_cpu", None)  # of PyTorch's tensors, whose device takes longer
    if is_cpu is not None:
        return is_cpu
    device = getattr(array, "device", "cpu")
    return getattr(device, "type", device) == "cpu"


@functools.cache
def has_matrix_unit() -> bool:
    """Whether the CPU has AMX."""
    facts = pathlib.Path("/proc/cpuinfo")
    return facts.exists() and " amx_bf16" in facts.read_text()


def takes_matrix_unit(array) -> bool:
    """Whether products of such arrays, bf16 or bytes, run on the CPU's matrix unit."""
    return has_matrix_unit() and on_cpu(array) and _name_of(array.dtype) in ("bfloat16", "int8", "uint8")


@functools.cache
def _name_of(dtype) -> str:
    return str(dtype).removeprefix("torch.")


def power_of_two(extent) -> int:
    """The least one that is no smaller, as extents of tiles are. An extent that PyTorch traces with no value of its own
    counts as the example that there is of it, and so stays without one."""
    if not isinstance(extent, int):
        extent = extent.node.hint if extent.node.has_hint() else 1
    return 1 << (extent - 1).bit_length()


def empty(shape, dtype, *, beside):
    """Memory that nothing was written to where the array `beside` is; the dtype is a name, as float8_e4m3fn."""
    if isinstance(beside, np.ndarray):
        import ml_dtypes

        return aligned.empty(shape, np.dtype(getattr(ml_dtypes, dtype, dtype)))
    return beside.new_empty(shape, dtype=getattr(sys.modules["torch"], dtype))
