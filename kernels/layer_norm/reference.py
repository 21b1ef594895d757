# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, magnitude, narrowing


def reference(x, weight, bias, epsilon=1e-5, out_dtype=None) -> Reference:
    """Relative to r |w| (|d| + (1 + r |d|) A) + |b| with d = x - mean, r = 1 / sqrt(variance + epsilon), A = mean |x|.

    With u = eps(f32) / 2: the sum of N elements is off by (N - 1) u and the division by u, of A; the subtraction adds
    u |d|. So all distances share an error of at most N u A, which moves the variance by 2 N u A / r of itself at most,
    and r by half of that: N u A r; the sum of N squares and its division move r by (N + 3) u / 2, epsilon and its
    addition by u / 2 each, rsqrt 2 eps. Two products, the bias and second-order terms add 4 u. The result is rounded
    once more if it is narrower than f32.
    """
    out_dtype = np.dtype(out_dtype or x.dtype)
    x, w, b = x.astype(np.float64), np.abs(weight.astype(np.float64)), np.abs(bias.astype(np.float64))
    average = np.abs(x).mean(axis=1, keepdims=True)
    d = x - x.mean(axis=1, keepdims=True)
    r = 1 / np.sqrt((d * d).mean(axis=1, keepdims=True) + epsilon)
    expected = d * r * weight.astype(np.float64) + bias.astype(np.float64)
    scale = r * w * (np.abs(d) + (1 + r * np.abs(d)) * average) + b
    bound = eps(np.float32) / 2 * (x.shape[1] + 12)
    bound += narrowing(out_dtype)
    return Reference(expected, magnitude(scale, out_dtype), bound)
