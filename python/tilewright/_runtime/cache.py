# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where compiled kernels are kept between processes.

TILEWRIGHT_CACHE_DIR names the folder; `0`, `off` or `none` switches the disk cache off. Without it, kernels go to
`$XDG_CACHE_HOME/tilewright`, or `~/.cache/tilewright`. TILEWRIGHT_CACHE_SIZE is the limit in bytes (default 1 GiB);
what was used least recently goes first. Any number of processes may share a folder, and removing it is always safe.
"""

from __future__ import annotations

import functools
import os

from tilewright import _native

_DEFAULT_BYTES = 1 << 30


def folder() -> str | None:
    """The cache folder, or None if the disk cache is off."""
    chosen = os.environ.get("TILEWRIGHT_CACHE_DIR")
    if chosen is not None:
        return None if chosen.lower() in ("", "0", "off", "none") else chosen
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "tilewright") if os.path.isabs(base) else None


def max_bytes() -> int:
    try:
        size = int(os.environ.get("TILEWRIGHT_CACHE_SIZE", _DEFAULT_BYTES))
    except ValueError:
        return _DEFAULT_BYTES
    return size if size > 0 else _DEFAULT_BYTES


@functools.lru_cache(maxsize=8)
def _open(folder: str, max_bytes: int) -> _native.Cache:
    return _native.Cache(folder, max_bytes)


def current() -> _native.Cache | None:
    """The cache that the environment names now."""
    path = folder()
    return None if path is None else _open(path, max_bytes())
