# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[t, :] = table[ids[t], :], the rows of tokens."""

from kernels.gather_rows.kernel import gather_rows


def embedding(ids, table, out=None, *, stream=None):
    """out [T, H] for ids i32 [T] and table [V, H] of any dtype. The row of a token that there is not is zero."""
    return gather_rows(table, ids, out, stream=stream)
