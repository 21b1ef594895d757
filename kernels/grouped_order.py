# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order in which a one-dimensional grid walks the blocks of a matrix."""

import tilewright as ct


def grouped_block(block, rows, columns, TILE_M, TILE_N, GROUP_M):
    """The (row, column) of a block in a walk that goes down GROUP_M block rows before it moves one column right.

    Neighbours in the walk share a column of B, and a group shares GROUP_M rows of A: both stay in the cache
    that neighbouring blocks share. The last group may be lower than the others.
    """
    blocks_m = ct.cdiv(rows, TILE_M)
    blocks_n = ct.cdiv(columns, TILE_N)
    group_size = GROUP_M * blocks_n
    first_m = block // group_size * GROUP_M
    height = min(blocks_m - first_m, GROUP_M)
    place = block % group_size
    return first_m + place % height, place // height
