# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference


def reference(x, index) -> Reference:
    """A copy: no error at all."""
    there = (index >= 0) & (index < x.shape[0])
    expected = np.where(there[:, None], x[np.where(there, index, 0)].astype(np.float64), 0.0)
    return Reference(expected, np.abs(expected), 0.0)
