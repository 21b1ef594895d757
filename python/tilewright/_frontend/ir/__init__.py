# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The typed tile program between tracing and emission: operations of cuda_tile by name, with types and attributes as
Python values, and one block per region."""
