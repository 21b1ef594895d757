# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where compiled kernels are kept between processes: the folder and its limit as the environment names them. The least
recently used kernel goes first. Any number of processes may share a folder, and removing it is always safe."""

from __future__ import annotations

import functools
import os

from tilewright import _native
from tilewright._runtime import environment

_FOLDERS = ("TILEWRIGHT_CACHE_DIR", "CUDA_TILE_CACHE_DIR")


def folder() -> str | None:
    """The cache folder, or None if the disk cache is off."""
    if any(map(environment.is_set, _FOLDERS)):
        return environment.first_set(*_FOLDERS)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "tilewright") if os.path.isabs(base) else None


def max_bytes() -> int:
    return environment.first_set("TILEWRIGHT_CACHE_SIZE", "CUDA_TILE_CACHE_SIZE")


@functools.lru_cache(maxsize=8)
def _open(folder: str, max_bytes: int) -> _native.Cache:
    return _native.Cache(folder, max_bytes)


def current() -> _native.Cache | None:
    """The cache that the environment names now."""
    path = folder()
    return None if path is None else _open(path, max_bytes())
