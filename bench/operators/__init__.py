# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of operators of PyTorch and of JAX."""
