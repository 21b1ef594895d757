# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, raw memory, advanced indexing and folds of the language against NumPy."""

import itertools

import numpy as np
import pytest
import tilewright as ct
from language import run_block

# ---- tiled views


def padded(x, tops, lefts, shape, value):
    """The tiles of ``shape`` that begin at these rows and columns; beyond the array there is ``value``."""
    wide = np.full((x.shape[0] + shape[0], x.shape[1] + shape[1]), value, x.dtype)
    wide[: x.shape[0], : x.shape[1]] = x
    return [wide[top : top + shape[0], left : left + shape[1]] for top in tops for left in lefts]


PADDING = {
    ct.PaddingMode.ZERO: 0.0,
    ct.PaddingMode.NEG_ZERO: -0.0,
    ct.PaddingMode.NAN: np.nan,
    ct.PaddingMode.POS_INF: np.inf,
    ct.PaddingMode.NEG_INF: -np.inf,
}


def windows(padding, steps):
    @ct.kernel
    def kernel(x, out):
        view = x.tiled_view((4, 8), padding_mode=padding, traversal_steps=steps)
        rows, columns = view.num_tiles(0), view.num_tiles(1)
        for i in range(rows):
            for j in range(columns):
                tile = view.load((i, j))
                ct.store(out, (i * columns + j, 0, 0), ct.reshape(tile, (1, 4, 8)))

    return kernel


@pytest.mark.parametrize("padding", PADDING, ids=lambda p: p.name)
@pytest.mark.parametrize("steps", [None, (4, 8), (1, 8), (3, 5), (6, 11)], ids=str)
def test_tiles_of_a_view_may_overlap_or_leave_gaps(padding, steps):
    x = np.random.default_rng(0).standard_normal((11, 21)).astype(np.float32)
    down, right = steps or (4, 8)
    expected = padded(x, range(0, 11, down), range(0, 21, right), (4, 8), PADDING[padding])
    out = np.full((len(expected), 4, 8), 7, np.float32)
    run_block(windows(padding, steps), x, out)
    assert (out.view(np.uint32) == np.array(expected).view(np.uint32)).all()


@ct.kernel
def strided_stores(x, out):
    source = x.tiled_view((2, 4))
    target = out.tiled_view((2, 4), traversal_steps=(3, 6))
    for i in range(source.num_tiles(0)):
        for j in range(source.num_tiles(1)):
            target.store((i, j), source.load((i, j)))


def test_stores_leave_gaps_and_clip():
    x = np.arange(1, 8 * 16 + 1, dtype=np.float32).reshape(8, 16)
    out = np.zeros((11, 21), np.float32)
    run_block(strided_stores, x, out)
    expected = np.zeros((16, 32), np.float32)
    for i, j in itertools.product(range(4), range(4)):
        expected[3 * i : 3 * i + 2, 6 * j : 6 * j + 4] = x[2 * i : 2 * i + 2, 4 * j : 4 * j + 4]
    assert (out == expected[:11, :21]).all()


def permuted(order):
    @ct.kernel
    def kernel(x, y):
        at = ct.bid(0), ct.bid(1), ct.bid(2)
        tile = ct.load(x, at, (2, 4, 8), order=order, padding_mode=ct.PaddingMode.NEG_INF)
        ct.store(y, at, tile * 2.0)

    return kernel


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_tiles_lie_along_any_order_of_axes(order):
    extents = [0, 0, 0]
    for axis, extent in zip(order, (5, 9, 13), strict=True):
        extents[axis] = extent
    x = np.random.default_rng(1).standard_normal(extents).astype(np.float32)
    y = np.zeros((6, 12, 16), np.float32)
    ct.launch(None, (3, 3, 2), permuted(order), (x, y))
    expected = np.full((6, 12, 16), -np.inf, np.float32)
    expected[:5, :9, :13] = x.transpose(order) * 2
    assert (y == expected).all()


@ct.kernel
def with_an_ordering(x, y):
    at = ct.bid(0), ct.bid(1)
    tile = ct.load(
        x,
        at,
        (4, 8),
        padding_mode=ct.PaddingMode.NAN,
        memory_order=ct.MemoryOrder.ACQUIRE,
        memory_scope=ct.MemoryScope.DEVICE,
    )
    ct.store(y, at, tile, memory_order=ct.MemoryOrder.RELEASE, memory_scope=ct.MemoryScope.SYS)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_ordered_accesses_of_views_pad_and_clip(dtype):
    x = np.random.default_rng(2).standard_normal((10, 20)).astype(dtype)
    y, wide = np.zeros((12, 24), dtype), np.zeros((16, 32), dtype)
    ct.launch(None, (3, 3), with_an_ordering, (x, y))
    expected = np.full((12, 24), np.nan, dtype)
    expected[:10, :20] = x
    assert np.array_equal(y, expected, equal_nan=True)
    ct.launch(None, (3, 3), with_an_ordering, (x, wide[:9, :19]))
    assert (wide[:9, :19] == x[:9, :19]).all()
    assert not wide[9:].any() and not wide[:, 19:].any()


