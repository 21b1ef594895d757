# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans: NaN, signed zeros, and the accuracy of long sums of halves."""

import math
import warnings

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from language import run_block

DTYPES = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
SHAPE = (16, 64)


@pytest.fixture(scope="module")
def with_nan():
    """Rows with NaN: all of a row, all but one element, the first before infinities, and some anywhere."""
    rng = np.random.default_rng(17)
    x = rng.standard_normal(SHAPE)
    x[rng.random(SHAPE) < 0.3] = np.nan
    x[0:2] = np.nan
    x[1, -1] = -np.inf
    x[2], x[3] = -np.inf, np.inf
    x[2:5, 0] = np.nan
    x[5] = np.nan
    x[5, 7] = 1
    return x


def where_best(row, best):
    numbers = np.flatnonzero(~np.isnan(row))
    return numbers[best(row[numbers])] if len(numbers) else 0


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("turned", [False, True])
def test_extrema_ignore_nan_unless_there_is_nothing_else(dtype, turned, with_nan):
    @ct.kernel
    def extrema(x, values, places, running, TURNED: ct.Constant[bool]):
        t = ct.load(x, (0, 0), (64, 16) if TURNED else (16, 64))
        axis = 0 if TURNED else 1
        ct.store(values, (0, 0), ct.max(t, axis)[None, :])
        ct.store(values, (1, 0), ct.min(t, axis)[None, :])
        ct.store(values, (2, 0), ct.max(t, axis, propagate_nan=True)[None, :])
        ct.store(values, (3, 0), ct.min(t, axis, propagate_nan=True)[None, :])
        ct.store(places, (0, 0), ct.argmax(t, axis)[None, :])
        ct.store(places, (1, 0), ct.argmin(t, axis)[None, :])
        ct.store(places, (2, 0), ct.argmax(t, axis, propagate_nan=True)[None, :])
        ct.store(places, (3, 0), ct.argmin(t, axis, propagate_nan=True)[None, :])
        ct.store(running, (0, 0), ct.scan(t, axis, lambda a, b: ct.maximum(a, b), -math.inf))

    x = with_nan.astype(dtype)
    values, places = np.zeros((4, 16), dtype), np.zeros((4, 16), np.int32)
    array = np.ascontiguousarray(x.T) if turned else x
    running = np.zeros_like(array)
    run_block(extrema, array, values, places, running, turned)
    exact = x.astype(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of rows without numbers
        expected = [np.nanmax(exact, 1), np.nanmin(exact, 1), np.max(exact, 1), np.min(exact, 1)]
        np.testing.assert_array_equal(values.astype(np.float64), expected)
        best = [[where_best(row, np.argmax) for row in exact], [where_best(row, np.argmin) for row in exact]]
        np.testing.assert_array_equal(places, [*best, np.argmax(exact, 1), np.argmin(exact, 1)])
        running = (running.T if turned else running).astype(np.float64)
        np.testing.assert_array_equal(running, np.fmax.accumulate(exact, 1))


@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, 0x7F800001), (np.float64, 0x7FF0000000000001)])
def test_extrema_ignore_nan_that_signal(dtype, bits):
    @ct.kernel
    def extrema(x, out):
        t = ct.load(x, (0, 0), (4, 256))
        ct.store(out, (0, 0), ct.max(t, 1)[None, :])
        ct.store(out, (1, 0), ct.min(t, 1)[None, :])

    x = np.random.default_rng(19).standard_normal((4, 256)).astype(dtype)
    signals = np.random.default_rng(23).random(x.shape) < 0.4
    signals[0] = True
    signals[1, :-1] = True
    exact = np.where(signals, np.nan, x)
    x.view(f"u{x.itemsize}")[signals] = bits
    out = np.zeros((2, 4), dtype)
    run_block(extrema, x, out)
    np.testing.assert_array_equal(out, [np.fmax.reduce(exact, 1), np.fmin.reduce(exact, 1)])


