# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of launches and of the compiler below the front end. A wrong argument is a TypeError or ValueError that names it."""


class TileAssertionError(AssertionError):
    """An assert failed inside a kernel; the message has the block and the source line."""


class TileCompilerError(RuntimeError):
    """The compiler could not translate a module; the message holds its diagnostics."""
