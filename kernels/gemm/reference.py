# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def reference(
    a, b, *, bias=None, silu=False, transposed_a=False, transposed_b=False, out_dtype=None, tf32=False
) -> Reference:
    """Relative to sum |a||b| + |bias|.

    Any order of summation of K products in f32 is off by at most (K + 2) eps of that scale, bias included. SiLU has a
    slope of at most 1.1, and its power, addition and division add 5 eps of its result, which is no larger than the
    scale. (The power's exponent is rounded, by |x| eps / 2, but |x silu(x)| is below 0.6 where that counts.) Operands
    rounded to tf32 are each off by 2^-11. The result is rounded once more if it is narrower than f32.
    """
    if np.dtype(a.dtype).kind in "iu":
        return _of_integers(a.T if transposed_a else a, b.T if transposed_b else b, bias)
    out_dtype = np.dtype(out_dtype or a.dtype)
    a = a.astype(np.float64)
    b = b.astype(np.float64)
    a = a.T if transposed_a else a
    b = b.T if transposed_b else b
    expected = a @ b
    scale = np.abs(a) @ np.abs(b)
    bound = (a.shape[1] + 2) * eps(np.float32) + (2.0**-10 if tf32 else 0)
    if bias is not None:
        expected += bias.astype(np.float64)
        scale += np.abs(bias.astype(np.float64))
    if silu:
        expected = expected / (1.0 + np.exp(-expected))
        bound = 1.1 * bound + 5 * eps(np.float32)
    bound += narrowing(out_dtype)
    return Reference(expected, scale, bound)


def _of_integers(a, b, bias) -> Reference:
    """No error at all; f64 holds sums up to 2**53, and the operands of a GEMM of int8 stay far below."""
    expected = a.astype(np.float64) @ b.astype(np.float64) + (0 if bias is None else bias)
    return Reference(expected, np.abs(expected), 0.0)
