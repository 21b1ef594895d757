# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
from ml_dtypes import float8_e4m3fn

from kernels.accuracy import Reference, eps, narrowing

BLOCK = 128


def spread(scales, shape):
    """Scales of blocks as one per element."""
    return np.repeat(np.repeat(scales, BLOCK, axis=0), BLOCK, axis=1)[: shape[0], : shape[1]]


def quantized(x):
    """x [T, K] as f8E4M3 and its scales [T, ceil(K / 128)], rounded as a kernel has to: division by division in f32."""
    rows, columns = x.shape
    groups = -(-columns // BLOCK)
    padded = np.zeros((rows, groups * BLOCK), np.float32)
    padded[:, :columns] = x
    padded = padded.reshape(rows, groups, BLOCK)
    scales = np.maximum(np.abs(padded).max(axis=2) / np.float32(448), np.finfo(np.float32).tiny)
    return (padded / scales[:, :, None]).astype(float8_e4m3fn).reshape(rows, -1)[:, :columns], scales


def reference(x, weight, scales, out_dtype=None) -> Reference:
    """Relative to sum |x||weight|, where x is rounded. The rounding is exact, so that K products and sums in f32 in any
    order, and scales before or after them, are off by (K + 6) eps."""
    numbers, x_scales = quantized(x)
    numbers = numbers.astype(np.float64) * np.repeat(x_scales.astype(np.float64), BLOCK, axis=1)[:, : x.shape[1]]
    dense = weight.astype(np.float64) * spread(scales.astype(np.float64), weight.shape)
    bound = (x.shape[1] + 6) * eps(np.float32) + narrowing(out_dtype or x.dtype)
    return Reference(numbers @ dense.T, np.abs(numbers) @ np.abs(dense).T, bound)
