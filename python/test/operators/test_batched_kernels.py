# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels over a batch: some arrays have one more axis in front, and each block works on one index of it."""

from typing import Annotated

import numpy as np
import pytest
import tilewright as ct
from tilewright._frontend.batch import Batch, batched_grid, batched_kernel

SIZE = 5
ZERO = ct.PaddingMode.ZERO


def launch(kernel, grid, args, *paths):
    grid, shares = batched_grid(grid, SIZE)
    ct.launch(None, grid, batched_kernel(kernel, Batch(frozenset(paths), shares)), args)


def numbers(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@ct.kernel
def add(x, y, out, TILE: ct.Constant[int]):
    a = ct.load(x, (ct.bid(0), ct.bid(1)), (TILE, TILE), padding_mode=ZERO)
    b = ct.load(y, (ct.bid(1),), (TILE,), padding_mode=ZERO)
    ct.store(out, (ct.bid(0), ct.bid(1)), a + b[None, :])


@ct.kernel
def planes(x, out, TILE: ct.Constant[int]):
    """Every block along the third axis has a plane of x; the last number says how many there are."""
    plane = ct.load(x, (ct.bid(2), 0), (1, TILE), padding_mode=ZERO)
    ct.store(out, (ct.bid(2), 0), plane * 8 + ct.bid(2))
    ct.scatter(out, (ct.bid(2), TILE - 1), ct.astype(ct.num_blocks(2), ct.float32))


@ct.kernel
def pairs(both: tuple, out, TILE: ct.Constant[int]):
    ct.store(out, ct.bid(0), ct.load(both[0], ct.bid(0), TILE) - ct.load(both[1], ct.bid(0), TILE))


@ct.kernel
def columns(x: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(1,))], out):
    total = ct.zeros((), dtype=ct.float32)
    for c in ct.static_iter(range(x.shape[1])):
        total = total + ct.load(x, (ct.bid(0), c), ())
    ct.store(out, (ct.bid(0),), ct.reshape(total, (1,)))


@ct.kernel
def halve(x, TILE: ct.Constant[int]):
    ct.store(x, ct.bid(0), ct.load(x, ct.bid(0), TILE) / 2)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_batch_may_be_any_axis_in_memory(axis):
    x, y, out = (
        np.moveaxis(numbers(*[7, 9][:axis], SIZE, *[7, 9][axis:]), axis, 0),
        numbers(9),
        np.zeros((SIZE, 7, 9), "f"),
    )
    launch(add, (2, 3), (x, y, out, 4), (0,), (2,))
    np.testing.assert_array_equal(out, x + y)
    launch(add, (2, 3), (x[0], np.stack([y] * SIZE), out, 4), (1,), (2,))
    np.testing.assert_array_equal(out, [x[0] + y] * SIZE)


@pytest.mark.parametrize("depth", [1, 3])
def test_blocks_along_the_third_axis(depth):
    x, out = numbers(SIZE, depth, 8), np.zeros((SIZE, depth, 8), "f")
    launch(planes, (1, 1, depth), (x, out, 8), (0,), (1,))
    expected = x * 8 + np.arange(depth, dtype="f")[:, None]
    expected[:, :, 7] = depth
    np.testing.assert_array_equal(out, expected)


def test_members_of_tuples_and_one_array_twice():
    x, y, out = numbers(SIZE, 10), numbers(10), np.zeros((SIZE, 10), "f")
    launch(pairs, 3, ((x, y), out, 4), (0, 0), (1,))
    np.testing.assert_array_equal(out, x - y)
    launch(pairs, 3, ((x, out), out, 4), (0, 0), (0, 1), (1,))
    np.testing.assert_array_equal(out, x - (x - y))


def test_axes_of_annotations_are_those_of_an_item():
    x, out = numbers(SIZE, 2, 3), np.zeros((SIZE, 2), "f")
    launch(columns, 2, (x, out), (0,), (1,))
    np.testing.assert_allclose(out, x.sum(2), rtol=1e-6)


def test_in_place_and_items_of_odd_sizes():
    x = numbers(SIZE, 37)
    expected = x / 2
    launch(halve, 5, (x, 8), (0,))
    np.testing.assert_array_equal(x, expected)


def test_the_kernel_itself_is_what_it_was():
    x, out = numbers(7, 9), np.zeros((7, 9), "f")
    batched_kernel(add, Batch(frozenset({(0,)}), False))
    add[2, 3](x, numbers(9), out, 4)
    np.testing.assert_array_equal(out, x + numbers(9))
