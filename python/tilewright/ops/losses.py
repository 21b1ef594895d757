# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of predictions."""

from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import check_shape, empty_by_row, empty_like, rows_of, vector_of, wide
from tilewright.torch import launching, op

_loss, _backward = kernel("cross_entropy.kernel"), kernel("cross_entropy.backward")


@op("tilewright::cross_entropy")
def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """log(sum(exp(logits))) - logits[label] [T], float32 (float64 of such), for logits [T, V] and integers labels [T].

    The loss of a row is not averaged, and NaN for a label that is no column. ValueError for labels of another shape.
    Since 0.1.
    """
    check_shape("labels", labels, logits.shape[:-1])
    loss = empty_by_row(logits, wide(logits))
    with launching():
        if logits.numel():
            _loss.cross_entropy(rows_of(logits), vector_of(labels), vector_of(loss))
    return loss


@op("tilewright::cross_entropy_backward")
def cross_entropy_backward(grad_out: Tensor, logits: Tensor, labels: Tensor) -> Tensor:
    """The gradient of the logits in `cross_entropy`."""
    grad = empty_like(logits)
    with launching():
        if logits.numel():
            _backward.cross_entropy_backward(vector_of(grad_out), rows_of(logits), vector_of(labels), rows_of(grad))
    return grad


cross_entropy.register_autograd(logits=cross_entropy_backward)