def test_identities_are_not_taken_in():
    @ct.kernel
    def folds(x, out):
        t = ct.load(x, 0, 32)
        ct.store(out, 0, ct.sum(t))
        ct.store(out, 1, ct.reduce(t, 0, lambda a, b: ct.maximum(a, b), 3.0))

    out = np.zeros(2, np.float32)
    run_block(folds, np.full(32, -0.0, np.float32), out)
    np.testing.assert_array_equal(np.signbit(out), [True, True])
    np.testing.assert_array_equal(out, 0)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("target", [None, "tileas:sm_80", "tileas:sm_90"])
def test_long_sums_of_halves_are_within_a_hundredth(dtype, target, monkeypatch):
    if target:
        monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    count = 65536 if dtype is not np.float16 else 32768

    @ct.kernel
    def sums(x, whole, columns, running, COUNT: ct.Constant[int]):
        t = ct.load(x, 0, COUNT)
        ct.store(whole, 0, ct.sum(t))
        ct.store(columns, 0, ct.sum(t.reshape((COUNT // 2, 2)), axis=0))
        ct.store(running, 0, ct.cumsum(t))

    for x in (np.random.default_rng(3).random(count), np.full(count, 0.1), np.full(count, 1.0)):
        x = x.astype(dtype)
        whole, columns, running = np.zeros(1, dtype), np.zeros(2, dtype), np.zeros(count, dtype)
        run_block(sums, x, whole, columns, running, count)
        exact = x.astype(np.float64)
        np.testing.assert_allclose(whole.astype(np.float64), [exact.sum()], rtol=0.01)
        np.testing.assert_allclose(columns.astype(np.float64), exact.reshape(-1, 2).sum(0), rtol=0.01)
        np.testing.assert_allclose(running.astype(np.float64), np.cumsum(exact), rtol=0.015)


def test_extrema_of_negatives():
    """An assembler of PTX makes other numbers of three of them at a time."""

    @ct.kernel
    def kernel(x, out):
        t = ct.load(x, (0, 0), (8, 16))
        ct.store(out, (0, 0), ct.max(-8 * t, 0)[None, :])
        ct.store(out, (1, 0), ct.min(-t, 0)[None, :])

    x = np.random.default_rng(5).integers(-9, 9, (8, 16), dtype=np.int32)
    out = np.zeros((2, 16), np.int32)
    run_block(kernel, x, out)
    np.testing.assert_array_equal(out, [(-8 * x).max(0), (-x).min(0)])


@pytest.mark.parametrize("target", ["cpu", "interpreter", "tileas:sm_80", "tileas:sm_90"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_scans_keep_the_order_of_a_function_that_does_not_commute(axis, reverse, target, monkeypatch):
    """The composition of affine maps, as a linear recurrence has it."""

    @ct.kernel
    def recur(scales, offsets, out, AXIS: ct.Constant[int], REVERSE: ct.Constant[bool]):
        maps = ct.load(scales, (0, 0), (8, 64)), ct.load(offsets, (0, 0), (8, 64))
        total = ct.scan(maps, AXIS, lambda a, b, c, d: (a * c, c * b + d), (1.0, 0.0), reverse=REVERSE)
        ct.store(out, (0, 0), total[1])

    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    rng = np.random.default_rng(18)
    scales, offsets = rng.choice([-1, 1, 2, 0.5], (8, 64)).astype(np.float32), rng.integers(-3, 4, (8, 64))
    out = np.zeros((8, 64), np.float32)
    ct.launch(None, (1,), recur, (scales, offsets.astype(np.float32), out, axis, reverse))
    along = lambda x: np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0)  # noqa: E731
    value, expected = 0.0, []
    for scale, offset in zip(along(scales.astype(np.float64)), along(offsets), strict=True):
        value = scale * value + offset
        expected.append(value)
    np.testing.assert_allclose(along(out), expected, rtol=1e-5, atol=1e-3)
