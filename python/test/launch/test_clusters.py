# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clusters of CTAs that load together what both need (docs/planning.md): grids that they do not divide, tile blocks in
any order, operands in either order in memory."""

import re

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct

from kernels.grouped_order import grouped_block

HOPPER, BLACKWELL = "sm_90a", "sm_100a"


def product(a, b, m, n, order, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    sums = ct.zeros((tm, tn), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.cdiv(a.shape[1], tk)):
        left = ct.load(a, index=(m, k), shape=(tm, tk), padding_mode=zero)
        right = ct.load(b, index=(k, n), shape=(tk, tn), order=order, padding_mode=zero)
        sums = ct.mma(left, right, sums)
    return sums


@ct.kernel
def by_rows(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    sums = product(a, b, m, n, (0, 1), tm, tn, tk)
    ct.store(c, index=(m, n), tile=sums.astype(c.dtype))


@ct.kernel
def by_columns(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """CTAs adjacent along x share the left operand, one box of which each loads the half; b is [N, K]."""
    m, n = ct.bid(1), ct.bid(0)
    sums = product(a, b, m, n, (1, 0), tm, tn, tk)
    ct.store(c, index=(m, n), tile=sums.astype(c.dtype))


@ct.kernel
def in_groups(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """Adjacent tile blocks share a column of b, but where a column of the walk ends with an odd block."""
    m, n = grouped_block(ct.bid(0), c.shape[0], c.shape[1], tm, tn, 3)
    sums = product(a, b, m, n, (0, 1), tm, tn, tk)
    ct.store(c, index=(m, n), tile=sums.astype(c.dtype))


@ct.kernel
def in_place(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    """Blocks beyond the edge of the grid would add a second time."""
    m, n = ct.bid(0), ct.bid(1)
    sums = product(a, b, m, n, (0, 1), tm, tn, tk)
    before = ct.load(c, index=(m, n), shape=(tm, tn), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, index=(m, n), tile=before + sums.astype(c.dtype))


@ct.kernel
def triangle(a, b, c, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    m, n = ct.bid(0), ct.bid(1)
    sums = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(m + 1):
        left, right = ct.load(a, (m, k), (tm, tk)), ct.load(b, (k, n), (tk, tn))
        sums = ct.mma(left, right, sums)
    ct.store(c, index=(m, n), tile=sums.astype(c.dtype))


def arrays(rows, columns, depth, transposed=False):
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (rows, depth)).astype(ml_dtypes.bfloat16)
    b = random.integers(-3, 4, (depth, columns)).astype(ml_dtypes.bfloat16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    return a, (np.ascontiguousarray(b.T) if transposed else b), expected


@pytest.mark.parametrize("target", [HOPPER, BLACKWELL])
@pytest.mark.parametrize(
    ("kernel", "shape", "tile"),
    [
        (by_rows, (192, 136, 96), (64, 128, 32)),  # 3x2 tile blocks
        (by_columns, (128, 160, 96), (64, 64, 32)),  # 3 along x, a partial one
        (in_groups, (320, 128, 64), (64, 64, 32)),  # groups of 3 and 2 rows
    ],
)
@pytest.mark.parametrize("ctas", [2, 4])
def test_products_of_clusters(monkeypatch, target, kernel, shape, tile, ctas):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{target}")
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "6")
    rows, columns, depth = shape
    a, b, expected = arrays(rows, columns, depth, transposed=kernel is by_columns)
    found = np.zeros((rows, columns), np.float32)
    grid = (ct.cdiv(rows, tile[0]), ct.cdiv(columns, tile[1]))
    grid = grid[::-1] if kernel is by_columns else (grid[0] * grid[1],) if kernel is in_groups else grid
    ct.schedule(kernel).cluster(ctas).kernel[grid](a, b, found, *tile)
    assert (found == expected).all()


@pytest.mark.parametrize("target", [HOPPER, BLACKWELL])
@pytest.mark.parametrize("ctas", [2, 4])
def test_blocks_beyond_the_edge_store_nothing(monkeypatch, target, ctas):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{target}")
    a, b, expected = arrays(64, 64, 64)
    found = np.ones((64, 64), np.float32)
    ct.schedule(in_place).cluster(ctas).kernel[1, 1](a, b, found, 64, 64, 32)
    assert (found == expected + 1).all()


@pytest.mark.parametrize("order", [0, 4])
def test_clusters_in_an_order_of_tile_blocks(monkeypatch, order):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{HOPPER}")
    a, b, expected = arrays(320, 128, 64)
    found = np.zeros((320, 128), np.float32)
    ct.schedule(by_rows).cluster(2).tile_order(order).kernel[5, 2](a, b, found, 64, 64, 32)
    assert (found == expected).all()


def signature(kernel):
    pitch = "bfloat16[:,::1]@16, bfloat16[:,::1]@16, float32[:,::1]@16, 64, 128, 64"
    return [f"{kernel.function.__code__.co_filename}:{kernel.__name__}", "--signature", pitch]


def compiled(capsysbinary, kernel, plan, *words):
    from tilewright.__main__ import main

    assert main(["compile", *signature(kernel), f"--plan={plan}", *words]) == 0
    return capsysbinary.readouterr().out.decode()


@pytest.mark.parametrize(("target", "release"), [("sm_90", "mapa.shared::cluster"), ("sm_100", "tcgen05.commit")])
def test_code(tmp_path, capsysbinary, target, release):
    plan = tmp_path / "plan.toml"
    plan.write_text("cluster = 2\n".join(["[by_rows]\n", ""]))
    code = compiled(capsysbinary, by_rows, plan, f"--target={target}", "--emit=ptx")
    assert re.search(r"\.reqnctapercluster 2", code)
    assert ".multicast::cluster" in code and release in code
    assert code.count("barrier.cluster.arrive") == 2
    plan.write_text("[by_rows]\ncluster = 1\n")
    assert "cluster 2" not in compiled(capsysbinary, by_rows, plan, f"--target={target}", "--emit=ptx")


@pytest.mark.parametrize(
    ("kernel", "more", "target", "reason"),
    [
        (triangle, "", "sm_90", "a loop of a product is not as long in every tile block"),
        (by_rows, "persistent = false\n", "sm_90", "the plan file asks for a CTA for each tile block"),
        (by_rows, "", "sm_80", "the architecture has no clusters"),
        (by_rows, "[by_rows.load.1]\nway = 'threads'\n", "sm_90", "a producer cannot load the operands"),
    ],
)
def test_refusals(tmp_path, capfd, kernel, more, target, reason):
    from tilewright.__main__ import main

    plan = tmp_path / "plan.toml"
    plan.write_text(f"[{kernel.__name__}]\ncluster = 2\n{more}")
    assert main(["compile", *signature(kernel), f"--plan={plan}", f"--target={target}", "--emit=ptx"]) != 0
    text = capfd.readouterr().err
    assert "cluster = 2 of kernel is impossible, it is 1" in text and reason in text
