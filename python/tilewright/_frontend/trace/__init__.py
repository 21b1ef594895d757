# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tracer: evaluates the syntax tree of a kernel and appends operations to a block.

`tracer` has the state of tracing; `language` lists the function that evaluates or executes each kind of node. These
functions are in `expressions`, `statements`, `control` and `calls`.
"""
