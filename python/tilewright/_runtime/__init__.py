# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching and caching: the Python side of `tilewright._native`'s runtime.

How a launch goes, and who does what:

1. A kernel has one `_native.Launcher(name, parameters, specialize)`; `parameters` are the front end's records.
2. `launcher(grid, args, stream)` reads the arguments in C++ and looks up the code for what the compiler may rely on.
3. Where there is none it calls `specialize(specs, device)`; `dispatch.py` lets the front end build a module for these
   specs and compiles it, through the disk cache, to an `_native.Executable`. Where plans are locked or searched
   (`plans.py`), code is for the launches of one shape bucket, which is part of the key from then on.
4. The launcher checks the arguments against what the code writes, fills the entry parameters, and runs the grid: on the
   threads of this machine, in the interpreter, or on the GPU that the arrays are on.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "launch":
        raise AttributeError(name)
    # Importing the package reads no variable of the environment; the first launch does.
    from tilewright._runtime.dispatch import launch

    globals()["launch"] = launch
    return launch
