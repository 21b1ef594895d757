# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def reference(x, weight, out_dtype=None) -> Reference:
    """Relative to sum |x||weight|; K products in f32 in any order are off by at most K eps of that scale."""
    x, weight, dtype = x.astype(np.float64), weight.astype(np.float64), np.dtype(out_dtype or x.dtype)
    expected = np.einsum("thk,hnk->thn", x, weight)
    scale = np.einsum("thk,hnk->thn", np.abs(x), np.abs(weight))
    return Reference(expected, scale, x.shape[2] * eps(np.float32) + narrowing(dtype))
