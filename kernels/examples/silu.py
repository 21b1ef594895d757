# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel in twenty lines: each block computes SiLU of one 4 x 8 tile of a matrix, edges included. It prints

[[-0.14 -0.18 -0.21 -0.25 -0.27 -0.28 -0.25 -0.18 -0.06  0.13]
 [ 0.39  0.69  1.04  1.42  1.81  2.2   2.6   2.99  3.38  3.76]]
largest difference to NumPy below 1e-6: True
"""

import numpy as np
import tilewright as ct


@ct.kernel
def silu(x, out, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    block = (ct.bid(0), ct.bid(1))
    tile = ct.load(x, index=block, shape=(ROWS, COLUMNS), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=block, tile=tile / (1.0 + ct.exp(-tile)))


x = np.linspace(-3, 3.84, 20, dtype=np.float32).reshape(2, 10)
out = np.empty_like(x)
grid = (ct.cdiv(2, 4), ct.cdiv(10, 8))
silu[grid](x, out, 4, 8)
print(out.round(2))
print("largest difference to NumPy below 1e-6:", np.abs(out - x / (1 + np.exp(-x))).max() < 1e-6)
