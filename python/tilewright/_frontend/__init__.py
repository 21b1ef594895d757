# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the Python source of a kernel to a cuda_tile module. Private.

`trace` walks the syntax tree and evaluates it over compile-time values and tiles, which appends operations to the small
IR in `ir`; `passes` orders memory and tidies up; `emit` builds the native module.
"""
