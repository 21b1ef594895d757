# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decorator that makes an operator of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tilewright._runtime.tracebacks import boundary
from tilewright.jax.needed import needed

if TYPE_CHECKING:
    from tilewright.jax.operator import Operator


def op(
    name: str, *, mutates: Sequence[str] = (), example: Callable[[], Sequence[Any]] | None = None
) -> Callable[[Callable], Operator]:
    """Make an operator ``"namespace::name"`` of the function below, which allocates its results and launches kernels.

    Parameters and results are annotated: ``jax.Array``, an optional one, a list or tuple of them; others are what has
    to be known when JAX traces, hashable. Results are arrays that are not arguments or views of such. The function runs
    when JAX traces, on arrays without elements: they have a shape, a dtype and views, memory comes from
    `tilewright.jax.empty`, and launches are kept for XLA's call.

    ``mutates`` names the arguments that kernels write. The operator returns these first, as arrays of their own, in the
    memory of the argument where XLA needs it no more. It is compared with the kernels' Tile IR: at registration if
    there is an ``example``, which returns the arguments of a call (arrays or jax.ShapeDtypeStruct), else whenever JAX
    traces a call. `OperatorError` names operator, kernel and parameter. ValueError for a name without a namespace, and
    for annotations that do not say what is an array. Since 0.1.
    """
    needed()
    from tilewright.jax.operator import Operator

    named = (mutates,) if isinstance(mutates, str) else tuple(mutates)
    return boundary(lambda function: Operator(name, function, named, example))
