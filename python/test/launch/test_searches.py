# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TILEWRIGHT_SEARCH: kernels are compiled with the fastest plan of a search for the launch that needs the code."""

import fake_cuda
import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright._runtime import plans
from tilewright._runtime.dispatch import launcher_of


@ct.kernel
def multiply(a, b, c, tile: ct.Constant[int]):
    total = ct.zeros((tile, tile), ct.float32)
    for k in range(ct.cdiv(a.shape[1], tile)):
        left = ct.load(a, (ct.bid(0), k), (tile, tile))
        total = ct.mma(left, ct.load(b, (k, ct.bid(1)), (tile, tile)), total)
    ct.store(c, (ct.bid(0), ct.bid(1)), total.astype(c.dtype))


def arguments(size):
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, (size, size)).astype(np.float16) for _ in range(2))
    return a, b, np.zeros((size, size), np.float16), 64


def launch(kernel, size=128):
    a, b, c, tile = made = arguments(size)
    kernel[-(-size // tile), -(-size // tile)](*made)
    assert (c == a.astype(np.float32) @ b).all()


@pytest.fixture
def searches(monkeypatch):
    """The arguments of each search, and its result."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_90a")
    monkeypatch.setenv("TILEWRIGHT_SEARCH", "10")
    monkeypatch.setattr(plans, "_warned", set())
    made, plain = [], _native.search_plans

    def search(*words, **keywords):
        made.append((words[2:], keywords["plan_text"], plain(*words, **keywords)))
        return made[-1][-1]

    monkeypatch.setattr(_native, "search_plans", search)
    return made


@pytest.fixture
def locks(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_LOCKS", str(tmp_path / "locks"))
    return tmp_path / "locks"


def replace(monkeypatch, result):
    def search(*words, **keywords):
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(_native, "search_plans", search)


def test_a_bucket_is_searched_once(searches):
    kernel = multiply.replace_hints()
    for size in (128, 112, 256, 128):
        launch(kernel, size)
    (first, *_), (second, *_) = searches
    assert first[0] == "nvidia:sm_90a" and first[1] == (2, 2, 1) and first[4] == 10
    assert second[1] == (4, 4, 1) and 256 in second[2]
    assert launcher_of(kernel).num_specializations == 2


def test_the_plan_is_that_of_a_search_by_hand(searches, locks, monkeypatch):
    compiled, plain = [], _native.compile
    monkeypatch.setattr(
        _native, "compile", lambda *words, **options: (compiled.append(options), plain(*words, **options))[1]
    )
    found = ct.schedule(multiply).search((2, 2), arguments(128), most=10, target="sm_90")
    launch(multiply.replace_hints())
    (path,) = locks.iterdir()
    assert path.name == found.file and path.read_text() == found.locked
    assert [options.get("plan_text") for options in compiled] == [found.plan]
    launch(multiply.replace_hints())
    assert compiled[1]["plan"] == str(path) and len(searches) == 2


def test_a_locked_plan_is_replayed(searches, locks, monkeypatch):
    launch(multiply.replace_hints())
    (path,) = locks.iterdir()
    text = path.read_text()
    launch(multiply.replace_hints())
    monkeypatch.delenv("TILEWRIGHT_SEARCH")
    launch(multiply.replace_hints())
    assert len(searches) == 1 and path.read_text() == text


def test_the_rest_of_a_schedule_is_searched(searches):
    launch(ct.schedule(multiply).stages(0, 2).kernel)
    [(_, decided, search)] = searches
    assert decided == '["multiply".loop.0]\nstages = 2\n'
    assert "stages = 2  # the plan file asks for it" in search.fastest()


def test_a_schedule_is_kept_and_not_locked(searches, locks):
    launch(ct.schedule(multiply).warps(8).kernel)
    launch(ct.schedule(multiply).warps(8).kernel)
    assert ["warps = 8  # the plan file asks for it" in made[-1].fastest() for made in searches] == [True, True]
    assert not locks.exists()


@pytest.mark.parametrize("error", [ct.TileCompilerExecutionError("out of luck\nat length"), ValueError("out of luck")])
def test_a_search_that_fails(searches, locks, monkeypatch, error):
    replace(monkeypatch, error)
    with pytest.warns(RuntimeWarning) as warned:
        for size in (128, 256):
            launch(multiply.replace_hints(), size)
    expected = "multiply: TILEWRIGHT_SEARCH found no plan, and the compiler's is used: out of luck"
    assert [str(warning.message) for warning in warned] == [expected]
    assert not locks.exists()  # so that the next process searches again


def test_a_plan_that_cannot_be_compiled(searches, locks, monkeypatch):
    class Found:
        def fastest(self):
            return "[multiply.loop.0]\nstages = 40\n"

    replace(monkeypatch, Found())
    with pytest.warns(RuntimeWarning, match="the compiler's is used: .*stages = 40 of loop 0 .* is impossible"):
        launch(multiply.replace_hints())
    assert not locks.exists()


def test_a_schedule_that_is_impossible_is_refused_without_a_warning(searches, recwarn):
    with pytest.raises((ct.TileError, ValueError), match="schedule:2: stages = 40 of loop 0"):
        launch(ct.schedule(multiply).stages(0, 40).kernel)
    assert not recwarn.list


def test_nothing_is_searched_without_a_grid(searches, locks):
    launcher = launcher_of(multiply.replace_hints())
    launcher.prepare(arguments(128))
    assert not searches and not locks.exists()
    launcher_of(multiply.replace_hints()).prepare(arguments(128), None, (2, 2))
    assert len(searches) == 1 and locks.exists()


@pytest.mark.parametrize(("target", "most"), [("cpu", "10"), ("tileas:sm_90a", "0")])
def test_nothing_is_searched(searches, monkeypatch, target, most):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    monkeypatch.setenv("TILEWRIGHT_SEARCH", most)
    kernel = multiply.replace_hints()
    for size in (128, 256):
        launch(kernel, size)
    assert not searches and launcher_of(kernel).num_specializations == 1


@ct.kernel
def double(x, y):
    ct.store(y, (ct.bid(0),), 2 * ct.load(x, (ct.bid(0),), (64,)))


def test_arrays_on_a_gpu(searches, monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_TARGET")
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", "driver")
    with fake_cuda.loaded() as driver:
        for count in (256, 512):
            ct.launch(
                None, (count // 64,), double, tuple(fake_cuda.CudaArray(np.ones(count, np.float32)) for _ in "xy")
            )
        assert len(driver.launches()) == 2
    # No table has the product of this driver.
    assert [words[3] for words, *_ in searches] == ["", ""]
