# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, magnitude, narrowing


def reference(x, weight, epsilon=1e-6, out_dtype=None) -> Reference:
    """Relative to the result.

    With u = eps(f32) / 2: the sum of N squares is off by N u, the mean, the addition of epsilon and epsilon itself by u
    each, which the root halves; rsqrt adds 2 eps, the two products u each. The result is rounded once more if it
    is narrower than f32.
    """
    out_dtype = np.dtype(out_dtype or x.dtype)
    x = x.astype(np.float64)
    mean = (x * x).mean(axis=1, keepdims=True)
    expected = x / np.sqrt(mean + epsilon) * weight.astype(np.float64)
    bound = eps(np.float32) / 2 * ((x.shape[1] + 3) / 2 + 4 + 2)
    bound += narrowing(out_dtype)
    return Reference(expected, magnitude(expected, out_dtype), bound)


def add_reference(x, residual, weight, epsilon=1e-6, out_dtype=None):
    """The residual afterwards, exactly, and the norm of that."""
    total = (residual.astype(np.float32) + x.astype(np.float32)).astype(residual.dtype)
    return total, reference(total, weight, epsilon, out_dtype or x.dtype)
