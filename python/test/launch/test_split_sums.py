# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CTAs of a cluster that share the iterations of a tile block (docs/planning.md): any number of them, partial tiles,
sums in integers, several sums at a time."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct

HOPPER, BLACKWELL = "sm_90a", "sm_100a"


@ct.kernel
def gemm(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    sums = ct.zeros((tm, tn), dtype=c.dtype)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.cdiv(a.shape[1], tk)):
        left = ct.load(a, index=(m, k), shape=(tm, tk), padding_mode=zero)
        right = ct.load(b, index=(k, n), shape=(tk, tn), padding_mode=zero)
        sums = ct.mma(left, right, sums)
    ct.store(c, index=(m, n), tile=sums)


@ct.kernel
def first_parts(a, b, c, count: int, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    sums = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(count):
        sums = ct.mma(ct.load(a, (m, k), (tm, tk)), ct.load(b, (k, n), (tk, tn)), sums)
    ct.store(c, (m, n), sums)


@ct.kernel
def onto(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """Sums that begin with numbers from memory."""
    m, n = ct.bid(0), ct.bid(1)
    sums = ct.load(c, (m, n), (tm, tn))
    for k in range(ct.cdiv(a.shape[1], tk)):
        sums = ct.mma(ct.load(a, (m, k), (tm, tk)), ct.load(b, (k, n), (tk, tn)), sums)
    ct.store(c, (m, n), sums)


@ct.kernel
def gated(a, b, g, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """Two sums of one loop, and an array that is read behind it."""
    m, n = ct.bid(0), ct.bid(1)
    first, second = ct.zeros((tm, tn), dtype=ct.float32), ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        left = ct.load(a, (m, k), (tm, tk))
        first = ct.mma(left, ct.load(b, (k, n), (tk, tn)), first)
        second = ct.mma(left, ct.load(g, (k, n), (tk, tn)), second)
    before = ct.load(c, (m, n), (tm, tn))
    ct.store(c, (m, n), before + first * second)


@ct.kernel
def diagonal(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """The sums say which rows are read."""
    m, n = ct.bid(0), ct.bid(1)
    sums = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        sums = ct.mma(ct.load(a, (m, k), (tm, tk)), ct.load(b, (k, n), (tk, tn)), sums)
    column = ct.argmax(sums, axis=1)
    ct.store(c, (m, n), sums + ct.gather(c, (column, 0))[:, None])


@ct.kernel
def guarded(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """The sums say whether anything is read."""
    m, n = ct.bid(0), ct.bid(1)
    sums = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], tk)):
        sums = ct.mma(ct.load(a, (m, k), (tm, tk)), ct.load(b, (k, n), (tk, tn)), sums)
    if ct.sum(sums) > 0:
        sums = sums + ct.load(c, (m, n), (tm, tn))
    ct.store(c, (m, n), sums)


def numbers(shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("target", [HOPPER, BLACKWELL])
@pytest.mark.parametrize("ctas", [2, 4, 8])
@pytest.mark.parametrize("depth", [32, 64, 96, 224, 200])
def test_iterations_of_several_ctas(monkeypatch, target, ctas, depth):
    """1, 2, 3 and 7 of them, and a partial one; 3x2 tile blocks, of which the last ones are partial."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{target}")
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "6")
    a, b = numbers((168, depth), ml_dtypes.bfloat16), numbers((depth, 120), ml_dtypes.bfloat16, seed=1)
    found = np.full((168, 120), 9, np.float32)
    ct.schedule(gemm).split(ctas).kernel[3, 2](a, b, found, 64, 64, 32)
    assert (found == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_an_order_of_tile_blocks(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b = numbers((320, 96), ml_dtypes.bfloat16), numbers((96, 128), ml_dtypes.bfloat16, seed=1)
    found = np.zeros((320, 128), np.float32)
    ct.schedule(gemm).split(2).tile_order(4).kernel[5, 2](a, b, found, 64, 64, 32)
    assert (found == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_sums_in_integers(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b = numbers((64, 160), np.int8), numbers((64, 160), np.int8, seed=1).T
    found = np.zeros((64, 64), np.int32)
    ct.schedule(gemm).split(2).kernel[1, 1](a, b, found, 64, 64, 32)
    assert (found == a.astype(np.int32) @ b.astype(np.int32)).all()


def test_sums_that_begin_with_numbers(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b = numbers((128, 96), ml_dtypes.bfloat16), numbers((96, 64), ml_dtypes.bfloat16, seed=1)
    found = numbers((128, 64), np.float32, seed=2)
    expected = found + a.astype(np.float32) @ b.astype(np.float32)
    ct.schedule(onto).split(2).kernel[2, 1](a, b, found, 64, 64, 32)
    assert (found == expected).all()


@pytest.mark.parametrize("ctas", [2, 4])
def test_two_sums(monkeypatch, ctas):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b = numbers((128, 96), ml_dtypes.bfloat16), numbers((96, 64), ml_dtypes.bfloat16, seed=1)
    g, found = numbers((96, 64), ml_dtypes.bfloat16, seed=2), np.ones((128, 64), np.float32)
    ct.schedule(gated).split(ctas).kernel[2, 1](a, b, g, found, 64, 64, 32)
    wide = a.astype(np.float32)
    assert (found == 1 + (wide @ b.astype(np.float32)) * (wide @ g.astype(np.float32))).all()


@pytest.mark.parametrize("count", [-1, 0, 1])
def test_a_loop_without_iterations(monkeypatch, count):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b, found = numbers((64, 64), ml_dtypes.bfloat16), numbers((64, 64), ml_dtypes.bfloat16), np.ones((64, 64), "f")
    ct.schedule(first_parts).split(2).kernel[1, 1](a, b, found, count, 64, 64, 32)
    depth = 32 * max(count, 0)
    assert (found == a[:, :depth].astype(np.float32) @ b[:depth].astype(np.float32)).all()


@pytest.mark.parametrize("kernel", [diagonal, guarded])
def test_sums_that_decide_what_is_read(monkeypatch, kernel):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b, found = numbers((64, 64), ml_dtypes.bfloat16), numbers((64, 64), ml_dtypes.bfloat16), np.zeros((64, 64), "f")
    with pytest.raises(ct.TileError, match=r"split = 2 .* what it reads behind the loop depends on the sums"):
        ct.schedule(kernel).split(2).kernel[1, 1](a, b, found, 64, 64, 32)
