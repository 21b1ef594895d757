# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel says to the person who started it."""

from __future__ import annotations

import linecache
import sys

from tilewright._runtime.errors import TileAssertionError


def show(printed: bytes) -> None:
    """Writes what a kernel printed; through sys.stdout, so that notebooks show it and tests capture it."""
    sys.stdout.write(printed.decode("utf-8", "replace"))


def assertion_error(kernel: str, message: str, file: str, line: int, block: tuple[int, int, int]) -> TileAssertionError:
    text = f"{kernel}: assert failed in block {block}"
    if message:
        text += f": {message}"
    if file:
        text += f'\n  File "{file}", line {line}'
        source = linecache.getline(file, line).strip()
        if source:
            text += f"\n    {source}"
    return TileAssertionError(text)
