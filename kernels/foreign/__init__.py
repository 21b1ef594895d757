# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as users of cuda.tile write them: PyTorch tensors on a GPU, `cuda.tile`, and nothing of Tilewright.

Each file has `check()`, which launches its kernels and yields (what, actual, expected, tolerance): a tensor, PyTorch's
own result, and the largest error that counts as right, relative to 1 + abs(expected). `python -m kernels.foreign` runs
all of them under either front end."""
