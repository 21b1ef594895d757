# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locked plans: kernels are compiled with the decisions of their files."""

import re

import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import Signature
from tilewright._runtime.dispatch import launcher_of


@ct.kernel
def multiply(a, b, c, tile: ct.Constant[int]):
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.cdiv(a.shape[1], tile)):
        left = ct.load(a, (ct.bid(0), k), (tile, tile))
        total = ct.mma(left, ct.load(b, (k, ct.bid(1)), (tile, tile)), total)
    ct.store(c, (ct.bid(0), ct.bid(1)), total.astype(c.dtype))


def launch(tile=64):
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, (128, 128)).astype(np.float16) for _ in range(2))
    c = np.zeros((128, 128), np.float16)
    multiply.replace_hints()[128 // tile, 128 // tile](a, b, c, tile)
    assert (c == a.astype(np.float32) @ b).all()


@pytest.fixture
def locks(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    monkeypatch.setenv("TILEWRIGHT_LOCKS", str(tmp_path / "locks"))
    return tmp_path / "locks"


def test_each_specialization_has_a_file(locks):
    launch()
    (path,) = locks.iterdir()
    text = path.read_text()
    assert re.fullmatch(r"multiply-sm_90a-[0-9a-f]{12}\.plan\.toml", path.name)
    assert "# multiply for sm_90a, with arguments" in text and "[multiply.product.0]" in text
    launch()
    assert [path] == list(locks.iterdir()) and path.read_text() == text
    launch(tile=32)
    assert len(list(locks.iterdir())) == 2


def test_the_file_decides(locks):
    launch()
    (path,) = locks.iterdir()
    path.write_text("[multiply.loop.0]\nstages = 2\n")
    launch()
    path.write_text("[multiply.loop.0]\nstages = 40\n")
    with pytest.raises((ct.TileError, ValueError), match=rf"{re.escape(str(path))}:2: stages = 40 of loop 0"):
        launch()


def test_the_fastest_plan_of_a_search_is_locked(locks):
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (128, 128)).astype(np.float16)
    found = ct.schedule(multiply).warps(8).search((2, 2), (a, a, a, 64), most=10, target="sm_90")
    path = found.lock(locks)
    assert path.name == found.file and path.read_text() == found.plan
    assert "warps = 8  # the plan file asks for it" in found.plan
    launch()
    assert [path] == list(locks.iterdir()) and path.read_text() == found.plan


def test_a_schedule_of_the_program_is_not_locked(locks):
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (64, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float16)
    ct.schedule(multiply).warps(8).kernel[1, 1](a, a, c, 64)
    assert not locks.exists()


def test_nothing_is_locked_for_cpus(locks, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "cpu")
    launch()
    assert not locks.exists()


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_a_locked_kernel_has_the_same_code(tmp_path, architecture):
    a = np.zeros((256, 256), np.float16)
    compiled = compile_to_module(multiply, Signature(launcher_of(multiply).specs((a, a, a, 64))))
    target = f"nvidia:{architecture}"
    plain = _native.compile_to(compiled.module, "multiply", target, "ptx").output
    (tmp_path / "plan.toml").write_bytes(_native.compile_to(compiled.module, "multiply", target, "plan").output)
    locked = _native.compile_to(compiled.module, "multiply", target, "ptx", plan=str(tmp_path / "plan.toml")).output
    assert locked == plain
