# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, magnitude, narrowing


def reference(x, out_dtype=None) -> Reference:
    """Relative to the result.

    With u = eps(f32) / 2 and R the largest distance of an element to its row's maximum: the subtraction moves an
    exponent by R u, exp adds 2 eps, the sum of N such terms (N - 1) u, the reciprocal and the product u each, and the
    denominator's terms carry the same exponent error; a maximum that moves (online) doubles exponent and exp errors.
    The result is rounded once more if it is narrower than f32.
    """
    out_dtype = np.dtype(out_dtype or x.dtype)
    x = x.astype(np.float64)
    shifted = x - x.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    expected = powers / powers.sum(axis=1, keepdims=True)
    distance = float(-shifted[np.isfinite(shifted)].min(initial=0.0))
    u = eps(np.float32) / 2
    bound = u * (4 * distance + 16 + x.shape[1] + 2)
    bound += narrowing(out_dtype)
    return Reference(expected, magnitude(expected, out_dtype), bound)
