# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions. Every message of the front end names file, line and column, shows the source with a caret, and says
what was found, what is expected, and how to fix it."""

from __future__ import annotations


class TileError(Exception):
    """Base of every error that tile code or its compilation raises.

    ``message`` is the bare sentence; ``str(error)`` adds the source excerpt and the chain of call sites, if the
    error has a place (``loc``, else None). Since 0.1.
    """

    def __init__(self, message: str, loc=None):
        super().__init__(message)
        self.message = message
        self.loc = loc

    @property
    def location(self):
        return self.loc

    @location.setter
    def location(self, place) -> None:
        self.loc = place

    def __str__(self) -> str:
        return self.message if self.loc is None else self.loc.render(self.message)


class TileHostCallError(TileError, RuntimeError):
    """A function of tile code was called on the host. Since 0.1."""


class TileSyntaxError(TileError):
    """The Python construct is not part of the tile language. Since 0.1."""


class TileTypeError(TileError):
    """An operand has a dtype, shape, rank or kind that the operation does not take. Since 0.1."""


class TileValueError(TileError):
    """A compile-time value is outside what the operation takes, or a plan decides what is impossible. Since 0.1."""


class TileRecursionError(TileError):
    """Helper functions call each other deeper than the inliner goes. Since 0.1."""


class TileUnsupportedFeatureError(TileError):
    """The feature belongs to the language, but this release or target does not have it. Since 0.1."""


class TileStaticEvalError(TileError):
    """The expression of ``static_eval`` (or of another compile-time construct) raised. Since 0.1."""


class StaticException(TileStaticEvalError):
    """Raised in tile code by ``raise static_exception(exc)``; ``__cause__`` is ``exc``. Since 0.1."""


class TileStaticAssertionError(TileError):
    """The condition of ``static_assert`` is false. Since 0.1."""


class TileInternalError(TileError):
    """The compiler broke one of its own rules: a bug in Tilewright, please report it. Since 0.1."""


class TileCompilerExecutionError(TileInternalError):
    """A compiler stage behind the front end failed. Since 0.1."""


class TileCompilerTimeoutError(TileInternalError):
    """A compiler stage took longer than the limit set by the caller. Since 0.1."""


class TileInterpreterError(TileError):
    """A launch in the interpreter ended early: at its limit of operations, or where one cannot run. Since 0.1."""


class TileCheckError(TileError):
    """Checked mode has found what the program may not do; the message is the whole report. Since 0.1."""


class TileDebuggerQuit(TileError):
    """The launch was ended in the debugger. Since 0.1."""


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


class OperatorError(TypeError):
    """An operator's declaration and its kernels, or its rules and its signature, do not agree. The message names both.
    Since 0.1."""
