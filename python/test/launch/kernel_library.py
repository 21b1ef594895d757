# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a kernel of a shared library as a program in C does, without the runtime."""

import ctypes
import pathlib
import re

import numpy as np


def call_library(path, symbol, grid, *arguments):
    """Run all blocks of `grid` in this thread. An argument is an array, whose extents and strides follow its address,
    or a float. How much scratch memory the kernel wants stands in the header beside the library."""
    values = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            strides = [stride // argument.itemsize for stride in argument.strides]
            values.append(ctypes.c_void_p(argument.ctypes.data))
            values += [ctypes.c_int32(n) for n in (*argument.shape, *strides)]
        else:
            values.append(ctypes.c_float(argument))
    addresses = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    header = pathlib.Path(path).with_suffix(".h").read_text()
    size = re.search(rf"#define {symbol.upper()}_SCRATCH_BYTES \(\(size_t\)(\d+)\)", header)
    scratch = ctypes.create_string_buffer(int(size[1]) + 64)
    aligned = (ctypes.addressof(scratch) + 63) // 64 * 64
    blocks = [ctypes.c_int64(n) for n in (*grid, 0, grid[0] * grid[1] * grid[2])]
    getattr(ctypes.CDLL(str(path)), symbol)(addresses, *blocks, ctypes.c_void_p(aligned), None)
