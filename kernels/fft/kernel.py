# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[b, k] = sum over n of x[b, n] exp(-2 pi i n k / N) by two passes of short transforms, each a matrix product.

With N = N1 N2, n = N2 n1 + n2 and k = k1 + N1 k2 the exponent falls apart:

    out[k2, k1] = sum_n2 W2[k2, n2] (T[n2, k1] sum_n1 x[n1, n2] W1[n1, k1])

W1 and W2 are the matrices of transforms of N1 and N2 points, T[n2, k1] = exp(-2 pi i n2 k1 / N). 4096 points are two
passes of 64, and the row-major order of out[k2, k1] is the order of k.

Each pass is by R transforms of Q = N1 / R or N2 / R points, whose products are a part of those of one. The first pass
has those of n1 = r, r + R, ... for each r < R. Y[k1 + m Q] is the sum over r of exp(-2 pi i r m / R) t[r, k1] E[r, k1]
with t[r, k1] = exp(-2 pi i r k1 / N1). The second one has k2 = p, p + R, ... for each p < R. They are the transforms of
sums over s of exp(-2 pi i s p / R) Z[n2 + s Q], times exp(-2 pi i n2 p / N2). So tiles are parts of x and out.
"""

import functools

import numpy as np
import tilewright as ct

SHORTEST, LONGEST = 4, 16384
POINTS = 32  # of a part; on a CPU parts of 16 take 1.06 of the time for 4096 points, and of 64 1.6

ConstInt = ct.Constant[int]


@ct.kernel
def fft_kernel(re, im, w1, w2, t1, t2, twiddle, out_re, out_im, scale: float, R: ConstInt, Q1: ConstInt, Q2: ConstInt):
    """One block per transform: x [batch, Q1, R, R Q2] by n1 // R and n1 % R, out [batch, Q2, R, R Q1] by k2."""
    w1, w2 = _table(w1, Q1, Q1, 0, 0), _table(w2, Q2, Q2, 0, 0)
    parts = tuple(_first_pass(re, im, w1, t1, twiddle, s, R, Q1, Q2) for s in ct.static_iter(range(R)))
    for m in ct.static_iter(range(R)):
        sums = _sums(tuple(parts[s][m] for s in ct.static_iter(range(R))), R)
        for p in ct.static_iter(range(R)):
            turned = _turned(sums[p], _table(t2, Q2, 1, 0, p)) if p else sums[0]
            result = _applied(w2, turned)
            for i in ct.static_iter(range(2)):
                tile = ct.reshape(result[i] * scale, (1, Q2, 1, Q1))
                ct.store(out_im if i else out_re, index=(ct.bid(0), 0, p, m), tile=tile)


def _first_pass(re, im, w1, t1, twiddle, S: ConstInt, R: ConstInt, Q1: ConstInt, Q2: ConstInt):
    """Of Q2 of n2, the R parts of k1: [n2, k1], real and imaginary."""
    terms: tuple = ()
    for r in ct.static_iter(range(R)):
        index, shape = (ct.bid(0), S, r, 0), (1, Q2, 1, Q1)
        x = tuple(
            ct.reshape(ct.load(im if i else re, index=index, shape=shape, order=(0, 3, 2, 1)), (Q2, Q1))
            for i in ct.static_iter(range(2))
        )
        term = _times(x, w1)
        terms += (_turned(term, _table(t1, 1, Q1, r, 0)) if r else term,)
    sums = _sums(terms, R)
    return tuple(_turned(sums[m], _table(twiddle, Q2, Q1, S, m)) for m in ct.static_iter(range(R)))


def _sums(terms, R: ConstInt) -> tuple:
    """The transform of R points, up to 4."""
    if R == 1:
        return terms
    if R == 2:
        (a_re, a_im), (b_re, b_im) = terms
        return (a_re + b_re, a_im + b_im), (a_re - b_re, a_im - b_im)
    (a_re, a_im), (c_re, c_im) = _sums((terms[0], terms[2]), 2)
    (b_re, b_im), (d_re, d_im) = _sums((terms[1], terms[3]), 2)
    low, high = (a_re + b_re, a_im + b_im), (a_re - b_re, a_im - b_im)
    return low, (c_re + d_im, c_im - d_re), high, (c_re - d_im, c_im + d_re)


def _table(table, ROWS: ConstInt, COLUMNS: ConstInt, ROW: ConstInt, COLUMN: ConstInt):
    parts: tuple = ()
    for i in ct.static_iter(range(3)):
        tile = ct.load(table, index=(i, ROW, COLUMN), shape=(1, ROWS, COLUMNS))
        parts += (ct.reshape(tile, (ROWS, COLUMNS)),)
    return parts


def _times(x, w):
    """The complex product x w by three real ones (tables)."""
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
def tables(N1, N2, R):
    """Those of products, of parts and between the passes, from angles reduced exactly and rounded once.

    x w = (a + b i)(c + d i) is (a + b) c - b (c + d) and, imaginary, (a + b) c + a (d - c): of products c, d - c and
    -(c + d); of elements c, d and -d.
    """

    def turns(rows, columns, period):
        angle = -2 * np.pi * (np.outer(np.arange(rows), np.arange(columns)) % period) / period
        return np.cos(angle), np.sin(angle)

    def of_product(points):
        c, d = turns(points, points, points)
        return np.stack([c, d - c, -(c + d)]).astype(np.float32)

    def of_elements(rows, columns, period):
        c, d = turns(rows, columns, period)
        return np.stack([c, d, -d]).astype(np.float32)

    of_parts = of_elements(R, N1 // R, N1), of_elements(N2 // R, R, N2)
    return of_product(N1 // R), of_product(N2 // R), *of_parts, of_elements(N2, N1, N1 * N2)


def sizes_of(length):
    """N1, N2 and R."""
    if length & (length - 1) or not SHORTEST <= length <= LONGEST:
        raise ValueError(f"rows have {length} points, expected a power of two from {SHORTEST} to {LONGEST}")
    n2 = 1 << (length.bit_length() - 1) // 2
    return length // n2, n2, max(1, min(4, n2 // POINTS))


def fft(x, out=None, *, inverse=False, scale=None, beside=None, stream=None):
    """The discrete Fourier transform of every row of a complex64 matrix whose rows are a power of two long. The inverse
    is divided by the length, as in NumPy, but where `scale` is another factor. `beside` has the tables where x is, if
    that is a GPU."""
    batch, length = x.shape
    n1, n2, parts = sizes_of(int(length))
    if out is None:
        out = np.empty(x.shape, np.complex64)
    arrays = [part.reshape(batch, n1 // parts, parts, n2) for part in (x.real, x.imag)]
    results = [part.reshape(batch, n2 // parts, parts, n1) for part in (out.real, out.imag)]
    if inverse:  # conj(fft(conj(x))), where exchanging both parts does what conj does
        arrays, results = arrays[::-1], results[::-1]
    if scale is None:
        scale = 1.0 / (n1 * n2) if inverse else 1.0
    ct.launch(
        stream,
        (batch,),
        fft_kernel,
        (*arrays, *(beside or tables(n1, n2, parts)), *results, scale, parts, n1 // parts, n2 // parts),
    )
    return out
