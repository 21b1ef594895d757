# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps


def reference(x, y) -> Reference:
    """One rounded addition: half an eps of the result."""
    expected = x.astype(np.float64) + y.astype(np.float64)
    return Reference(expected, np.abs(expected), eps(x.dtype) / 2)
