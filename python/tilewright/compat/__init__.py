# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that were written for ``cuda.tile`` as they are (docs/compat.md)::

    python -m tilewright.compat [--device cpu|cuda] SCRIPT.py [ARGUMENTS]
    python -m pytest -p tilewright.compat.pytest_plugin --tilewright-device cpu TESTS

or, in a program before it imports ``cuda.tile``, `install`.
"""

from __future__ import annotations

import sys

from tilewright.compat import modules

_installed: str | None = None


def install(device: str | None = None, *, quiet: bool = False) -> str:
    """From now on ``import cuda.tile`` is Tilewright, and so are the modules below it and ``cuda.tile_experimental``;
    ``cuda.core``, ``cuda.bindings`` and whatever else is in the namespace ``cuda`` stay what they are.

    With the device ``"cpu"``, ``cuda`` also means the CPU in PyTorch, and ``import cupy`` gives a stand-in over NumPy
    where CuPy is not installed. ``"cuda"`` leaves both alone. None is ``"cuda"`` where there is a GPU, else ``"cpu"``.
    One line on stderr says what was mapped, unless ``quiet``. Returns the device. A second call has to ask for the
    same device (ValueError); a program that already imported another ``cuda.tile`` is too late (RuntimeError)."""
    global _installed
    if device not in (None, "cpu", "cuda"):
        raise ValueError(f"device {device!r}, expected 'cpu' or 'cuda'")
    if _installed is not None:
        if device not in (None, _installed):
            raise ValueError(f"device {device!r}, but compat is installed for {_installed!r}; a process has one")
        return _installed
    modules.refuse_others()
    device = device or ("cuda" if _has_gpu() else "cpu")
    mapped = ["cuda.tile is Tilewright"]
    modules.provide_cuda_tile()
    if device == "cpu":
        mapped += _map_to_cpu()
    _installed = device
    if not quiet:
        print(f"tilewright.compat: {'; '.join(mapped)}", file=sys.stderr)
    return device


def _map_to_cpu() -> list[str]:
    mapped = []
    if modules.is_available("torch"):
        modules.after_import("torch", "tilewright.compat.torch_on_cpu", "map_cuda_to_cpu")
        mapped.append("'cuda' is the CPU in PyTorch")
    if not modules.is_available("cupy"):
        modules.provide("cupy", "tilewright.compat.cupy_on_numpy")
        mapped.append("cupy is a stand-in over NumPy")
    return mapped


def _has_gpu() -> bool:
    from tilewright import TileDeviceError, _native

    try:
        _native.describe_gpu(0)
    except TileDeviceError:
        return False
    return True
