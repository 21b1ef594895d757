# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

from kernels.stencil.kernel import STENCILS, inner, stencil
from kernels.stencil.reference import reference

WEIGHTS = (0.5, 0.25, -0.125, 0.0625)


def weights_of(points):
    return WEIGHTS[: max(sum(map(abs, point)) for point in points) + 1]


def check(x, points, out, **how):
    """The result inside the frame, and the frame as it was."""
    out[...] = 7
    weights = weights_of(points)
    stencil(x, weights, points, out, **how)
    radius = max(abs(d) for point in points for d in point)
    reference(x, weights, points).check(inner(out, radius))
    inner(out, radius)[...] = 7
    assert (out == 7).all()


@pytest.mark.parametrize("by_index", [False, True], ids=["views", "index"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", STENCILS)
def test_matches_reference(name, dtype, by_index):
    points = STENCILS[name]
    rank = len(points[0])
    for shape in ((7, 6, 5), (9, 12, 70), (6, 7, 258)) if rank == 3 else ((5, 6), (19, 130), (6, 1027)):
        x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
        check(x, points, np.empty_like(x), by_index=by_index)


@pytest.mark.parametrize("by_index", [False, True], ids=["views", "index"])
@pytest.mark.parametrize("tile", [(1, 8, 64), (4, 4, 16), (2, 1, 512), (1, 1, 1), (8, 2, 2)])
def test_tiles_that_do_not_divide(tile, by_index):
    x = np.random.default_rng(2).standard_normal((11, 13, 77)).astype(np.float32)
    for name in ("7 points", "27 points"):
        check(x, STENCILS[name], np.empty_like(x), by_index=by_index, tile=tile)


@pytest.mark.parametrize("by_index", [False, True], ids=["views", "index"])
@pytest.mark.parametrize("columns", [1000, 1030])
def test_large_results_go_past_the_cache(columns, by_index):
    """Rows begin anywhere in a cache line."""
    x = np.random.default_rng(3).standard_normal((1200, columns)).astype(np.float32)
    check(x, STENCILS["9 points"], np.empty_like(x), by_index=by_index)


def test_strides():
    x = np.random.default_rng(4).standard_normal((30, 20, 66)).astype(np.float32)
    check(x[::2, ::3], STENCILS["7 points"], np.empty((15, 7, 66), np.float32))
    check(x.T, STENCILS["7 points"], np.empty((66, 20, 30), np.float32))
    check(x[:, :, ::2], STENCILS["13 points"], np.empty((30, 20, 33), np.float32), by_index=True)


def test_nothing_inside():
    x = np.ones((2, 9), np.float32)
    assert (stencil(x, (1.0, 1.0), STENCILS["5 points"]) == 0).all()
