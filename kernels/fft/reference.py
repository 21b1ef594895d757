# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.accuracy import Reference, eps


def reference(x, inverse=False) -> Reference:
    """Real and imaginary parts one after the other, relative to the sum of |re| + |im| over a row.

    Each pass sums 2 N1 or 2 N2 products with tables that are rounded once: (2 N1 + 2) eps and (2 N2 + 2) eps of the
    magnitudes; twiddle factors add 3 eps / 2 and the scale eps / 2. In each of the three steps |cos| + |sin| lets the
    magnitudes grow by at most sqrt(2).
    """
    length = x.shape[1]
    n2 = 1 << (length.bit_length() - 1) // 2
    wide = x.astype(np.complex128)
    expected = np.fft.ifft(wide) if inverse else np.fft.fft(wide)
    scale = (np.abs(wide.real) + np.abs(wide.imag)).sum(axis=1, keepdims=True) / (length if inverse else 1)
    bound = 2**1.5 * eps(np.float32) * (2 * length // n2 + 2 * n2 + 4 + 2)
    return Reference(
        np.ascontiguousarray(expected).view(np.float64), np.broadcast_to(scale, (x.shape[0], 2 * length)), bound
    )
