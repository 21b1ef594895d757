# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference implementations: PyTorch, where it is importable, on the memory of our NumPy arrays; NVIDIA's front end on
our
kernels' sources."""

import ctypes
import pathlib
import sys

import numpy as np
from ml_dtypes import bfloat16

try:
    import torch
except ImportError:
    torch = None


def tensor(array):
    """The same memory as a tensor."""
    if array.dtype == bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def set_threads(count):
    if torch is not None:
        torch.set_num_threads(count)
    if numba := sys.modules.get("numba"):  # whose import takes long
        numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))


def keep_memory():
    """Makes the C library keep freed memory, so that results PyTorch allocates itself do not pay for fresh pages.

    It is the nearest there is to a preallocated output where an operation of PyTorch takes none.
    """
    trim_threshold, mmap_max = -1, -4
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, 2**31 - 1)


def copy_for_cutile(folder, package):
    """Copies the kernels as a package of another name, with NVIDIA's module in the place of ours."""
    root = pathlib.Path(__file__).parent
    for source in root.rglob("*.py"):
        text = source.read_text().replace("import tilewright as ct", "import cuda.tile as ct")
        copy = pathlib.Path(folder) / package / source.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text.replace("from kernels.", f"from {package}."))
