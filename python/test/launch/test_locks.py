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
from tilewright._runtime.locks import file_name


@ct.kernel
def multiply(a, b, c, tile: ct.Constant[int]):
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.cdiv(a.shape[1], tile)):
        left = ct.load(a, (ct.bid(0), k), (tile, tile))
        total = ct.mma(left, ct.load(b, (k, ct.bid(1)), (tile, tile)), total)
    ct.store(c, (ct.bid(0), ct.bid(1)), total.astype(c.dtype))


def launch(tile=64, size=128, kernel=None):
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, (size, size)).astype(np.float16) for _ in range(2))
    c = np.zeros((size, size), np.float16)
    (kernel or multiply.replace_hints())[-(-size // tile), -(-size // tile)](a, b, c, tile)
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
    assert re.fullmatch(r"multiply-sm_90a-[0-9a-f]{12}-128x128_128x128_128x128\.plan\.toml", path.name)
    assert "# multiply for sm_90a, with arguments" in text and "[multiply.product.0]" in text
    assert "# and sizes that are, rounded up to powers of two: a 128x128, b 128x128, c 128x128\n" in text
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


def test_a_bucket_has_a_file_of_its_own(locks):
    kernel = multiply.replace_hints()
    for size in (112, 128, 192, 256):
        launch(size=size, kernel=kernel)
    names = sorted(path.name for path in locks.iterdir())
    assert [name.split("-", 3)[3].split("_")[0] for name in names] == ["128x128", "256x256"]
    assert launcher_of(kernel).num_specializations == 2
    small, large = (locks / name for name in names)
    small.write_text("[multiply.loop.0]\nstages = 2\n")
    large.write_text("[multiply.loop.0]\nstages = 40\n")
    kernel = multiply.replace_hints()
    launch(size=128, kernel=kernel)
    with pytest.raises((ct.TileError, ValueError), match=rf"{re.escape(str(large))}:2: stages = 40"):
        launch(size=256, kernel=kernel)
    launch(size=112, kernel=kernel)
    assert launcher_of(kernel).num_specializations == 1


def test_a_file_without_a_bucket_is_for_all(locks):
    launch()
    (path,) = locks.iterdir()
    general = path.with_name(f"{path.name.rpartition('-')[0]}.plan.toml")
    path.rename(general)
    general.write_text("[multiply.loop.0]\nstages = 40\n")
    for size in (128, 256):
        with pytest.raises((ct.TileError, ValueError), match=rf"{re.escape(str(general))}:2: stages = 40"):
            launch(size=size)
    path.write_text("[multiply.loop.0]\nstages = 2\n")  # which is of one of them
    launch()
    assert {path, general} == set(locks.iterdir())


def test_code_from_before_is_for_all_buckets(locks, monkeypatch):
    kernel = multiply.replace_hints()
    monkeypatch.delenv("TILEWRIGHT_LOCKS")
    launch(kernel=kernel)
    monkeypatch.setenv("TILEWRIGHT_LOCKS", str(locks))
    launch(size=256, kernel=kernel)
    assert not locks.exists()
    launch(tile=32, kernel=kernel)
    launch(tile=32, size=256, kernel=kernel)
    launch(size=512, kernel=kernel)
    assert len(list(locks.iterdir())) == 2 and launcher_of(kernel).num_specializations == 3


@ct.kernel
def everything(a, many: list, pair, n, factor, flag, tile: ct.Constant[int]):
    pass


def test_the_bucket_of_arguments():
    arrays = [np.zeros(shape, np.float32) for shape in ((5, 1), (3, 9), (2, 4))]
    bucket = launcher_of(everything).bucket(
        (np.zeros((0, 1, 2, 3), np.int8), arrays, (np.zeros((), np.int8), 4097), -5, 3.0, True, 100)
    )
    assert bucket == (("a", (0, 1, 2, 4)), ("many", (4, 8, 16)), ("pair", (8192,)), ("n", (0,)))


def test_names_of_files():
    assert re.fullmatch(r"k-sm_90a-[0-9a-f]{12}\.plan\.toml", file_name("k", (), "sm_90a"))
    assert file_name("k", (), "sm_90a", (("a", (4, 8)), ("n", (64,)))).endswith("-4x8_64.plan.toml")
    long = tuple((f"a{i}", (4096, 4096)) for i in range(40))
    names = {file_name("k", (), "sm_90a", bucket) for bucket in (long, long[:30], (*long, ("n", (1,))))}
    assert len(names) == 3
    assert all(re.search(r"-4096x4096(_4096x4096){7}_[0-9a-f]{12}\.plan\.toml$", name) for name in names)


def test_the_fastest_plan_of_a_search_is_locked(locks):
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (128, 128)).astype(np.float16)
    found = ct.schedule(multiply).warps(8).search((2, 2), (a, a, a, 64), most=10, target="sm_90")
    path = found.lock(locks)
    text = path.read_text()
    assert path.name == found.file and text.endswith(f"c 128x128\n\n{found.plan}")
    assert "warps = 8  # the plan file asks for it" in found.plan
    launch()
    assert [path] == list(locks.iterdir()) and path.read_text() == text


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


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_a_searched_kernel_has_the_same_code_from_its_file(tmp_path, architecture):
    arguments = (*(np.zeros((256, 256), np.float16) for _ in range(3)), 64)
    found = ct.schedule(multiply).search((4, 4), arguments, most=20, target=architecture)
    compiled = compile_to_module(multiply, Signature(launcher_of(multiply).specs(arguments)))
    words = (compiled.module, "multiply", f"nvidia:{architecture}", "ptx")
    made = _native.compile_to(*words, plan_text=found.plan).output
    assert made == _native.compile_to(*words, plan=str(found.lock(tmp_path))).output
    assert (made != _native.compile_to(*words).output) == bool(found.best.decisions)
