# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps


def reference(a, b, *, bias=None, silu=False, transposed_a=False, transposed_b=False, out_dtype=None) -> Reference:
    """Relative to sum |a||b| + |bias|.

    Any order of summation of K products in f32 is off by at most (K + 2) eps of that scale, bias included. SiLU has a
    slope of at most 1.1, and its exp, addition and division add 4 eps of its result, which is no larger than the scale.
    The result is rounded once more if it is narrower than f32.
    """
    out_dtype = np.dtype(out_dtype or a.dtype)
    a = a.astype(np.float64)
    b = b.astype(np.float64)
    a = a.T if transposed_a else a
    b = b.T if transposed_b else b
    expected = a @ b
    scale = np.abs(a) @ np.abs(b)
    bound = (a.shape[1] + 2) * eps(np.float32)
    if bias is not None:
        expected += bias.astype(np.float64)
        scale += np.abs(bias.astype(np.float64))
    if silu:
        expected = expected / (1.0 + np.exp(-expected))
        bound = 1.1 * bound + 4 * eps(np.float32)
    if out_dtype.itemsize < 4:
        bound += eps(out_dtype) / 2
    return Reference(expected, scale, bound)
