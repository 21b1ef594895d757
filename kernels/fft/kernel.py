# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[b, k] = sum over n of x[b, n] exp(-2 pi i n k / N) by two passes of short transforms, each a matrix product.

With N = N1 N2, n = N2 n1 + n2 and k = k1 + N1 k2 the exponent falls apart:

    out[k2, k1] = sum_n2 W2[k2, n2] (T[n2, k1] sum_n1 x[n1, n2] W1[n1, k1])

W1 and W2 are the matrices of transforms of N1 and N2 points, T[n2, k1] = exp(-2 pi i n2 k1 / N). 4096 points are two
products of 64x64 matrices, and the row-major order of out[k2, k1] is the order of k.
"""

import functools

import numpy as np
import tilewright as ct

SHORTEST, LONGEST = 4, 16384

ConstInt = ct.Constant[int]


@ct.kernel
def fft_kernel(re, im, w1, w2, twiddle, out_re, out_im, scale: float, N1: ConstInt, N2: ConstInt):
    """One block per transform. The tables hold cosine, sine, and minus sine, so that differences are sums."""
    batch = ct.bid(0)
    x_re = ct.reshape(ct.load(re, index=(batch, 0, 0), shape=(1, N2, N1), order=(0, 2, 1)), (N2, N1))
    x_im = ct.reshape(ct.load(im, index=(batch, 0, 0), shape=(1, N2, N1), order=(0, 2, 1)), (N2, N1))
    w_re, w_im, w_minus = _table(w1, N1, N1)
    y_re, y_im = ct.zeros((N2, N1), dtype=ct.float32), ct.zeros((N2, N1), dtype=ct.float32)
    y_re = ct.mma(x_im, w_minus, ct.mma(x_re, w_re, y_re))
    y_im = ct.mma(x_im, w_re, ct.mma(x_re, w_im, y_im))

    t_re, t_im, t_minus = _table(twiddle, N2, N1)
    z_re, z_im = y_re * t_re + y_im * t_minus, y_re * t_im + y_im * t_re

    w_re, w_im, w_minus = _table(w2, N2, N2)
    y_re, y_im = ct.zeros((N2, N1), dtype=ct.float32), ct.zeros((N2, N1), dtype=ct.float32)
    y_re = ct.mma(w_minus, z_im, ct.mma(w_re, z_re, y_re))
    y_im = ct.mma(w_re, z_im, ct.mma(w_im, z_re, y_im))
    ct.store(out_re, index=(batch, 0, 0), tile=ct.reshape(y_re * scale, (1, N2, N1)))
    ct.store(out_im, index=(batch, 0, 0), tile=ct.reshape(y_im * scale, (1, N2, N1)))


def _table(table, ROWS: ConstInt, COLUMNS: ConstInt):
    parts = ()
    for i in ct.static_iter(range(3)):
        parts += (ct.reshape(ct.load(table, index=(i, 0, 0), shape=(1, ROWS, COLUMNS)), (ROWS, COLUMNS)),)
    return parts


@functools.cache
def _tables(N1, N2):
    """Those of both passes and between them, from angles reduced exactly and rounded once."""

    def table(rows, columns, period):
        angle = -2 * np.pi * (np.outer(np.arange(rows), np.arange(columns)) % period) / period
        return np.stack([np.cos(angle), np.sin(angle), -np.sin(angle)]).astype(np.float32)

    return table(N1, N1, N1), table(N2, N2, N2), table(N2, N1, N1 * N2)


def fft(x, out=None, *, inverse=False, stream=None):
    """The discrete Fourier transform of every row of a complex64 matrix whose rows are a power of two long. The inverse
    is divided by the length, as in NumPy."""
    batch, length = x.shape
    if length & (length - 1) or not SHORTEST <= length <= LONGEST:
        raise ValueError(f"rows have {length} points, expected a power of two from {SHORTEST} to {LONGEST}")
    if out is None:
        out = np.empty(x.shape, np.complex64)
    n2 = 1 << (length.bit_length() - 1) // 2
    n1 = length // n2
    arrays = [part.reshape(batch, n1, n2) for part in (x.real, x.imag)]
    results = [part.reshape(batch, n2, n1) for part in (out.real, out.imag)]
    if inverse:  # conj(fft(conj(x))), where exchanging both parts does what conj does
        arrays, results = arrays[::-1], results[::-1]
    scale = 1.0 / length if inverse else 1.0
    ct.launch(stream, (batch,), fft_kernel, (*arrays, *_tables(n1, n2), *results, scale, n1, n2))
    return out
