# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow: branches, loops, `with`, and leaving them early.

The program that comes out is structured: the only jumps are `continue` at the end of a loop body and `break` in an `if`
of its own. A branch that leaves early (`return`, `break`, `continue`) takes the statements after the `if` into its
other branch, and what it leaves is remembered in flags ($break, $return) that are values like any other.
"""
