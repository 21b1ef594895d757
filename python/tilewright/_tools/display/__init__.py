# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels, reports and tiles as notebooks show them: pieces of HTML with their styles inside."""
