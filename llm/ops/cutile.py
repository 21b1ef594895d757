# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources of kernels/ through NVIDIA's compiler: copies that have its `cuda.tile` in the place of ours, with their
host functions, launched on PyTorch's current stream."""

import functools
import importlib
import sys
import tempfile

import torch
from tilewright._runtime.kernel_library import kernel

from . import tilewright

try:
    import cuda.tile  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(str(error), name="cuda-tile[tileiras]") from None

PACKAGE = "tilewright_cutile_kernels"
_folder = tempfile.TemporaryDirectory(prefix="tilewright-cutile-")  # until the process ends: sources are read late
kernel("peer").copy_for_cutile(_folder.name, PACKAGE)
sys.path.append(_folder.name)


def launched(function):
    """A host function on the current stream, which in a capture of a graph is another one."""

    @functools.wraps(function)
    def call(*arguments, **options):
        return function(*arguments, **options, stream=torch.cuda.current_stream())

    return call


def twin(operation):
    """The copy of the function that tilewright.py has."""
    folder, function = tilewright.KERNELS[operation]
    module = importlib.import_module(f"{PACKAGE}.{folder if '.' in folder else f'{folder}.kernel'}")
    return launched(getattr(module, function))


DEVICES = ("cuda",)
OPERATIONS = {operation: twin(operation) for operation in tilewright.KERNELS}
SOURCES = tilewright.SOURCES
