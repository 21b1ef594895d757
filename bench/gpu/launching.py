# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of tiles as a call: ours and NVIDIA's twin of it are launched alike."""

import tilewright as ct

from bench.gpu import cutile
from kernels.peer import torch

DEVICE = "cuda"  # tests have others


def ours(kernel, grid, arguments, out, **hints):
    kernel = kernel.replace_hints(**hints) if hints else kernel
    return _call(ct.launch, kernel, grid, arguments, out)


def theirs(kernel, grid, arguments, out, **hints):
    return _call(cutile.launch, cutile.twin(kernel, **hints), grid, arguments, out)


def _call(launch, kernel, grid, arguments, out):
    stream = torch.cuda.current_stream() if DEVICE == "cuda" else None

    def call():
        launch(stream, grid, kernel, arguments)
        return out

    return call


def multiprocessors() -> int:
    return torch.cuda.get_device_properties(0).multi_processor_count if DEVICE == "cuda" else 4


def random(*shape, dtype=None, seed=0, scale=1.0):
    """Normally distributed, on the GPU."""
    generator = torch.Generator(DEVICE).manual_seed(seed)
    return (torch.randn(shape, device=DEVICE, generator=generator) * scale).to(dtype or torch.float32)
