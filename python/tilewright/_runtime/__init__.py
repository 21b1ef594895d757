# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching and caching: the Python side of `tilewright._native`'s runtime.

How a launch goes, and who does what:

1. A kernel has one `_native.Launcher(name, parameters, specialize)`; `parameters` are the front end's `Parameter` records.
2. `launcher(grid, args)` reads the arguments in C++, forms a key of what the compiler may rely on, and looks the key up.
3. On a miss it calls `specialize(specs)` with the front end's `ArraySpec`, `ScalarSpec`, ... per parameter; `dispatch.py`
   lets the front end build a module for them and compiles it, through the disk cache, to an `_native.Executable`.
4. The launcher checks the arguments against what the executable writes, fills the entry parameters, and runs the grid.
"""

from tilewright._runtime.dispatch import launch

__all__ = ["launch"]
