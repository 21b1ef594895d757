# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where compiled kernels are kept between processes: the folder and its limit as the environment names them. The least
recently used kernel goes first. Any number of processes may share a folder, and removing it is always safe."""

from __future__ import annotations

import functools
import os

from tilewright import _native
from tilewright._runtime import environment


def folder() -> str | None:
    """The cache folder, or None if the disk cache is off."""
    if environment.is_set("TILEWRIGHT_CACHE_DIR"):
        return environment.value("TILEWRIGHT_CACHE_DIR") or None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "tilewright") if os.path.isabs(base) else None


def max_bytes() -> int:
    return environment.value("TILEWRIGHT_CACHE_SIZE")


@functools.lru_cache(maxsize=8)
def _open(folder: str, max_bytes: int) -> _native.Cache:
    return _native.Cache(folder, max_bytes)


def current() -> _native.Cache | None:
    """The cache that the environment names now."""
    path = folder()
    return None if path is None else _open(path, max_bytes())