# ---- advanced indexing


@ct.kernel
def picked_rows(x, rows, out, start: int):
    picked = ct.load(rows, (0,), (8,))
    at = picked, ct.Slice(start, 16)
    tile = ct.load_advanced_indexing(x, at, padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (0, 0), tile)


@ct.kernel
def picked_columns(x, columns, out, start: int):
    picked = ct.load(columns, (0,), (8,))
    ct.store_advanced_indexing(out, (ct.Slice(start, 4), picked), ct.load(x, (0, 0), (4, 8)))


def test_rows_picked_by_a_tile():
    x = np.random.default_rng(3).standard_normal((12, 40)).astype(np.float32)
    rows = np.array([3, 0, 11, 12, -1, 5, 5, 100], np.int32)
    for start in (0, 7, 30):
        out = np.full((8, 16), 7, np.float32)
        run_block(picked_rows, x, rows, out, start)
        expected = np.zeros((8, 16), np.float32)
        for i, row in enumerate(rows):
            if 0 <= row < 12:
                part = x[row, start : start + 16]
                expected[i, : part.size] = part
        assert (out == expected).all()


def test_columns_picked_by_a_tile():
    x = np.random.default_rng(4).standard_normal((4, 8)).astype(np.float32)
    columns = np.array([3, 0, 19, 20, -1, 5, 6, 100], np.int32)
    for start in (0, 3, 8):
        out, expected = np.zeros((10, 20), np.float32), np.zeros((10, 20), np.float32)
        run_block(picked_columns, x, columns, out, start)
        for i, column in enumerate(columns):
            if 0 <= column < 20:
                expected[start : start + 4, column] = x[: min(4, 10 - start), i]
        assert (out == expected).all()


# ---- raw memory


@ct.kernel
def raw(x, out):
    memory, target = x.get_raw_memory(), out.get_raw_memory()
    lanes = ct.arange(16, dtype=ct.int32)
    even = lanes % 2 == 0
    target.store_offset(lanes, memory.load_offset(lanes * 2, mask=even, padding_value=-1))
    old = target.atomic_add_offset(lanes, 100, mask=even)
    target.store_offset(16 + lanes, old, mask=even)
    target.atomic_max_offset(16 + lanes, 20)
    target.atomic_cas_offset(16 + lanes, 20, 21, mask=lanes < 8)
    ct.grid_dependency_control_wait()
    ct.grid_dependency_control_launch_dependents()


def test_raw_memory():
    x, out = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    run_block(raw, x, out)
    even = np.arange(16) % 2 == 0
    loaded = np.where(even, np.arange(16) * 2, -1)
    second = np.maximum(np.where(even, loaded, 0), 20)
    assert (out[:16] == loaded + np.where(even, 100, 0)).all()
    assert (out[16:] == np.where((second == 20) & (np.arange(16) < 8), 21, second)).all()


# ---- folds with functions of their own


def compose(a1, b1, a2, b2):
    """x -> a*x + b, one after the other."""
    return a1 * a2, a2 * b1 + b2


def latest(value, place, other, other_place):
    """The value that is furthest to the right and not zero, with its place."""
    newer = other_place > place
    return ct.where(newer, other, value), ct.where(newer, other_place, place)


@ct.kernel
def recurrence(a, b, out, AXIS: ct.Constant[int], REVERSE: ct.Constant[bool]):
    slopes, offsets = ct.load(a, (0, 0), (16, 32)), ct.load(b, (0, 0), (16, 32))
    _, y = ct.scan((slopes, offsets), AXIS, compose, (1.0, 0.0), reverse=REVERSE)
    ct.store(out, (0, 0), y)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_scan_of_two_tiles(axis, reverse, dtype):
    rng = np.random.default_rng(5)
    a, b = rng.uniform(-1, 1, (16, 32)).astype(dtype), rng.standard_normal((16, 32)).astype(dtype)
    out, expected = np.zeros((16, 32), dtype), np.zeros((16, 32))
    run_block(recurrence, a, b, out, axis, reverse)
    last = np.zeros(a.shape[1 - axis])
    for i in range(a.shape[axis])[:: -1 if reverse else 1]:
        last = a.take(i, axis) * last + b.take(i, axis)
        expected[(i, slice(None)) if axis == 0 else (slice(None), i)] = last
    assert np.allclose(out, expected, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)


