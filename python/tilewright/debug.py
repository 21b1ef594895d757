# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Output and checks at run time, and the debugger. All since 0.1."""

from __future__ import annotations

import builtins
import linecache
import sys
from collections.abc import Iterable
from typing import Any

from tilewright._intrinsic import intrinsic


@intrinsic
def printf(format: str, *args) -> None:
    """C-style formatted output; the compile-time ``format`` has one of d i u o x X e E f F g G a A per tile."""


@intrinsic(host=print)
def print(*args, sep: str = " ", end: str = "\n") -> None:
    """Write the arguments to the standard output; tiles as nested brackets. f-strings are allowed."""


@intrinsic
def assert_(cond, /, message: str | None = None) -> None:
    """Stop the launch with ``message`` unless all elements of the `bool_` tile ``cond`` hold. The launch raises an
    error that names the block and the source line."""


class Debugger:
    """Stops kernels before a line and takes commands, like `pdb`; ``help`` lists them::

        with Debugger():
            scale[4](x, y)        # stops before the first line of the kernel

    Launches go to the interpreter meanwhile, whatever was compiled before. Without ``commands`` they come from the
    terminal. With them the dialogue is in ``output``, and once they are used up, launches run on. A notebook shows the
    dialogue of a debugger with its tiles coloured by value.
    """

    def __init__(self, commands: Iterable[str] | None = None):
        from tilewright import _native

        self.output = ""
        self._is_over = False  # the commands are used up
        self._commands = None if commands is None else iter(commands)
        self._session = _native.DebugSession(self._read, self._write, _text_of_source)

    def __enter__(self) -> Debugger:
        from tilewright import _runtime
        from tilewright._runtime import dispatch

        if _runtime.launch is dispatch.launch_debugged:
            raise RuntimeError("a debugger is active already")
        self._session.activate()
        _runtime.launch = dispatch.launch_debugged
        return self

    def __exit__(self, *error: Any) -> None:
        from tilewright import _native, _runtime
        from tilewright._runtime import dispatch

        _runtime.launch = dispatch.launch
        _native.DebugSession.deactivate()

    def _repr_html_(self) -> str:
        from tilewright._tools.display.tiles import of_dialogue

        return of_dialogue(self.output)

    def _read(self, prompt: str) -> str | None:
        if self._commands is None:
            sys.stdout.flush()
            try:
                return input(prompt)
            except EOFError:
                return None
        command = next(self._commands, None)
        if command is None:
            self._is_over = True
            return "continue"
        self.output += f"{prompt}{command}\n"
        return command

    def _write(self, text: str) -> None:
        if self._commands is None:
            from tilewright._tools.display import tiles

            tiles.write(text)
        elif not self._is_over:
            self.output += text


def _text_of_source(name: str) -> str:
    """Of a cell of a notebook, which is no file."""
    return "".join(linecache.getlines(name))


def run_script(path: str, arguments: list[str]) -> int:
    """Run a Python file with its kernels in the debugger; its exit status."""
    import runpy
    from pathlib import Path

    from tilewright.errors import TileDebuggerQuit

    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    with Debugger():
        try:
            runpy.run_path(path, run_name="__main__")
        except TileDebuggerQuit:
            builtins.print("the debugger has ended the script")
            return 1
    return 0
