# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of fields, that is of numbers on a grid: Fourier transforms and stencils."""

import functools
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import empty_like, rows_of
from tilewright.torch import launching, op

_fft, _stencil = kernel("fft.kernel"), kernel("stencil.kernel")


@op("tilewright::fft")
def fft(x: Tensor, inverse: bool = False) -> Tensor:
    """The discrete Fourier transform of every row of x [T, N], complex64, or its inverse, divided by N.

    TypeError for another dtype, ValueError for an N that is no power of two from 4 to 16384. Since 0.1.
    """
    return _transformed(x, inverse, 1 / int(x.shape[-1]) if inverse else 1.0)


@op("tilewright::fft_backward")
def fft_backward(grad_out: Tensor, inverse: bool) -> Tensor:
    """The gradient of x in `fft`. The matrix of a transform is symmetric, so its adjoint is the other one, but for the
    factor."""
    return _transformed(grad_out, not inverse, 1 / int(grad_out.shape[-1]) if inverse else 1.0)


def _transformed(x: Tensor, inverse: bool, scale: float) -> Tensor:
    if x.dtype != torch.complex64:
        raise TypeError(f"x is {str(x.dtype).removeprefix('torch.')}, expected complex64")
    sizes = _fft.sizes_of(int(x.shape[-1]))  # one graph for each length
    out = empty_like(x)
    with launching():
        if x.numel():
            on_gpu = not x.is_cpu and not isinstance(x, FakeTensor)
            tables = _tables_on(x.device, *sizes) if on_gpu else None
            _fft.fft(rows_of(x), rows_of(out), inverse=inverse, scale=scale, beside=tables)
    return out


@functools.cache
def _tables_on(device: torch.device, *sizes: int) -> list[Tensor]:
    return [torch.from_numpy(table).to(device) for table in _fft.tables(*sizes)]


fft.register_autograd(fft_backward)
fft_backward.register_autograd(grad_out=lambda grad_result, inverse: fft(grad_result, inverse), results=("result",))


@op("tilewright::stencil")
def stencil(x: Tensor, weights: Sequence[float], points: str) -> Tensor:
    """The sum over the points p of a stencil of ``weights[|p|] x[i + p]``, for a grid x of 2 or 3 axes; zero in the
    frame, where a point lies outside of it. ``|p|`` is the sum of the distances along the axes.

    ``points`` is "5 points", "9 points" (2 axes), "7 points", "13 points" or "27 points" (3 axes). float32 or float64;
    the weights are float32. ValueError for another stencil, number of axes or number of weights. Since 0.1.
    """
    chosen = _points(x, weights, points)
    out = torch.zeros_like(x, memory_format=torch.contiguous_format)
    with launching():
        _stencil.stencil(x, tuple(weights), chosen, out)
    return out


@op("tilewright::stencil_backward")
def stencil_backward(grad_out: Tensor, weights: Sequence[float], points: str) -> Tensor:
    """The gradient of x in `stencil`."""
    grad = empty_like(grad_out)
    with launching():
        if grad.numel():
            _stencil.stencil_backward(grad_out, tuple(weights), _points(grad_out, weights, points), grad)
    return grad


stencil.register_autograd(x=stencil_backward)
stencil_backward.register_autograd(
    grad_out=lambda grad_result, weights, points: stencil(grad_result, weights, points), results=("result",)
)


def _points(x: Tensor, weights: Sequence[float], name: str) -> tuple[tuple[int, ...], ...]:
    points = _stencil.STENCILS.get(name)
    if points is None or len(points[0]) != x.dim():
        fitting = [each for each, those in _stencil.STENCILS.items() if len(those[0]) == x.dim()]
        raise ValueError(f"points={name!r} for x with {x.dim()} axes, expected one of {', '.join(fitting) or '(none)'}")
    rings = len(_stencil.rings(points))
    if len(weights) != rings:
        raise ValueError(f"{len(weights)} weights for {name}, expected {rings}, one for each distance")
    return points
