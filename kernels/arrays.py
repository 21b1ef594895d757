# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about arguments that are NumPy's arrays on a CPU or PyTorch's tensors on a GPU."""

import numpy as np


def is_integer(array) -> bool:
    """Whether the elements are integers: PyTorch's types have no `kind`."""
    return "int" in str(array.dtype)


def on_cpu(array) -> bool:
    return isinstance(array, np.ndarray)


def power_of_two(extent) -> int:
    """The least one that is no smaller, as extents of tiles are."""
    return 1 << (extent - 1).bit_length()
