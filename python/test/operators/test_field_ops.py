# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms and stencils as operators: values, gradients, tracing, vmap."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

from tilewright import ops  # noqa: E402
from torch.nn import functional  # noqa: E402

# Points, axes, and the distances of the points of the box of their size.
STENCILS = {
    "5 points": (2, 1, 1),
    "9 points": (2, 1, 2),
    "7 points": (3, 1, 1),
    "13 points": (3, 2, 2),
    "27 points": (3, 1, 3),
}
WEIGHTS = (0.5, 0.25, -0.125, 0.375)


def complex_numbers(*shape):
    torch.manual_seed(0)
    return torch.randn(shape, dtype=torch.complex64)


def as_convolution(x, name):
    """The same by a convolution, whose weights are zero off the axes where the stencil is a star."""
    axes, radius, farthest = STENCILS[name]
    along = [torch.arange(-radius, radius + 1).abs() for _ in range(axes)]
    steps = torch.stack(torch.meshgrid(*along, indexing="ij"))
    distance = steps.sum(0)
    is_star = name in ("5 points", "7 points", "13 points")
    taken = (steps > 0).sum(0) <= 1 if is_star else distance <= farthest
    weights = torch.where(taken, torch.tensor(WEIGHTS)[distance.clamp(max=3)], 0.0).to(x.dtype)
    convolution = functional.conv2d if axes == 2 else functional.conv3d
    return functional.pad(convolution(x[None, None], weights[None, None])[0, 0], (radius,) * (2 * axes))


def grid(name, dtype=torch.float64):
    torch.manual_seed(0)
    return torch.randn((7, 9, 6)[: STENCILS[name][0]], dtype=dtype, requires_grad=True)


def stencil(x, name):
    return ops.stencil(x, WEIGHTS[: STENCILS[name][2] + 1], name)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("length", [4, 64, 1024])
def test_transform(length, inverse):
    x, exact = (complex_numbers(2, 3, length).requires_grad_() for _ in range(2))
    result, expected = ops.fft(x, inverse), (torch.fft.ifft if inverse else torch.fft.fft)(exact)
    torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-6 * length)
    grad = complex_numbers(*result.shape)
    (found,), (wanted,) = torch.autograd.grad(result, x, grad), torch.autograd.grad(expected, exact, grad)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6 * length)


def test_transforms_of_other_views():
    """A lazy conjugate, and rows that are columns in memory."""
    x = complex_numbers(64, 8)
    torch.testing.assert_close(ops.fft(x.T), torch.fft.fft(x.T), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ops.fft(x.conj()), torch.fft.fft(x.conj()), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(
        torch.vmap(ops.fft, 1)(x[:, :, None].expand(64, 8, 16)), ops.fft(x.T[:, :, None].expand(8, 64, 16))
    )
    assert ops.fft(x[:0]).shape == (0, 8)


@pytest.mark.parametrize("name", STENCILS)
def test_stencil(name):
    x = grid(name)
    torch.testing.assert_close(stencil(x, name), as_convolution(x, name))
    assert torch.autograd.gradcheck(lambda x: stencil(x, name), (x,), fast_mode=True)
    assert torch.autograd.gradgradcheck(lambda x: stencil(x, name), (x,), fast_mode=True)


def test_stencils_over_a_batch():
    x = torch.randn(3, 7, 9)
    torch.testing.assert_close(
        torch.vmap(lambda x: stencil(x, "9 points"))(x), torch.stack([stencil(each, "9 points") for each in x])
    )


def test_a_grid_that_is_all_frame():
    x = torch.randn(2, 9, requires_grad=True)
    result = stencil(x, "5 points")
    assert torch.equal(result, torch.zeros(2, 9))
    assert torch.equal(torch.autograd.grad(result.sum(), x)[0], torch.zeros(2, 9))


@pytest.mark.parametrize("gradient", [False, True])
def test_opcheck(gradient):
    calls = [
        (ops.fft, (complex_numbers(3, 64), True)),
        (ops.stencil, (grid("13 points").detach(), WEIGHTS[:3], "13 points")),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator, (x, *rest) in calls:
            torch.library.opcheck(operator.overload, (x.requires_grad_(gradient), *rest))


def test_refusals():
    with pytest.raises(TypeError, match="x is float32, expected complex64"):
        ops.fft(torch.randn(3, 64))
    with pytest.raises(ValueError, match="rows have 12 points, expected a power of two from 4 to 16384"):
        ops.fft(complex_numbers(3, 12))
    with pytest.raises(ValueError, match="points='7 points' for x with 2 axes, expected one of 5 points, 9 points"):
        stencil(torch.randn(5, 5), "7 points")
    with pytest.raises(ValueError, match="3 weights for 5 points, expected 2, one for each distance"):
        ops.stencil(torch.randn(5, 5), (1.0, 2.0, 3.0), "5 points")
