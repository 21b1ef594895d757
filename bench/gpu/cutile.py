# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's own compiler on the same sources: the kernels of kernels/ with `import cuda.tile` instead of ours."""

import functools
import importlib
import tempfile

from bench.gpu.contest import Contestant
from kernels.peer import copy_for_cutile

try:
    import cuda.tile as cutile
except ImportError:
    cutile = None


def absent() -> str | None:
    """A line on why it does not take part, if it does not."""
    return None if cutile else "cuda.tile is not installed: NVIDIA's cuTile does not take part"


@functools.cache
def _sources():
    folder = tempfile.TemporaryDirectory(prefix="tilewright-cutile-")
    copy_for_cutile(folder.name, "cutile_kernels")
    return folder


def twin(kernel, **hints):
    """The kernel of ours as NVIDIA has it."""
    import sys

    if _sources().name not in sys.path:
        sys.path.insert(0, _sources().name)
    module = importlib.import_module(kernel.function.__module__.replace("kernels.", "cutile_kernels.", 1))
    found = getattr(module, kernel.function.__name__)
    return found.replace_hints(**hints) if hints else found


def peers(start, choices) -> list[Contestant]:
    """The contestant, if it is installed."""
    return [Contestant("cuTile", start, choices)] if cutile else []


def launch(stream, grid, kernel, arguments):
    cutile.launch(stream, grid, kernel, arguments)
