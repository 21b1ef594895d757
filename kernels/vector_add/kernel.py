# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out = x + y."""

import numpy as np
import tilewright as ct

TILE = 4096


@ct.kernel
def vector_add_kernel(x, y, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(y, index=(i,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i,), tile=a + b)


def vector_add(x, y, out=None, *, stream=None):
    """The sum of two vectors of one length and dtype."""
    if out is None:
        out = np.empty_like(x)
    ct.launch(stream, (ct.cdiv(x.shape[0], TILE),), vector_add_kernel, (x, y, out, TILE))
    return out
