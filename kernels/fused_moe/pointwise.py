# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last step of a mixture of experts: the sum over the choices of each token."""

import tilewright as ct

TILE = 1024

ConstInt = ct.Constant[int]


@ct.kernel
def sum_choices_kernel(x, out, CHOICES: ConstInt, TILE: ConstInt):
    token, c = ct.bid(0), ct.bid(1)
    choices = ct.load(x, index=(token, 0, c), shape=(1, CHOICES, TILE), padding_mode=ct.PaddingMode.ZERO)
    total = ct.sum(ct.astype(choices, ct.float32), axis=1)
    ct.store(out, index=(token, c), tile=ct.astype(total, out.dtype))


def sum_choices(x, out, *, stream=None):
    """out [T, H] = the sum over the middle axis of x [T, top_k, H]."""
    tokens, choices, columns = x.shape
    choices = 1 << (choices - 1).bit_length()
    ct.launch(stream, (tokens, ct.cdiv(columns, TILE)), sum_choices_kernel, (x, out, choices, TILE))
    return out
