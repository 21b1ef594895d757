# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[i, :] = x[index[i], :]."""

import numpy as np
import tilewright as ct

from kernels.arrays import power_of_two

TILE = 4096  # elements: part of a row, or many short rows


@ct.kernel
def gather_rows_kernel(x, index, out, ROWS: ct.Constant[int], COLUMNS: ct.Constant[int]):
    i, c = ct.bid(0), ct.bid(1)
    rows = ct.load(index, index=(i,), shape=(ROWS,), padding_mode=ct.PaddingMode.ZERO)
    columns = c * COLUMNS + ct.arange(COLUMNS, dtype=ct.int32)
    ct.store(out, index=(i, c), tile=ct.gather(x, (rows[:, None], columns[None, :])))


def gather_rows(x, index, out=None, *, stream=None):
    """The rows of a matrix that the index names, in its order. A row that there is not is zero."""
    if out is None:
        out = np.empty((index.shape[0], x.shape[1]), x.dtype)
    columns = min(power_of_two(x.shape[1]), TILE)
    rows = TILE // columns
    grid = (ct.cdiv(index.shape[0], rows), ct.cdiv(x.shape[1], columns))
    ct.launch(stream, grid, gather_rows_kernel, (x, index, out, rows, columns))
    return out
