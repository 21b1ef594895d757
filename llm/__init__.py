# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Llama 3 and DeepSeek V2/V3 built from tile kernels: the reference application of the compiler."""
