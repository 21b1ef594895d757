# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
import tilewright as ct
from ml_dtypes import bfloat16

from kernels.transpose.kernel import TILES, tile_for, transpose, transpose_kernel
from kernels.transpose.reference import reference
from kernels.work import empty


@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8, np.int64])
@pytest.mark.parametrize("shape", [(64, 64), (1, 200), (130, 1), (257, 515)])
def test_matches_reference(shape, dtype):
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(dtype)
    reference(x).check(transpose(x))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.int8])
def test_a_result_larger_than_the_cache(dtype):
    """Written past it by whole cache lines, and with ordinary stores where they do not begin at one."""
    x = np.random.default_rng(1).integers(-100, 100, (2112, 1600)).astype(dtype)
    frame = empty((1600, 2176), dtype)
    for first in (0, 3, 16 // frame.itemsize):
        out = frame[:, first : first + 2112]
        out[...] = 0
        reference(x).check(transpose(x, out))


@pytest.mark.parametrize("dtype", [np.float32, bfloat16, np.int8, np.int64])
@pytest.mark.parametrize(
    ("shape", "tile"), [((768, 1024), (256, 64)), ((2048, 512), (1024, 64)), ((2001, 1024), None), ((320, 1024), None)]
)
def test_high_tiles_where_lines_are_whole(shape, tile, dtype):
    x = np.random.default_rng(3).integers(-100, 100, shape).astype(dtype)
    out = empty(x.size + 64, dtype)[16 // x.itemsize :][: x.size].reshape(shape[::-1])
    assert tile_for(x, out) == (tile or TILES[x.itemsize])
    assert tile_for(x, empty(shape[::-1], dtype)) == TILES[x.itemsize]
    reference(x).check(transpose(x, out))


def test_high_tiles_that_reach_beyond_the_matrix():
    x = np.random.default_rng(4).integers(-100, 100, (2112, 1700)).astype(np.float32)
    out = empty(x.size + 64, np.float32)[4:][: x.size].reshape(1700, 2112)
    assert tile_for(x, out) == (512, 64)
    reference(x).check(transpose(x, out))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize("tile", [(1024, 64), (512, 512)])
def test_lines_of_tiles_that_begin_within_a_cache_line(tile, dtype):
    x = np.random.default_rng(2).integers(-100, 100, (2048, 1536)).astype(dtype)
    frame = empty((1536, 2176), dtype)
    for first in (0, 1, 16 // frame.itemsize, 48 // frame.itemsize):
        out = frame[:, first : first + 2048]
        frame[...] = 1
        ct.launch(None, (ct.cdiv(2048, tile[0]), ct.cdiv(1536, tile[1])), transpose_kernel, (x, out, *tile))
        reference(x).check(out)
        assert (frame[:, :first] == 1).all() and (frame[:, first + 2048 :] == 1).all()
