# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles are values: a store to an array after a load does not change the loaded tile."""

import numpy as np
import pytest
import tilewright as ct

ConstInt = ct.Constant[int]
SHAPE = (40, 48)
TILE = (16, 16)


def arrays():
    rng = np.random.default_rng(0)
    return rng.standard_normal(SHAPE).astype(np.float32), np.full(SHAPE, np.nan, np.float32)


def grid():
    return tuple(ct.cdiv(extent, tile) for extent, tile in zip(SHAPE, TILE, strict=True))


@ct.kernel
def store_through_the_same_view(x, out):
    at = ct.bid(0), ct.bid(1)
    before = ct.load(x, at, (16, 16), padding_mode=ct.PaddingMode.ZERO)
    ct.store(x, at, before * 0.0 + 7.0)
    ct.store(out, at, before + 1.0)


@ct.kernel
def store_through_another_view(x, out):
    i, j = ct.bid(0), ct.bid(1)
    before = ct.load(x, (i, j), (16, 16), padding_mode=ct.PaddingMode.ZERO)
    for part in range(i * 4, min(i * 4 + 4, ct.num_tiles(x, 0, (4, 16)))):
        ct.store(x, (part, j), ct.full((4, 16), 7.0, dtype=ct.float32))
    ct.store(out, (i, j), before + 1.0)


@ct.kernel
def store_through_a_pointer(x, out):
    i, j = ct.bid(0), ct.bid(1)
    before = ct.load(x, (i, j), (16, 16), padding_mode=ct.PaddingMode.ZERO)
    row = i * 16 + ct.arange(16, dtype=ct.int32)
    column = j * 16 + ct.arange(16, dtype=ct.int32)
    ct.scatter(x, (row[:, None], column[None, :]), ct.full((16, 16), 7.0, dtype=ct.float32))
    ct.store(out, (i, j), before + 1.0)


@pytest.mark.parametrize(
    "kernel",
    [store_through_the_same_view, store_through_another_view, store_through_a_pointer],
    ids=lambda k: k.__name__,
)
def test_a_loaded_tile_survives_a_store(kernel):
    x, out = arrays()
    expected = x + 1
    ct.launch(None, grid(), kernel, (x, out))
    assert (out == expected).all()
    assert (x == 7).all()


@ct.kernel
def transposed_in_place(x):
    tile = ct.load(x, (0, 0), (32, 32))
    ct.store(x, (0, 0), ct.transpose(tile))


def test_a_tile_transposed_onto_itself():
    x = np.arange(32 * 32, dtype=np.float32).reshape(32, 32)
    expected = x.T.copy()
    ct.launch(None, (1,), transposed_in_place, (x,))
    assert (x == expected).all()


@ct.kernel
def store_in_a_loop(x, out, ROUNDS: ConstInt):
    first = ct.load(x, (0,), (16,))
    total = ct.zeros((16,), dtype=ct.float32)
    for _ in range(ROUNDS):
        total = total + first
        ct.store(x, (0,), total)
    ct.store(out, (0,), total)


def test_a_tile_loaded_before_a_loop_that_stores():
    x = np.arange(16, dtype=np.float32)
    out = np.empty_like(x)
    ct.launch(None, (1,), store_in_a_loop, (x, out, 5))
    assert (out == 5 * np.arange(16)).all()
    assert (x == out).all()


@ct.kernel
def swap(x, y, rounds: int):
    a = ct.load(x, (0, 0), (16, 32))
    b = ct.load(y, (0, 0), (16, 32))
    for _ in range(rounds):
        a, b = b, a
    ct.store(x, (0, 0), a)
    ct.store(y, (0, 0), b)


