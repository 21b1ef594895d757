# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in programs of JAX, as operators. Since 0.1.

An operator is one Python function that allocates its results and launches kernels. `op` makes it one that ``jax.jit``,
``jax.vmap``, ``jax.grad`` and ``jax.shard_map`` know (docs/operators.md)::

    @tilewright.jax.op("mine::scaled")
    def scaled(x: jax.Array, factor: float) -> jax.Array:
        out = tilewright.jax.empty_like(x)
        tilewright.launch(None, (tilewright.cdiv(x.size, 1024),), scale_kernel, (x, out, factor, 1024))
        return out

`cutile_call` launches a single kernel; it is source compatible with ``cuda.tile.jax``. Tested with JAX 0.8 and 0.10 on
the CPU; on a GPU with a driver of tests only.
"""

from typing import TYPE_CHECKING, Any

from tilewright.errors import OperatorError
from tilewright.jax.arrays import empty, empty_like, full, zeros, zeros_like
from tilewright.jax.call import InputOutput, OutputPlaceholder, cutile_call
from tilewright.jax.declaration import op

if TYPE_CHECKING:
    from tilewright.jax.operator import Operator

__all__ = [
    "InputOutput",
    "Operator",
    "OperatorError",
    "OutputPlaceholder",
    "cutile_call",
    "empty",
    "empty_like",
    "full",
    "op",
    "zeros",
    "zeros_like",
]


def __getattr__(name: str) -> Any:
    if name != "Operator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tilewright.jax.operator import Operator  # JAX is needed to use this package, not to import it

    return Operator
