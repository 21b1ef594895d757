# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of a launch beyond TypeError and ValueError, which name the wrong argument."""

from tilewright.errors import TileError


class TileAssertionError(TileError, AssertionError):
    """An assert failed inside a kernel; the message has the block, the first element that is false, and the
    line of the source. Since 0.1."""


class TileFaultError(TileError, RuntimeError):
    """A kernel accessed memory that is not there; what it writes is left half written. On a GPU the process cannot use
    that GPU any more; the CPU goes on. Since 0.1."""


class TileLaunchTimeoutError(TileError, RuntimeError):
    """A launch took longer than the caller allowed. Since 0.1."""


class TileDeviceError(TileError, RuntimeError):
    """There is no GPU to launch on, or it does not take the kernel: the message says which, and what to do.
    Since 0.1."""
