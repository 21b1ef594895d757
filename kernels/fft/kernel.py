# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[b, k] = sum over n of x[b, n] exp(-2 pi i n k / N) by two passes of short transforms, each a matrix product.

With N = N1 N2, n = N2 n1 + n2 and k = k1 + N1 k2 the exponent falls apart:

    out[k2, k1] = sum_n2 W2[k2, n2] (T[n2, k1] sum_n1 x[n1, n2] W1[n1, k1])

W1 and W2 are the matrices of transforms of N1 and N2 points, T[n2, k1] = exp(-2 pi i n2 k1 / N). 4096 points are two
passes of 64, and the row-major order of out[k2, k1] is the order of k.

Transforms of half the points take half the products. The first pass adds those of even and odd n1, E and O: Y[k1] is
E + t O and Y[k1 + N1/2] is E - t O with t[k1] = exp(-2 pi i k1 / N1). The second one has even k2 from the sum of the
halves of n2, and odd k2 from their difference times exp(-2 pi i n2 / N2). So tiles are parts of x and out.
"""

import functools

import numpy as np
import tilewright as ct

SHORTEST, LONGEST = 4, 16384

ConstInt = ct.Constant[int]


@ct.kernel
def fft_kernel(re, im, w1, w2, t1, t2, twiddle, out_re, out_im, scale: float, H1: ConstInt, H2: ConstInt):
    """One block per transform: x [batch, H1, 2, 2 H2] by n1 / 2 and its parity, out [batch, H2, 2, 2 H1] by k2."""
    w1, w2 = _table(w1, H1, H1, 0, 0), _table(w2, H2, H2, 0, 0)
    t1, t2 = _table(t1, 1, H1, 0, 0), _table(t2, H2, 1, 0, 0)
    first_low, first_high = _first_pass(re, im, w1, t1, twiddle, 0, H1, H2)
    second_low, second_high = _first_pass(re, im, w1, t1, twiddle, 1, H1, H2)
    _second_pass(first_low, second_low, w2, t2, out_re, out_im, scale, 0, H1, H2)
    _second_pass(first_high, second_high, w2, t2, out_re, out_im, scale, 1, H1, H2)


def _first_pass(re, im, w1, t1, twiddle, HALF: ConstInt, H1: ConstInt, H2: ConstInt):
    """Of half of n2, the low and the high half of k1: [n2, k1], real and imaginary."""
    even, odd = _part(re, im, 0, HALF, H1, H2), _part(re, im, 1, HALF, H1, H2)
    even, odd = _times(even, w1), _turned(_times(odd, w1), t1)
    low = _turned((even[0] + odd[0], even[1] + odd[1]), _table(twiddle, H2, H1, HALF, 0))
    return low, _turned((even[0] - odd[0], even[1] - odd[1]), _table(twiddle, H2, H1, HALF, 1))


def _second_pass(first, second, w2, t2, out_re, out_im, scale, HALF: ConstInt, H1: ConstInt, H2: ConstInt):
    """From the halves of n2, a half of k1."""
    even = _applied(w2, (first[0] + second[0], first[1] + second[1]))
    odd = _applied(w2, _turned((first[0] - second[0], first[1] - second[1]), t2))
    for parity in ct.static_iter(range(2)):
        result = odd if parity else even
        for i in ct.static_iter(range(2)):
            tile = ct.reshape(result[i] * scale, (1, H2, 1, H1))
            ct.store(out_im if i else out_re, index=(ct.bid(0), 0, parity, HALF), tile=tile)


def _part(re, im, PARITY: ConstInt, HALF: ConstInt, H1: ConstInt, H2: ConstInt):
    """Of x, [n2, n1], real and imaginary."""
    index, shape = (ct.bid(0), HALF, PARITY, 0), (1, H2, 1, H1)
    x_re = ct.reshape(ct.load(re, index=index, shape=shape, order=(0, 3, 2, 1)), (H2, H1))
    return x_re, ct.reshape(ct.load(im, index=index, shape=shape, order=(0, 3, 2, 1)), (H2, H1))


def _table(table, ROWS: ConstInt, COLUMNS: ConstInt, ROW: ConstInt, COLUMN: ConstInt):
    parts = ()
    for i in ct.static_iter(range(3)):
        tile = ct.load(table, index=(i, ROW, COLUMN), shape=(1, ROWS, COLUMNS))
        parts += (ct.reshape(tile, (ROWS, COLUMNS)),)
    return parts


def _times(x, w):
    """The complex product x w by three real ones (_tables)."""
    both = ct.mma(x[0] + x[1], w[0], ct.zeros((x[0].shape[0], w[0].shape[1]), dtype=ct.float32))
    return ct.mma(x[1], w[2], both), ct.mma(x[0], w[1], both)


def _applied(w, x):
    """The same from the other side, w x."""
    both = ct.mma(w[0], x[0] + x[1], ct.zeros((w[0].shape[0], x[0].shape[1]), dtype=ct.float32))
    return ct.mma(w[2], x[1], both), ct.mma(w[1], x[0], both)


def _turned(x, t):
    """The elements times those of a table."""
    return x[0] * t[0] + x[1] * t[2], x[0] * t[1] + x[1] * t[0]


@functools.cache
def _tables(N1, N2):
    """Those of products, of halves and between the passes, from angles reduced exactly and rounded once.

    x w = (a + b i)(c + d i) is (a + b) c - b (c + d) and, imaginary, (a + b) c + a (d - c): of products c, d - c and
    -(c + d); of elements c, d and -d.
    """

    def turns(rows, columns, period):
        angle = -2 * np.pi * (np.outer(rows, columns) % period) / period
        return np.cos(angle), np.sin(angle)

    def of_product(points):
        c, d = turns(np.arange(points), np.arange(points), points)
        return np.stack([c, d - c, -(c + d)]).astype(np.float32)

    def of_elements(rows, columns, period):
        c, d = turns(rows, columns, period)
        return np.stack([c, d, -d]).astype(np.float32)

    one, h1, h2 = np.ones(1, int), np.arange(N1 // 2), np.arange(N2 // 2)
    between = of_elements(np.arange(N2), np.arange(N1), N1 * N2)
    return of_product(N1 // 2), of_product(N2 // 2), of_elements(one, h1, N1), of_elements(h2, one, N2), between


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
    arrays = [part.reshape(batch, n1 // 2, 2, n2) for part in (x.real, x.imag)]
    results = [part.reshape(batch, n2 // 2, 2, n1) for part in (out.real, out.imag)]
    if inverse:  # conj(fft(conj(x))), where exchanging both parts does what conj does
        arrays, results = arrays[::-1], results[::-1]
    scale = 1.0 / length if inverse else 1.0
    ct.launch(stream, (batch,), fft_kernel, (*arrays, *_tables(n1, n2), *results, scale, n1 // 2, n2 // 2))
    return out
