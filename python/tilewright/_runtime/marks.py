# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_MARKS: launches appear by the kernel's name in the timelines of NVIDIA's tools (NVTX), of PyTorch's
profiler and of JAX's. Without it launches are what they are otherwise."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tilewright._runtime import environment

_NVTX = ("libnvToolsExt.so.1", "libnvToolsExt.so")

Marker = Callable[[str], Any]
"""The context manager of a range of that name; None where there is nothing to tell."""


def _load_nvtx() -> Any:
    for name in _NVTX:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _nvtx() -> Marker | None:
    """None without the library, which is found once."""
    library = _load_nvtx()
    if library is None:
        return None

    @contextmanager
    def mark(name: str) -> Iterator[None]:
        library.nvtxRangePushA(name.encode())
        try:
            yield
        finally:
            library.nvtxRangePop()

    return mark


def _torch() -> Marker:
    """As long as the program has not imported PyTorch, nothing profiles with it; likewise JAX."""

    def mark(name: str) -> Any:
        torch = sys.modules.get("torch")
        return torch.profiler.record_function(name) if torch else None

    return mark


def _jax() -> Marker:
    def mark(name: str) -> Any:
        jax = sys.modules.get("jax")
        return jax.profiler.TraceAnnotation(name) if jax else None

    return mark


_MARKERS: dict[str, Callable[[], Marker | None]] = {"NVTX": _nvtx, "TORCH": _torch, "JAX": _jax}


def launch_of(plain: Any) -> Any:
    """The function for launches: `plain` itself without TILEWRIGHT_MARKS."""
    markers = [marker for word in environment.value("TILEWRIGHT_MARKS") or [] if (marker := _MARKERS[word]())]
    if not markers:
        return plain

    def launch(kernel: Any, grid: Any, arguments: Any, stream: Any, dependent: bool) -> None:
        with ExitStack() as stack:
            for marker in markers:
                if (range_ := marker(f"tilewright: {kernel.__name__}")) is not None:
                    stack.enter_context(range_)
            plain(kernel, grid, arguments, stream, dependent)

    return launch
