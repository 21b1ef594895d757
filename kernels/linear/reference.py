# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from kernels.accuracy import Reference
from kernels.gemm import reference as gemm


def reference(x, weight, out_dtype=None) -> Reference:
    """A product of matrices, whose bound holds for any order of summation."""
    return gemm.reference(x, weight, transposed_b=True, out_dtype=out_dtype)
