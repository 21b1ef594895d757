# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error of an operator that is not what its kernels are."""


class OperatorError(TypeError):
    """An operator's declaration and its kernels, or its rules and its signature, do not agree. The message names both.
    Since 0.1."""
