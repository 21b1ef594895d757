# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

from kernels.accuracy import eps
from kernels.fft.kernel import LONGEST, SHORTEST, fft
from kernels.fft.reference import reference


def complex_normal(shape):
    random = np.random.default_rng(shape)
    return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(np.complex64)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("length", [SHORTEST, 8, 64, 512, 4096, LONGEST])
def test_matches_reference(length, inverse):
    x = complex_normal((3, length))
    reference(x, inverse).check(fft(x, inverse=inverse).view(np.float32))


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("length", [64, 4096, LONGEST])
def test_errors_of_one_sign_do_not_add_up(length, inverse):
    """The bound is for the worst signs; a table or a pass with a bias would show in the mean square."""
    x = complex_normal((4, length))
    expected = (np.fft.ifft if inverse else np.fft.fft)(x.astype(np.complex128))
    error = np.linalg.norm(fft(x, inverse=inverse) - expected) / np.linalg.norm(expected)
    assert error < 4 * eps(np.float32)


def test_there_and_back():
    x = complex_normal((5, 1024))
    back = fft(fft(x), inverse=True)
    assert np.linalg.norm(back - x) / np.linalg.norm(x) < 8 * eps(np.float32)


def test_one_frequency_is_one_number():
    n = np.arange(256)
    x = np.exp(2j * np.pi * np.outer([0, 3, 100, 255], n) / 256).astype(np.complex64)
    expected = np.zeros((4, 256), np.complex64)
    expected[np.arange(4), [0, 3, 100, 255]] = 256
    assert np.abs(fft(x) - expected).max() < 1e-3


def test_strides():
    frame = np.zeros((6, 200), np.complex64)
    x = complex_normal((128, 6)).T[::2]
    fft(x, frame[1::2, 5:133])
    reference(x).check(np.ascontiguousarray(frame[1::2, 5:133]).view(np.float32))
    frame[1::2, 5:133] = 0
    assert (frame == 0).all()


@pytest.mark.parametrize("length", [2, 100, 2 * LONGEST])
def test_lengths_that_there_are_not(length):
    with pytest.raises(ValueError, match=f"rows have {length} points, expected a power of two from 4 to 16384"):
        fft(np.zeros((1, length), np.complex64))
