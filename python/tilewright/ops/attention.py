# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of all queries to all keys before them."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import check_same_dtype, empty_like, wide
from tilewright.torch import launching, op

_attention, _backward = kernel("attention.kernel"), kernel("attention.backward")


@op("tilewright::attention")
def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = True, scale: float | None = None) -> Tensor:
    """softmax(q k scale) v [B, H, S, D] for q [B, H, S, D] and k and v [B, G, L, D], where H is a multiple of G and
    H / G heads in a row share those of k and v. ``scale`` is by default 1 / sqrt(D).

    With ``causal``, the queries are the last S of the L positions, and each sees itself and what came before it.
    ValueError for heads or lengths that do not fit, TypeError for several dtypes. Since 0.1.
    """
    if not q.dtype == k.dtype == v.dtype:
        check_same_dtype(q, k, ("q", "k"))
        check_same_dtype(q, v, ("q", "v"))
    of_q, of_k = q.shape, k.shape
    if len(of_q) != 4 or len(of_k) != 4 or of_k != v.shape or of_q[0] != of_k[0] or of_q[3] != of_k[3]:
        shapes = ", ".join(str(list(x.shape)) for x in (q, k, v))
        raise ValueError(f"q, k and v have shapes {shapes}, expected [B, H, S, D], [B, G, L, D] and [B, G, L, D]")
    out = empty_like(q)
    with launching():
        if q.numel():
            _attention.attention(q, k, v, out, causal=causal, scale=scale)
    return out


@op("tilewright::attention_backward")
def attention_backward(
    grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, causal: bool, scale: float | None
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v in `attention`."""
    grads = empty_like(q), empty_like(k), empty_like(v)
    with launching():
        if q.numel():
            scratch = [q.new_empty(*q.shape[:3], dtype=wide(q)) for _ in range(2)]
            _backward.attention_backward(grad_out, q, k, v, out, grads, scratch, causal=causal, scale=scale)
    return grads


attention.register_autograd(attention_backward)
