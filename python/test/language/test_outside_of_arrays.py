# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses that are partly or wholly outside of their arrays, on every target and by every kind of view. Loads
there return the padding, and stores are dropped, at any distance."""

import os

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct

TARGETS = ["cpu", "interpreter", "tileas:sm_80", "tileas:sm_90a", "tileas:sm_100a", "tileas:sm_120a"]
if os.environ.get("TILEWRIGHT_TEST_GPU"):
    TARGETS.append("nvidia")
P = ct.PaddingMode
PADDINGS = {P.ZERO: 0.0, P.NEG_ZERO: -0.0, P.NAN: np.nan, P.POS_INF: np.inf, P.NEG_INF: -np.inf}
FAR = 1 << 30

# Tiles of (4, 8) in an array of (6, 10): inside, cut along one dimension or both, and outside.
PLACES = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (7, 9), (FAR, 0), (0, FAR), (FAR, FAR)]
MODES, VALUES = tuple(PADDINGS), tuple(PADDINGS.values())


def make_kernel(read):
    """`read(x, i, j, mode)` of each place with each padding, one after the other."""

    @ct.kernel
    def reads(x, places, out, COUNT: ct.Constant[int]):
        for number in range(COUNT):
            i = ct.load(places, (number, 0), (1, 1)).item()
            j = ct.load(places, (number, 1), (1, 1)).item()
            for k in ct.static_iter(range(len(MODES))):
                ct.store(out, (number, k, 0, 0), ct.reshape(read(x, i, j, MODES[k]), (1, 1, 4, 8)))

    return reads


def of_tile(x, i, j, mode):
    return ct.load(x, (i, j), (4, 8), padding_mode=mode)


def of_turned_tile(x, i, j, mode):
    return ct.transpose(ct.load(x, (j, i), (8, 4), order="F", padding_mode=mode))


def of_tiled_view(x, i, j, mode):
    return x.tiled_view((4, 8), padding_mode=mode).load((i, j))


def of_strided_view(x, i, j, mode):
    return x.tiled_view((4, 8), padding_mode=mode, traversal_steps=(2, 16)).load((i, j))


def of_rows(x, i, j, mode):
    rows = ct.arange(4, dtype=ct.int64) * 3 + ct.astype(i, ct.int64) - 1
    return ct.load_advanced_indexing(x, (rows, ct.Slice(j, 8)), padding_mode=mode)


def of_slice(x, i, j, mode):
    return ct.load(x.slice(0, 1, 5), (i, j), (4, 8), padding_mode=mode)


READS = {  # the array's part, and where rows and columns of the tile begin
    "tile": (of_tile, lambda i, j: (4 * i + np.arange(4), 8 * j + np.arange(8))),
    "tile turned": (of_turned_tile, lambda i, j: (4 * i + np.arange(4), 8 * j + np.arange(8))),
    "tiled view": (of_tiled_view, lambda i, j: (4 * i + np.arange(4), 8 * j + np.arange(8))),
    "strided view": (of_strided_view, lambda i, j: (2 * i + np.arange(4), 16 * j + np.arange(8))),
    "advanced indexing": (of_rows, lambda i, j: (3 * np.arange(4) + i - 1, j + np.arange(8))),
    "slice": (of_slice, lambda i, j: (4 * i + np.arange(4), 8 * j + np.arange(8))),
}


def expected(x, rows, columns, padding):
    inside = ((rows >= 0) & (rows < x.shape[0]))[:, None] & ((columns >= 0) & (columns < x.shape[1]))
    picked = x[np.clip(rows, 0, x.shape[0] - 1)[:, None], np.clip(columns, 0, x.shape[1] - 1)]
    return np.where(inside, picked, np.array(padding, x.dtype))


def bits(x):
    """Zeros of different sign differ; NaN is one number."""
    return np.where(np.isnan(x.astype(np.float64)), np.uint64(1), x.astype(np.float64).view(np.uint64))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", READS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.float8_e5m2], ids=lambda t: np.dtype(t).name)
def test_what_is_read_outside_is_the_padding(kind, dtype, target, monkeypatch):
    read, where = READS[kind]
    kernel = make_kernel(read)
    x = (np.arange(60).reshape(6, 10) / 4 + 1).astype(dtype)
    out = np.zeros((len(PLACES), len(MODES), 4, 8), dtype)
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    ct.launch(None, 1, kernel, (x, np.array(PLACES, np.int32), out, len(PLACES)))
    array = x[1:5] if kind == "slice" else x
    for number, (i, j) in enumerate(PLACES):
        for k, padding in enumerate(PADDINGS.values()):
            want = expected(array, *where(i, j), padding)
            np.testing.assert_array_equal(bits(out[number, k]), bits(want), f"at {i}, {j} padded with {padding}")


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_gathered_outside_is_the_padding(target, monkeypatch):
    @ct.kernel
    def gathers(x, places, out):
        at = ct.load(places, 0, 16)
        for k in ct.static_iter(range(len(MODES))):
            ct.store(out, (k, 0), ct.gather(x, at, padding_value=VALUES[k])[None, :])

    places = np.array([0, 5, 9, 10, 11, -1, -10, FAR, -FAR, (1 << 31) - 1, -(1 << 31), 3, 1 << 20, 7, 8, 2], np.int32)
    x, out = np.arange(10, dtype=np.float32), np.zeros((len(MODES), 16), np.float32)
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    ct.launch(None, 1, gathers, (x, places, out))
    inside = (places >= 0) & (places < 10)
    for k, padding in enumerate(PADDINGS.values()):
        np.testing.assert_array_equal(
            bits(out[k]), bits(np.where(inside, x[np.clip(places, 0, 9)], np.float32(padding)))
        )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_operands_of_products_are_padded(mode, target, monkeypatch):
    """Loads that GPU hardware copies to shared memory, with the padding that it supports."""

    @ct.kernel
    def product(a, b, c):
        total = ct.full((64, 64), 0, ct.float32)
        for k in range(ct.num_tiles(a, 1, (64, 32))):
            x = ct.load(a, (ct.bid(0), k), (64, 32), padding_mode=mode)
            y = ct.load(b, (k, 0), (32, 64), padding_mode=P.ZERO)
            total = ct.mma(x, y, total)
        ct.store(c, (ct.bid(0), 0), total)

    rng = np.random.default_rng(3)
    a, b = rng.integers(-3, 4, (72, 88)).astype(np.float16), rng.integers(1, 4, (88, 64)).astype(np.float16)
    c = np.zeros((128, 64), np.float32)
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    ct.launch(None, 2, product, (a, b, c))
    padded = np.full((128, 96), PADDINGS[mode], np.float32)
    padded[:72, :88] = a
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(c, padded @ np.pad(b.astype(np.float32), ((0, 8), (0, 0))))


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_written_outside_is_dropped(target, monkeypatch):
    @ct.kernel
    def writes(x, rows, far):
        ones = ct.ones((4, 8), ct.float32)
        for at in ct.static_iter(((far, 0), (0, far), (far, far), (2, 0), (1, 1))):
            ct.store(x, at, ones)
            x.tiled_view((4, 8)).store(at, ones)
            x.tiled_view((4, 8), traversal_steps=(4, 8)).store(at, ones)
        wild = (ct.arange(4, dtype=ct.int64) + 1) * far
        ct.scatter(x, (wild, ct.arange(4, dtype=ct.int32)), ct.ones((4,), ct.float32))
        ct.store_advanced_indexing(x, (ct.load(rows, 0, 4), ct.Slice(far, 8)), ones)

    whole = np.zeros((8, 12), np.float32)
    x = whole[1:7, 1:11]
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    ct.launch(None, 1, writes, (x, np.array([0, 9, FAR, -1], np.int32), FAR))
    want = np.zeros_like(whole)
    want[5:7, 9:11] = 1
    np.testing.assert_array_equal(whole, want)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64], ids=lambda t: np.dtype(t).name)
def test_nan_in_maxima_and_minima(dtype, target, monkeypatch):
    """By elements, of rows as wide as several warps and of a thread's own, and running."""

    @ct.kernel
    def extrema(x, y, pairs, folds, running):
        a, b = ct.load(x, (0, 0), (4, 512)), ct.load(y, (0, 0), (4, 512))
        for k in ct.static_iter(range(2)):
            ct.store(pairs, (2 * k, 0, 0), ct.maximum(a, b, propagate_nan=k == 1)[None, :, :])
            ct.store(pairs, (2 * k + 1, 0, 0), ct.minimum(a, b, propagate_nan=k == 1)[None, :, :])
            ct.store(folds, (2 * k, 0), ct.max(a, 1, propagate_nan=k == 1)[None, :])
            ct.store(folds, (2 * k + 1, 0), ct.min(a, 1, propagate_nan=k == 1)[None, :])
        ignored = ct.scan(a, 1, lambda a, b: ct.maximum(a, b), -np.inf)
        passed_on = ct.scan(a, 1, lambda a, b: ct.maximum(a, b, propagate_nan=True), -np.inf)
        ct.store(running, (0, 0, 0), ignored[None, :, :])
        ct.store(running, (1, 0, 0), passed_on[None, :, :])

    rng = np.random.default_rng(5)
    x, y = (rng.integers(-9, 10, (4, 512)).astype(dtype) for _ in "xy")
    x[rng.random(x.shape) < 0.4] = np.nan
    y[rng.random(y.shape) < 0.4] = np.nan
    x[1], x[2, 1:], x[3, :-1] = np.nan, np.nan, np.nan
    x[2, 0], x[3, -1] = -np.inf, np.inf
    pairs, folds, running = (np.zeros(shape, dtype) for shape in ((4, 4, 512), (4, 4), (2, 4, 512)))
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    ct.launch(None, 1, extrema, (x, y, pairs, folds, running))
    np.testing.assert_array_equal(pairs, [np.fmax(x, y), np.fmin(x, y), np.maximum(x, y), np.minimum(x, y)])
    np.testing.assert_array_equal(folds, [f.reduce(x, axis=1) for f in (np.fmax, np.fmin, np.maximum, np.minimum)])
    np.testing.assert_array_equal(running, [np.fmax.accumulate(x, 1), np.maximum.accumulate(x, 1)])