@ct.kernel
def fold_of_mixed_types(x, values, places, AXIS: ct.Constant[int]):
    tile = ct.load(x, (0, 0), (16, 32))
    at = ct.arange(16 if AXIS == 0 else 32, dtype=ct.int64)
    at = ct.broadcast_to(at[:, None] if AXIS == 0 else at[None, :], (16, 32))
    at = ct.where(tile != 0.0, at, -1)
    value, place = ct.reduce((tile, at), AXIS, latest, (0.0, -1))
    ct.store(values, (0,), value)
    ct.store(places, (0,), place)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_fold_of_mixed_types(axis, dtype):
    rng = np.random.default_rng(6)
    x = np.where(rng.random((16, 32)) < 0.2, rng.standard_normal((16, 32)), 0).astype(dtype)
    x[3, :] = 0
    x[:, 5] = 0
    count = x.shape[1 - axis]
    values, places = np.zeros(count, dtype), np.zeros(count, np.int64)
    run_block(fold_of_mixed_types, x, values, places, axis)
    for i in range(count):
        line = x.take(i, 1 - axis)
        last = np.flatnonzero(line)[-1] if line.any() else -1
        assert places[i] == last and values[i] == (line[last] if last >= 0 else 0)


@ct.kernel
def every_fold_of_flags(x, out):
    flags = ct.load(x, (0, 0), (8, 64)) > 3
    some = ct.reduce(flags, 1, lambda a, b: a | b, False)
    odd = ct.reduce(flags, 1, lambda a, b: a ^ b, False)
    every = ct.reduce(flags, 1, lambda a, b: a & b, True)
    running = ct.scan(flags, 1, lambda a, b: a | b, False)
    count = ct.sum(running.astype(ct.int32), 1)
    ct.store(out, (0, 0), ct.reshape(some.astype(ct.int32), (1, 8)))
    ct.store(out, (1, 0), ct.reshape(odd.astype(ct.int32), (1, 8)))
    ct.store(out, (2, 0), ct.reshape(every.astype(ct.int32), (1, 8)))
    ct.store(out, (3, 0), ct.reshape(count, (1, 8)))


def test_folds_of_flags():
    x = np.random.default_rng(7).integers(0, 5, (8, 64)).astype(np.int8)
    x[2], x[3] = 0, 4
    out = np.zeros((4, 8), np.int32)
    run_block(every_fold_of_flags, x, out)
    flags = x > 3
    running = np.logical_or.accumulate(flags, 1).sum(1)
    assert (out == [flags.any(1), flags.sum(1) % 2, flags.all(1), running]).all()


# ---- parts at places known when the kernel runs

DTYPES = [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64]


@ct.kernel
def parts(x, out, i: int, j: int):
    tile = ct.load(x, (0, 0), (8, 16))
    part = ct.extract(tile, (i, j), (2, 4))
    both = ct.cat((part, ct.extract(tile, (j, i), (2, 4))), 1)
    ct.store(out, (0, 0), ct.insert(tile, (3 - i, 1), both))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.__name__)
def test_parts_of_a_tile(dtype):
    x = np.random.default_rng(8).integers(0, 2 if dtype == np.bool_ else 100, (8, 16)).astype(dtype)
    for i, j in itertools.product(range(4), range(4)):
        out, expected = np.zeros_like(x), x.copy()
        run_block(parts, x, out, i, j)
        expected[2 * (3 - i) : 2 * (4 - i), 8:12] = x[2 * i : 2 * i + 2, 4 * j : 4 * j + 4]
        expected[2 * (3 - i) : 2 * (4 - i), 12:16] = x[2 * j : 2 * j + 2, 4 * i : 4 * i + 4]
        assert (out == expected).all()


# ---- large tiles


@ct.kernel
def a_million_elements(x, y, total):
    tile = ct.load(x, (0, 0), (1024, 1024))
    ct.store(y, (0, 0), ct.transpose(tile) * 2.0)
    ct.store(total, (0,), ct.sum(ct.reshape(tile, (1024 * 1024,))))


@ct.kernel
def a_million_pointers(x, y):
    lanes = ct.arange(1 << 20, dtype=ct.int32)
    ct.scatter(y, lanes, ct.gather(x, (1 << 20) - 1 - lanes))


def test_tiles_of_a_million_elements():
    x = np.random.default_rng(9).integers(0, 16, (1024, 1024)).astype(np.float32)
    y, total = np.zeros_like(x), np.zeros(1, np.float32)
    run_block(a_million_elements, x, y, total)
    assert (y == x.T * 2).all() and total[0] == x.sum(dtype=np.float64)
    flat, back = x.ravel(), np.zeros(x.size, np.float32)
    run_block(a_million_pointers, flat, back)
    assert (back == flat[::-1]).all()
