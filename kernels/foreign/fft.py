# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Fourier transform of length F0 * F1 * F2 as products with the matrices of its three factors."""

import math

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def fft_kernel(x, y, W0, W1, W2, T0, T1, F0: ConstInt, F1: ConstInt, F2: ConstInt):
    n = F0 * F1 * F2
    batch = ct.bid(0)

    # The two parts of the input, then each factor as a product of real and imaginary parts.
    parts = ct.reshape(ct.load(x, index=(batch, 0, 0), shape=(1, n, 2)), (F0, F1, F2, 2))
    re = ct.reshape(ct.extract(parts, index=(0, 0, 0, 0), shape=(F0, F1, F2, 1)), (F0, F1 * F2))
    im = ct.reshape(ct.extract(parts, index=(0, 0, 0, 1), shape=(F0, F1, F2, 1)), (F0, F1 * F2))

    def matrix(W, F: ConstInt):
        both = ct.load(W, index=(0, 0, 0), shape=(F, F, 2))
        return (
            ct.reshape(ct.extract(both, (0, 0, 0), (F, F, 1)), (F, F)),
            ct.reshape(ct.extract(both, (0, 0, 1), (F, F, 1)), (F, F)),
        )

    def twiddle(T, rows: ConstInt, columns: ConstInt):
        both = ct.load(T, index=(0, 0, 0), shape=(rows, columns, 2))
        return (
            ct.reshape(ct.extract(both, (0, 0, 0), (rows, columns, 1)), (rows, columns)),
            ct.reshape(ct.extract(both, (0, 0, 1), (rows, columns, 1)), (rows, columns)),
        )

    w_re, w_im = matrix(W0, F0)
    a_re = ct.matmul(w_re, re) - ct.matmul(w_im, im)
    a_im = ct.matmul(w_im, re) + ct.matmul(w_re, im)
    t_re, t_im = twiddle(T0, F0, F1 * F2)
    b_re = t_re * a_re - t_im * a_im
    b_im = t_im * a_re + t_re * a_im

    b_re = ct.reshape(ct.permute(ct.reshape(b_re, (F0, F1, F2)), (1, 2, 0)), (F1, F2 * F0))
    b_im = ct.reshape(ct.permute(ct.reshape(b_im, (F0, F1, F2)), (1, 2, 0)), (F1, F2 * F0))
    w_re, w_im = matrix(W1, F1)
    c_re = ct.matmul(w_re, b_re) - ct.matmul(w_im, b_im)
    c_im = ct.matmul(w_im, b_re) + ct.matmul(w_re, b_im)
    t_re, t_im = twiddle(T1, F1, F2)
    t_re, t_im = ct.reshape(t_re, (F1, F2, 1)), ct.reshape(t_im, (F1, F2, 1))
    c_re, c_im = ct.reshape(c_re, (F1, F2, F0)), ct.reshape(c_im, (F1, F2, F0))
    d_re = t_re * c_re - t_im * c_im
    d_im = t_im * c_re + t_re * c_im

    d_re = ct.reshape(ct.permute(d_re, (1, 2, 0)), (F2, F0 * F1))
    d_im = ct.reshape(ct.permute(d_im, (1, 2, 0)), (F2, F0 * F1))
    w_re, w_im = matrix(W2, F2)
    e_re = ct.matmul(w_re, d_re) - ct.matmul(w_im, d_im)
    e_im = ct.matmul(w_im, d_re) + ct.matmul(w_re, d_im)

    # Output number k2 * F1 * F0 + k1 * F0 + k0.
    e_re = ct.reshape(ct.permute(ct.reshape(e_re, (F2, F0, F1)), (0, 2, 1)), (1, n, 1))
    e_im = ct.reshape(ct.permute(ct.reshape(e_im, (F2, F0, F1)), (0, 2, 1)), (1, n, 1))
    ct.store(y, index=(batch, 0, 0), tile=ct.cat((e_re, e_im), axis=-1))


def roots(rows, columns, n):
    grid = torch.outer(torch.arange(rows, dtype=torch.float64), torch.arange(columns, dtype=torch.float64))
    angles = -2 * math.pi * grid / n
    return torch.stack([angles.cos(), angles.sin()], dim=-1).float().to("cuda")


def fft(x, factors):
    n = x.shape[-1]
    f0, f1, f2 = factors
    parts = torch.view_as_real(x).contiguous()
    out = torch.empty_like(parts)
    w0, w1, w2 = roots(f0, f0, f0), roots(f1, f1, f1), roots(f2, f2, f2)
    arguments = (parts, out, w0, w1, w2, roots(f0, f1 * f2, n), roots(f1, f2, f1 * f2), f0, f1, f2)
    ct.launch(torch.cuda.current_stream(), (x.shape[0], 1, 1), fft_kernel, arguments)
    return torch.view_as_complex(out)


def check():
    torch.manual_seed(4)
    for factors in ((4, 4, 8), (8, 8, 8)):
        n = math.prod(factors)
        x = torch.randn(2, n, dtype=torch.complex64, device="cuda")
        yield f"{n} points", torch.view_as_real(fft(x, factors)), torch.view_as_real(torch.fft.fft(x)), 1e-3
