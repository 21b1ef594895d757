# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[t, h, :] = weight[h] @ x[t, h, :], a matrix per head: latent attention moves queries and results so."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two

TILE_N, TILE_K, MOST_M = 64, 64, 64

ConstInt = ct.Constant[int]


@ct.kernel
def head_linear_kernel(x, weight, out, TILE_M: ConstInt, TILE_N: ConstInt, TILE_K: ConstInt):
    """One block per tile of tokens and columns of one head. The weight is read along its strides, in either order."""
    n, m, head = ct.bid(0), ct.bid(1), ct.bid(2)
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((TILE_M, TILE_N), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[2], TILE_K)):
        tile_x = ct.load(x, (m, head, k), (TILE_M, 1, TILE_K), padding_mode=zero)
        tile_w = ct.load(weight, (head, k, n), (1, TILE_K, TILE_N), order=(0, 2, 1), padding_mode=zero)
        acc = ct.mma(tile_x.reshape((TILE_M, TILE_K)), tile_w.reshape((TILE_K, TILE_N)), acc)
    ct.store(out, (m, head, n), ct.astype(acc, out.dtype).reshape((TILE_M, 1, TILE_N)))


def head_linear(x, weight, out=None, *, stream=None):
    """x [T, heads, K], weight [heads, N, K] of the same type, out [T, heads, N]; all with any strides."""
    tokens, heads, _ = x.shape
    if out is None:
        out = np.empty((tokens, heads, weight.shape[1]), x.dtype)
    tile_m = min(MOST_M, power_of_two(tokens))
    grid = (ct.cdiv(weight.shape[1], TILE_N), ct.cdiv(tokens, tile_m), heads)
    ct.launch(stream, grid, head_linear_kernel, (x, weight, out, tile_m, TILE_N, TILE_K))
    return out
