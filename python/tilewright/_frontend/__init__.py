# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the Python source of a kernel to a cuda_tile module. Private.

`source` finds the syntax tree; `trace` evaluates it over compile-time values and tiles (`values`), which appends
operations of the language (`ops`) to the small IR in `ir`; `passes` orders memory and tidies up; `emit` builds the
native module.
"""
