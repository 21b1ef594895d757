# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile kernels, one folder per operation: kernel.py, reference.py, test_<op>.py, bench.py."""
