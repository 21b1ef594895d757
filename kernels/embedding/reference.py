# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from kernels.accuracy import Reference
from kernels.gather_rows import reference as rows


def reference(ids, table) -> Reference:
    """A copy: no error at all."""
    return rows.reference(table, ids)
