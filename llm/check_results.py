# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When results of an operation agree with those of the plainest implementation; for tests."""

import numpy as np

# Operations that round the results of products to f8 for further products. A number halfway between two of f8 may
# become either of them, which changes a term of each sum of that row by an eighth.
ROUNDED_BETWEEN = {"experts_fp8"}
HALFWAY = 0.15, 0.1  # such a change of a large term, of the root of the mean square; the rows that may have one


def check_results(found, expected, operation, dtype, relative):
    """Integers are equal. The largest difference of floats is `relative` to the root of the mean square, and in bf16
    that of another rounding besides; but for a few rows, where results are rounded between products."""
    for a, b in zip(found, expected, strict=True):
        if a.dtype.kind in "iu":
            np.testing.assert_array_equal(a, b)
            continue
        a, b = a.astype(np.float64), b.astype(np.float64)
        scale, difference = np.sqrt((b**2).mean()), np.abs(a - b)
        allowed = relative * scale + (8e-3 if dtype == "bfloat16" else 0) * np.abs(b).max()
        if operation in ROUNDED_BETWEEN:
            most, rows = HALFWAY
            off = difference.max(axis=1) > allowed
            assert off.sum() <= max(1, rows * len(off))
            allowed += most * scale
        assert difference.max() <= allowed
