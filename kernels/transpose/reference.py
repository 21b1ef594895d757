# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference


def reference(x) -> Reference:
    """A copy: no error at all."""
    expected = x.T.astype(np.float64)
    return Reference(expected, np.abs(expected), 0.0)
