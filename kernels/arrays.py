# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about arguments that are NumPy's arrays on a CPU or PyTorch's tensors on a GPU."""

import functools
import pathlib
import sys

import ml_dtypes
import numpy as np

from kernels import work


def is_integer(array) -> bool:
    """Whether the elements are integers: PyTorch's types have no `kind`."""
    return "int" in str(array.dtype)


def on_cpu(array) -> bool:
    return isinstance(array, np.ndarray)


@functools.cache
def has_matrix_unit() -> bool:
    """Whether the CPU has AMX."""
    facts = pathlib.Path("/proc/cpuinfo")
    return facts.exists() and " amx_bf16" in facts.read_text()


def takes_matrix_unit(array) -> bool:
    """Whether products of such arrays, bf16 or bytes, run on the CPU's matrix unit."""
    return on_cpu(array) and array.dtype in (ml_dtypes.bfloat16, np.int8, np.uint8) and has_matrix_unit()


def power_of_two(extent) -> int:
    """The least one that is no smaller, as extents of tiles are."""
    return 1 << (extent - 1).bit_length()


def empty(shape, dtype, *, beside):
    """Memory that nothing was written to where the array `beside` is; the dtype is a name, as float8_e4m3fn."""
    if on_cpu(beside):
        return work.empty(shape, np.dtype(getattr(ml_dtypes, dtype, dtype)))
    return beside.new_empty(shape, dtype=getattr(sys.modules["torch"], dtype))
