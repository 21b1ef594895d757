# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel says to the person who started it."""

from __future__ import annotations

import linecache
import signal
import sys

from tilewright._runtime.errors import TileAssertionError, TileFaultError


def show(printed: bytes) -> None:
    """Writes what a kernel printed; through sys.stdout, so that notebooks show it and tests capture it."""
    sys.stdout.write(printed.decode("utf-8", "replace"))


def assertion_error(
    kernel: str, message: str, file: str, line: int, block: tuple[int, int, int], position: list[int]
) -> TileAssertionError:
    """`position` is that of the first element that is false."""
    text = f"{kernel}: assert failed, tile block: {[*block]}, position: {position}"
    if message:
        text += f": {message}"
    if file:
        text += f'\n  File "{file}", line {line}'
        source = linecache.getline(file, line).strip()
        if source:
            text += f"\n    {source}"
    return TileAssertionError(text)


def fault_error(kernel: str, number: int, address: int, first: int, last: int) -> TileFaultError:
    """Of the signal that a kernel raised in a run of blocks."""
    what = f"accessed memory at {address:#x}, which it may not"
    if number not in (signal.SIGSEGV, signal.SIGBUS):
        what = f"raised signal {number}"
    blocks = f"block {first}" if last == first + 1 else f"one of the blocks {first} to {last - 1}"
    return TileFaultError(
        f"{kernel} {what}, in {blocks} by linear number; an index is out of bounds, or an argument does not match what"
        " the kernel takes for granted: TILEWRIGHT_CHECK=1 finds the line. Arrays that it writes are left half written"
    )
