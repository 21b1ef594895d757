# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stencils as users of cuda.tile write them, of views and by index, beside loops compiled by Numba. Shapes that fit
their tiles and shapes that do not, in memory and in cache; the tiles are some that a user would take."""

import functools

import numpy as np

from bench.row import to_peer
from kernels.stencil.bench import numba_stencil, stencil_work
from kernels.work import dtype_name

AGAINST, FLOOR = "Numba, parallel and fastmath", 1.0
CASES = {
    "5 points": {(4098, 4098): ((1, 1024), (8, 64)), (1002, 1003): ((4, 512),)},
    "9 points": {(4001, 4003): ((1, 1024), (16, 128)), (514, 1026): ((8, 64),)},
    "7 points": {(258, 258, 258): ((1, 1, 256), (1, 8, 64), (4, 4, 128)), (66, 66, 514): ((1, 1, 512), (1, 8, 64))},
    "13 points": {(200, 201, 260): ((1, 1, 256), (4, 4, 128))},
    "27 points": {(258, 258, 258): ((1, 1, 256), (1, 8, 64), (4, 4, 128)), (66, 66, 514): ((1, 1, 512), (1, 8, 64))},
}


def extents(numbers):
    return "x".join(map(str, numbers))


def stencil_rows():
    for name, shapes in CASES.items():
        for shape, tiles in shapes.items():
            for dtype in (np.float32, np.float64):
                peer = functools.cache(functools.partial(numba_stencil, name, shape, dtype))
                for tile in tiles:
                    for form, by_index in {"views": False, "index": True}.items():
                        work = functools.partial(stencil_work, name, shape, dtype, by_index=by_index, tile=tile)
                        text = f"stencil of {name} {dtype_name(dtype)} {extents(shape)}, {form}, tiles {extents(tile)}"
                        yield to_peer(text, work, lambda _, peer=peer: peer(), FLOOR, AGAINST)
