# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def reference(x, out_dtype=None) -> Reference:
    """Relative to the running sum of |x|: every result is a sum of at most N elements in f32 in some order, off by
    (N - 1) eps / 2, and rounded once more if it is narrower than f32."""
    out_dtype = np.dtype(out_dtype or x.dtype)
    x = x.astype(np.float64)
    bound = (x.shape[1] - 1) * eps(np.float32) / 2
    bound += narrowing(out_dtype)
    return Reference(x.cumsum(axis=1), np.abs(x).cumsum(axis=1), bound)
