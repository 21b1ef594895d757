# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def row_sum_reference(x, out_dtype=None) -> Reference:
    """Relative to sum |x|: N - 1 additions in f32 in any order are off by (N - 1) eps / 2, and one rounding more if the
    result is narrower than f32."""
    out_dtype = np.dtype(out_dtype or x.dtype)
    x = x.astype(np.float64)
    bound = (x.shape[1] - 1) * eps(np.float32) / 2
    bound += narrowing(out_dtype)
    return Reference(x.sum(axis=1), np.abs(x).sum(axis=1), bound)


def row_max_reference(x) -> Reference:
    """An element of the row: no error at all. A row of NaN has none, and gives -inf."""
    x = x.astype(np.float64)
    expected = np.where(np.isnan(x), -np.inf, x).max(axis=1)
    return Reference(expected, np.abs(expected), 0.0)


def row_argmax_reference(x) -> Reference:
    """NumPy's argmax is the first largest element too. No error at all."""
    x = x.astype(np.float64)
    expected = np.where(np.isnan(x), -np.inf, x).argmax(axis=1).astype(np.float64)
    return Reference(expected, np.abs(expected), 0.0)
