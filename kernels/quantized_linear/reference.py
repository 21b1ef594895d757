# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps, narrowing


def quantize_int8(weight):
    """The nearest multiples of a scale f32 [N] for each row."""
    scales = np.maximum(np.abs(weight).max(axis=1), 1e-30).astype(np.float32) / 127
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


def quantize_int4(weight, group):
    """Bytes of two multiples of a scale f32 [N, K / group] each, from -8 to 7, to which 8 is added."""
    groups = weight.reshape(len(weight), -1, group)
    scales = np.maximum(np.abs(groups).max(axis=2), 1e-30).astype(np.float32) / 7
    values = (np.rint(groups / scales[:, :, None]).clip(-8, 7) + 8).astype(np.uint8).reshape(weight.shape)
    return values[:, 0::2] | values[:, 1::2] << 4, scales


def int8_reference(x, weight, scales, out_dtype=None) -> Reference:
    """As a product in f32, relative to sum |x||w|, and one more product with the scale."""
    out_dtype = np.dtype(out_dtype or x.dtype)
    x, dense = x.astype(np.float64), weight.astype(np.float64) * scales.astype(np.float64)[:, None]
    bound = (x.shape[1] + 3) * eps(np.float32) + narrowing(out_dtype)
    return Reference(x @ dense.T, np.abs(x) @ np.abs(dense).T, bound)


def int4_reference(x, packed, scales, group, out_dtype=None) -> Reference:
    """Relative to sum |x| (|w| + 8 scale): a weight is computed as 256 + w less 256, with a few roundings of such
    numbers, 32 times the scale's 8, or it is rounded to x's type."""
    out_dtype, rounding = np.dtype(out_dtype or x.dtype), narrowing(x.dtype)
    values = np.stack((packed & 15, packed >> 4), axis=2).reshape(len(packed), -1).astype(np.float64) - 8
    spread = np.repeat(scales.astype(np.float64), group, axis=1)
    x = x.astype(np.float64)
    bound = (x.shape[1] + 3 + 4 * 34 / 2) * eps(np.float32) + rounding + narrowing(out_dtype)
    return Reference(x @ (values * spread).T, np.abs(x) @ ((np.abs(values) + 8) * np.abs(spread)).T, bound)
