# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps
from kernels.stencil.kernel import inner, rings


def reference(x, weights, points) -> Reference:
    """Inside the frame. Relative to the sum of the magnitudes of all terms: each weight is rounded to f32, and every
    product and sum to the type of x."""
    radius = max(abs(d) for point in points for d in point)
    wide = x.astype(np.float64)
    expected, scale = np.zeros_like(inner(wide, radius)), np.zeros_like(inner(wide, radius))
    for weight, ring in zip(weights, rings(points), strict=True):
        for point in ring:
            term = weight * inner(wide, radius, point)
            expected, scale = expected + term, scale + abs(term)
    bound = (eps(np.float32) + len(points) * eps(x.dtype)) / 2
    return Reference(expected, scale, bound)
