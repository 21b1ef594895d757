# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The type that tile code computes in."""

import tilewright as ct


def wide(dtype):
    """f32 for what is no wider, f64 for f64."""
    return ct.float64 if dtype == ct.float64 else ct.float32
