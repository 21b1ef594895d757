# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that the operators of several files launch."""

import tilewright as ct


@ct.kernel
def scale_kernel(x, y, factor: float, TILE: ct.Constant[int]):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


@ct.kernel
def product_kernel(x, w, y, TILE: ct.Constant[int]):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * ct.load(w, ct.bid(0), TILE))
