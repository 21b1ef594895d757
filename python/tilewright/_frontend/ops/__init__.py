# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that each function of the language emits, one module per subject."""

from tilewright._frontend.ops import (  # noqa: F401  (importing registers the implementations)
    arrays,
    atomics,
    debugging,
    elementwise,
    factory,
    functions,
    matrix,
    memory,
    meta,
    pointers,
    reductions,
    shapes,
)
