# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching and caching: the Python side of `tilewright._native`'s runtime.

How a launch goes, and who does what:

1. `@kernel` makes one `_native.Launcher(name, parameters, specialize)`; `parameters` holds one `Parameter` per Python parameter.
2. `launcher(grid, args)` reads the arguments in C++, forms a key of what the compiler may rely on, and looks the key up.
3. On a miss it calls `specialize(signature)`, where `signature` has one `ArrayArgument`, `ScalarArgument`, `ConstantArgument` or
   `TupleArgument` per parameter. The front end builds the `cuda_tile` module for it and returns
   `_native.compile(module_bytes, target, entry_name)`, an `Executable`.
4. The launcher checks the arguments against what the executable writes, lays out the entry parameters
   (array: pointer, shape, strides; scalars by value; constants nothing; tuples flattened) and runs the grid.
"""
