# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When results of an operation agree with those of the plainest implementation; for tests."""

import numpy as np


def check_results(found, expected, dtype, relative):
    """Integers are equal. The largest difference of floats is `relative` to the root of the mean square, and in bf16
    that of another rounding besides."""
    for a, b in zip(found, expected, strict=True):
        if a.dtype.kind in "iu":
            np.testing.assert_array_equal(a, b)
            continue
        a, b = a.astype(np.float64), b.astype(np.float64)
        allowed = relative * np.sqrt((b**2).mean())
        assert np.abs(a - b).max() <= allowed + (8e-3 if dtype == "bfloat16" else 0) * np.abs(b).max()
