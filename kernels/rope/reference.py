# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def reference(x, positions, table, interleaved=False) -> Reference:
    """Relative to the lengths of the pairs: two products and a sum, each rounded, and the result once more."""
    half = x.shape[-1] // 2
    cosine, sine = (part[:, None, :].astype(np.float64) for part in np.split(table[positions], 2, axis=1))
    first, second = (np.s_[..., 0::2], np.s_[..., 1::2]) if interleaved else (np.s_[..., :half], np.s_[..., half:])
    a, b = x[first].astype(np.float64), x[second].astype(np.float64)
    expected, scale = np.empty(x.shape), np.empty(x.shape)
    expected[first], expected[second] = a * cosine - b * sine, b * cosine + a * sine
    scale[first], scale[second] = abs(a * cosine) + abs(b * sine), abs(b * cosine) + abs(a * sine)
    return Reference(expected, scale, eps(np.float32) + narrowing(x.dtype))
