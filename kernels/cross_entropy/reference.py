# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps
from kernels.cross_entropy.kernel import CHUNK


def reference(logits, labels) -> Reference:
    """Relative to 1 + |loss - m + picked| + |m| + |picked|, with m the row's maximum, in f32.

    With u = eps(f32) / 2: a term at distance d from the maximum is off by (d + 4) u of itself, from subtraction and
    exp; weighted with the terms, d is log N at most (it is the entropy less the logarithm of the sum). The sum of N
    terms adds (N - 1) u; where the maximum moves from chunk to chunk, each chunk adds a factor off by 6 u, and
    exponents count twice. The logarithm takes that as an absolute error and adds 2 eps of itself, the subtraction and
    the addition add u each. A label that is no column gives NaN.
    """
    rows, columns = logits.shape
    x = logits.astype(np.float64)
    highest = x.max(axis=1)
    log_sum = np.log(np.exp(x - highest[:, None]).sum(axis=1))
    picked = x[np.arange(rows), labels]
    scale = 1 + np.abs(log_sum) + np.abs(highest) + np.abs(picked)
    bound = eps(np.float32) / 2 * (2 * np.log(columns) + 4 + columns + 6 * -(-columns // CHUNK) + 4 + 2)
    return Reference(log_sum + highest - picked, scale, float(bound))
