# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of a kernel for the person who started it."""

from __future__ import annotations

import atexit
import functools
import linecache
import os
import signal
import sys

from tilewright.errors import TileAssertionError, TileError, TileFaultError


def show(printed: bytes) -> None:
    """Writes what a kernel printed; through sys.stdout, so that notebooks show it and tests capture it."""
    sys.stdout.write(printed.decode("utf-8", "replace"))


@functools.cache
def tell_rest_at_exit() -> None:
    """Called when a kernel that may say something is loaded on a GPU."""
    atexit.register(_tell_rest)


def _tell_rest() -> None:
    """At the end of the process: an assert on a GPU that failed after the last launch or ``synchronize`` that could
    have raised it. Ctrl-C ends the wait for a kernel that never ends."""
    from tilewright import _native

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        _native.synchronize(speaking=True)
    except TileAssertionError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    except TileError:
        pass  # a fault has been raised where it was noticed, and a GPU that is gone has nothing to say


def assertion_error(
    kernel: str, message: str, file: str, line: int, block: tuple[int, int, int], position: list[int]
) -> TileAssertionError:
    """`position` is that of the first element that is false."""
    text = f"{kernel}: assert failed, tile block: {[*block]}, position: {position}"
    if message:
        text += f": {message}"
    if file:
        text += f'\n  File "{file}", line {line}'
        # Its bytes, which came as UTF-8: as names of files are in this locale.
        source = linecache.getline(os.fsdecode(file.encode("utf-8", "surrogateescape")), line).strip()
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
        f"{kernel} {what}, in {blocks} by linear number; an index is out of bounds, or an argument does not match"
        " the kernel's assumptions: TILEWRIGHT_CHECK=1 finds the line. Arrays that it writes are left half written"
    )
