# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Room on Python's stack while kernels are traced: an inlined call takes about a dozen Python frames."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

# About 500 calls deep; on Python 3.10 a frame takes room on the C stack too, of which threads have 8 MB.
_PYTHON_FRAMES = 6_000

_lock = threading.Lock()
_users = 0
_limit_before = 0


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit of the interpreter until the last thread that needs it is done."""
    global _users, _limit_before
    with _lock:
        if _users == 0:
            _limit_before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_limit_before, _PYTHON_FRAMES))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_limit_before)