@ct.kernel
def rotate(x, y, z, rounds: int):
    a, b, c = (ct.load(each, (0,), (64,)) for each in (x, y, z))
    for _ in range(rounds):
        a, b, c = b, c, a + 1.0
    ct.store(x, (0,), a)
    ct.store(y, (0,), b)
    ct.store(z, (0,), c)


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_two_carried_tiles_swap(rounds):
    x, y = (np.random.default_rng(seed).standard_normal((16, 32)).astype(np.float32) for seed in (1, 2))
    a, b = (x.copy(), y.copy()) if rounds % 2 == 0 else (y.copy(), x.copy())
    ct.launch(None, (1,), swap, (x, y, rounds))
    assert (x == a).all() and (y == b).all()


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 4])
def test_three_carried_tiles_rotate(rounds):
    tiles = [np.full(64, value, np.float32) for value in (10, 20, 30)]
    a, b, c = (tile.copy() for tile in tiles)
    for _ in range(rounds):
        a, b, c = b, c, a + 1
    ct.launch(None, (1,), rotate, (*tiles, rounds))
    for tile, expected in zip(tiles, (a, b, c), strict=True):
        assert (tile == expected).all()


@ct.kernel
def live_across_an_if(x, out, flag: int):
    tile = ct.load(x, (0,), (64,))
    if flag > 0:
        ct.store(x, (0,), tile * 2.0)
    ct.store(out, (0,), tile)


@ct.kernel
def chosen_by_an_if(x, y, out, flag: int):
    tile = ct.load(x, (0,), (64,))
    if flag > 0:
        tile = tile + ct.load(y, (0,), (64,))
        ct.store(x, (0,), tile)
    ct.store(out, (0,), tile * 1.0)


@pytest.mark.parametrize("flag", [0, 1])
def test_a_tile_is_live_across_an_if_that_stores(flag):
    x, out = np.arange(64, dtype=np.float32), np.empty(64, np.float32)
    ct.launch(None, (1,), live_across_an_if, (x, out, flag))
    assert (out == np.arange(64)).all()
    assert (x == np.arange(64) * (2 if flag else 1)).all()


@pytest.mark.parametrize("flag", [0, 1])
def test_a_tile_chosen_by_an_if(flag):
    x, y, out = np.arange(64, dtype=np.float32), np.ones(64, np.float32), np.empty(64, np.float32)
    ct.launch(None, (1,), chosen_by_an_if, (x, y, out, flag))
    assert (out == np.arange(64) + flag).all()
    assert (x == np.arange(64) + flag).all()


@ct.kernel
def while_with_tiles(x, out, limit: float):
    tile = ct.load(x, (0,), (64,))
    count = 0
    while ct.max(tile) < limit:
        tile = tile + tile
        count += 1
        if count >= 10:
            break
    ct.store(out, (0,), tile)


@pytest.mark.parametrize("limit,expected", [(0.5, 1), (3.0, 4), (1e9, 1024)])
def test_a_tile_carried_by_while(limit, expected):
    x, out = np.ones(64, np.float32), np.empty(64, np.float32)
    ct.launch(None, (1,), while_with_tiles, (x, out, limit))
    assert (out == expected).all()


@ct.kernel
def part_of_a_tile(x, out):
    part = ct.extract(ct.load(x, (0, 0), (16, 16)), (1, 0), (8, 8))
    ct.store(x, (0, 0), ct.full((16, 16), 7.0, dtype=ct.float32))
    ct.store(out, (0, 0), part)


@ct.kernel
def reshaped_tile(x, out):
    flat = ct.reshape(ct.load(x, (0, 0), (16, 16)), (4, 64))
    ct.store(x, (0, 0), ct.full((16, 16), 7.0, dtype=ct.float32))
    ct.store(out, (0, 0), flat)


@pytest.mark.parametrize("kernel", [part_of_a_tile, reshaped_tile], ids=lambda k: k.__name__)
def test_another_look_at_a_tile_survives_a_store(kernel):
    x = np.arange(256, dtype=np.float32).reshape(16, 16)
    expected = x[8:, :8].copy() if kernel is part_of_a_tile else x.reshape(4, 64).copy()
    out = np.empty(expected.shape, np.float32)
    ct.launch(None, (1,), kernel, (x, out))
    assert (out == expected).all()
    assert (x == 7).all()
