# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[i] = the sum over the points p of a stencil of weights[|p|] x[i + p], in 2 or 3 dimensions.

|p| is the sum of the distances along the axes. out is as large as x; the frame, where a point lies outside of x, keeps
what it holds. Elements are f32 or f64.
"""

import functools
import itertools

import numpy as np
import tilewright as ct

TILE = 1024  # elements


def star(rank, radius):
    """The points on the axes up to a distance, and the center."""
    distances = [d for d in range(-radius, radius + 1) if d != 0]
    axes = [tuple(d * (axis == each) for each in range(rank)) for axis in range(rank) for d in distances]
    return ((0,) * rank, *axes)


def box(rank):
    """All neighbours, and the center."""
    return tuple(itertools.product((-1, 0, 1), repeat=rank))


STENCILS = {
    "5 points": star(2, 1),
    "9 points": box(2),
    "7 points": star(3, 1),
    "13 points": star(3, 2),
    "27 points": box(3),
}


def distance(point):
    return sum(map(abs, point))


@functools.cache
def rings(points):
    """The points of each distance: one weight belongs to all of them."""
    return tuple(tuple(p for p in points if distance(p) == d) for d in range(max(map(distance, points)) + 1))


@functools.cache
def moved_slices(radius, point):
    """The part of an array inside its frame, moved by a point, whatever its shape."""
    return tuple(slice(radius + d, d - radius or None) for d in point)


def inner(array, radius, point=None):
    """The part of an array inside its frame, moved by a point: a view."""
    return array[moved_slices(radius, point or (0,) * array.ndim)]


@ct.kernel
def stencil_of_views_kernel(views, weights, out, TILE: ct.Constant):
    """`views` are those of each ring; `out` is the part inside the frame. Blocks follow each other along rows."""
    at = (ct.bid(1), ct.bid(0)) if len(TILE) == 2 else (ct.bid(2), ct.bid(1), ct.bid(0))
    total = ct.zeros(TILE, dtype=out.dtype)
    for i in ct.static_iter(range(len(views))):
        ring = ct.load(views[i][0], at, TILE)
        for j in ct.static_iter(range(1, len(views[i]))):
            ring = ring + ct.load(views[i][j], at, TILE)
        total = total + weights[i] * ring
    ct.store(out, at, total)


def moved(at, point, source):
    return tuple(at[axis] + (point[axis] - source) for axis in ct.static_iter(range(len(point))))


@ct.kernel
def stencil_by_index_kernel(
    x, weights, out, POINTS: ct.Constant, FIRST: ct.Constant, SOURCE: ct.Constant, TILE: ct.Constant
):
    """The points by index. Sums are for the part of `out` inside a frame as wide as FIRST; x begins at SOURCE of `out`
    and is zero outside."""
    if len(TILE) == 2:
        rows = FIRST + ct.bid(1) * TILE[0] + ct.arange(TILE[0], dtype=ct.int32)[:, None]
        columns = FIRST + ct.bid(0) * TILE[1] + ct.arange(TILE[1], dtype=ct.int32)[None, :]
        at: tuple = (rows, columns)
    else:
        planes = FIRST + ct.bid(2) * TILE[0] + ct.arange(TILE[0], dtype=ct.int32)[:, None, None]
        rows = FIRST + ct.bid(1) * TILE[1] + ct.arange(TILE[1], dtype=ct.int32)[None, :, None]
        columns = FIRST + ct.bid(0) * TILE[2] + ct.arange(TILE[2], dtype=ct.int32)[None, None, :]
        at = (planes, rows, columns)
    inside = at[0] < out.shape[0] - FIRST
    for axis in ct.static_iter(range(1, len(TILE))):
        inside = inside & (at[axis] < out.shape[axis] - FIRST)
    total = ct.zeros(TILE, dtype=out.dtype)
    for i in ct.static_iter(range(len(POINTS))):
        ring = ct.gather(x, moved(at, POINTS[i][0], SOURCE))
        for j in ct.static_iter(range(1, len(POINTS[i]))):
            ring = ring + ct.gather(x, moved(at, POINTS[i][j], SOURCE))
        total = total + weights[i] * ring
    ct.scatter(out, at, total, mask=inside)


def tile_of(shape):
    """Whole rows, or long parts of them."""
    columns = min(TILE, 1 << (shape[-1] - 1).bit_length())
    return (*(1,) * (len(shape) - 2), TILE // columns, columns)


def radius_of(points):
    return max(abs(d) for point in points for d in point)


def grid_of(shape, tile):
    return tuple(ct.cdiv(n, t) for n, t in zip(shape, tile, strict=True))[::-1]


def stencil(x, weights, points, out=None, *, by_index=False, tile=None, stream=None):
    """The sums for all points inside the frame, which is as wide as the farthest point is along an axis."""
    radius = radius_of(points)
    if out is None:
        out = np.zeros_like(x)
    inside, groups = inner(out, radius), rings(points)
    if 0 in inside.shape:
        return out
    tile = tile or tile_of(inside.shape)
    grid = grid_of(inside.shape, tile)
    if by_index:
        ct.launch(stream, grid, stencil_by_index_kernel, (x, weights, out, groups, radius, 0, tile))
    else:
        views = tuple(tuple(inner(x, radius, point) for point in ring) for ring in groups)
        ct.launch(stream, grid, stencil_of_views_kernel, (views, weights, inside, tile))
    return out


def stencil_backward(grad, weights, points, grad_x, *, stream=None):
    """The gradient of all of x for that of `stencil`, whose frame does not count. To each point of a stencil belongs
    the opposite one."""
    radius, tile = radius_of(points), tile_of(grad_x.shape)
    arguments = (inner(grad, radius), weights, grad_x, rings(points), 0, radius, tile)
    ct.launch(stream, grid_of(grad_x.shape, tile), stencil_by_index_kernel, arguments)
    return grad_x
