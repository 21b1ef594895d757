# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary positions."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import check_shape, empty_like
from tilewright.torch import launching, op

_rope = kernel("rope.kernel")


@op("tilewright::rope")
def rope(x: Tensor, positions: Tensor, table: Tensor, interleaved: bool = False, inverse: bool = False) -> Tensor:
    """x [T, heads, D], T one axis, with pairs of elements rotated by the angles of the row of the table that
    `positions` int32 [T] names; the table, float32 [P, D], has D/2 cosines, then D/2 sines in a row.

    Element i of a head is in a pair with i + D/2, or, if ``interleaved``, 2 i with 2 i + 1. ``inverse`` rotates back.
    The table has no gradient. ValueError for positions or a table that do not fit. Since 0.1.
    """
    if x.dim() != 3:
        raise ValueError(f"x has shape {list(x.shape)}, expected [tokens, heads, elements]")
    check_shape("positions", positions, x.shape[:1])
    out = empty_like(x)
    with launching():
        if x.numel():
            _rope.rotated(x, positions, table, out, interleaved=interleaved, inverse=inverse)
    return out


def _gradient(grad_out: Tensor, positions: Tensor, table: Tensor, interleaved: bool, inverse: bool) -> Tensor:
    return rope(grad_out, positions, table, interleaved, not inverse)


rope.register_autograd(x=_gradient)
