# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling kernels ahead of time: signatures say what the compiled code may rely on, `export_kernel` writes it.

Source compatible with ``cuda.tile.compilation``. All since 0.1.
"""

from tilewright.compilation.constraints import (
    ArrayConstraint,
    ConstantConstraint,
    ConstantValue,
    ListConstraint,
    ParameterConstraint,
    ScalarConstraint,
    TupleConstraint,
)
from tilewright.compilation.export import export_kernel
from tilewright.compilation.mangling import demangle_kernel_name, mangle_kernel_name
from tilewright.compilation.signature import CallingConvention, KernelSignature

__all__ = [
    "ArrayConstraint",
    "CallingConvention",
    "ConstantConstraint",
    "ConstantValue",
    "KernelSignature",
    "ListConstraint",
    "ParameterConstraint",
    "ScalarConstraint",
    "TupleConstraint",
    "demangle_kernel_name",
    "export_kernel",
    "mangle_kernel_name",
]
