# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, magnitude, narrowing


def reference(gate_up, out_dtype=None) -> Reference:
    """Relative to the result: the power is off by 2 eps, its sum with 1 by eps / 2, the quotient by 2 eps,
    the product by eps / 2."""
    out_dtype = np.dtype(out_dtype or gate_up.dtype)
    gate, up = np.split(gate_up.astype(np.float64), 2, axis=1)
    expected = gate / (1 + np.exp(-gate)) * up
    bound = 6 * eps(np.float32) + narrowing(out_dtype)
    return Reference(expected, magnitude(expected, out_dtype), bound)
