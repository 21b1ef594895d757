# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from kernels.fft.kernel import fft
from kernels.fft.reference import reference
from kernels.peer import tensor, torch
from kernels.work import Work, empty, normal


def fft_work(batch, length, *, inverse=False) -> Work:
    x, out = normal((batch, 2 * length), np.float32).view(np.complex64), empty((batch, length), np.complex64)
    peer = None
    if torch:
        tx, tout = tensor(x), tensor(empty(x.shape, np.complex64))
        transform = torch.fft.ifft if inverse else torch.fft.fft
        peer = lambda: transform(tx, out=tout)  # noqa: E731
    return Work(
        kernel="ifft" if inverse else "fft",
        shape=f"{batch}x{length}",
        dtype="complex64",
        amount=5.0 * batch * length * np.log2(length),  # as is customary, whatever the algorithm
        unit="GFLOP/s",
        run=lambda: fft(x, out, inverse=inverse),
        result=out.view(np.float32),
        reference=lambda: reference(x, inverse),
        torch=peer,
    )


def numpy_fft(batch, length):
    """The same transform by NumPy, into memory that exists, in complex64 as ours."""
    x, out = normal((batch, 2 * length), np.float32).view(np.complex64), empty((batch, length), np.complex64)
    return lambda: np.fft.fft(x, out=out)
