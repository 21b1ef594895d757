# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of `tilewright.ops` for arrays of JAX, with their gradients. Since 0.1.

``tilewright.jax.ops.NAME`` has the same function. When JAX traces a call it runs on PyTorch's tensors without memory,
so PyTorch has to be installed. One that mutates arguments returns these first (docs/operators.md).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.jax.operator import Operator


def __getattr__(name: str) -> "Operator":
    from tilewright import ops
    from tilewright.jax.from_torch import from_torch

    if name not in ops.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return from_torch(getattr(ops, name))


def __dir__() -> list[str]:
    from tilewright import ops

    return ops.__all__
