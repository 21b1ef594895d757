# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Limits of the cost of a compilation. Since 0.1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_chosen: ContextVar[float | None] = ContextVar("compiler_timeout", default=None)


@contextmanager
def compiler_timeout(timeout_sec: float) -> Iterator[None]:
    """Kernels compiled inside may take this many seconds each, before they raise `TileCompilerTimeoutError`.

    ``with compiler_timeout(10): launch(...)``. 0 is no limit. Outside, TILEWRIGHT_TIME_LIMIT holds, or 60 seconds.
    Other threads keep their own limit.
    """
    if not 0 <= timeout_sec < math.inf:
        raise ValueError(f"timeout_sec is {timeout_sec!r}, expected seconds from 0, which is no limit")
    token = _chosen.set(float(timeout_sec))
    try:
        yield
    finally:
        _chosen.reset(token)


def time_limit() -> float:
    """The seconds that a compilation which begins now may take; 0 for as long as it likes."""
    chosen = _chosen.get()
    if chosen is not None:
        return min(chosen, 1e6)  # the most that the option time-limit takes
    from tilewright._runtime import environment

    return environment.value("TILEWRIGHT_TIME_LIMIT")
