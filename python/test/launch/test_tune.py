# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches among configurations of a kernel, and launches that tune themselves."""

import dataclasses
import os
import random
import re
import subprocess
import sys
import time

import fake_cuda
import numpy as np
import pytest
import tilewright as ct
from tilewright import tune
from tilewright._runtime.trial import run_in_child
from tilewright.errors import TileFaultError, TileLaunchTimeoutError
from tilewright.experimental import TunedResult, autotune_launch, clear_autotune_cache
from tilewright.tune import Measurement, TuningResult, exhaustive_search


@ct.kernel
def double(x, y, rounds: ct.Constant[int]):
    t = ct.load(x, ct.bid(0), 64)
    for _ in range(rounds):
        t = t + 1
    ct.store(y, ct.bid(0), t * 2)


def search(space, args, **options):
    return exhaustive_search(space, None, lambda config: (64,), double, args, quiet=True, **options)


def test_the_fastest_configuration_is_found():
    x, y = np.ones(64 * 64, np.float32), np.zeros(64 * 64, np.float32)
    made = []

    def args(config):
        made.append(config)
        return x, y, config

    result = search([20_000, 1, 5_000], args)
    assert result.best.config == 1 and result.best in result.successes
    assert [m.config for m in result.successes] == [20_000, 1, 5_000] and result.failures == ()
    assert all(m.num_samples >= 5 and m.mean_us > 0 and m.error_margin_us >= 0 for m in result.successes)
    # Arguments are made again for each launch.
    assert made.count(1) >= result.best.num_samples + 2
    assert y[0] in (2 * (1 + n) for n in (1, 5_000, 20_000)) and (y == y[0]).all()


def test_samples_are_taken_where_they_may_decide(monkeypatch):
    noise = random.Random(0)
    microseconds = {"best": 100.0, "close": 100.5, "slow": 200.0}
    monkeypatch.setattr(tune._Candidate, "_launch", lambda self, *_: 1e-6 * noise.gauss(microseconds[self.config], 5.0))
    x = np.ones(64 * 64, np.float32)
    result = search(list(microseconds), lambda config: (x, x.copy(), 1))
    found = {m.config: m for m in result.successes}
    assert found["slow"].num_samples == 5
    for config in ("best", "close"):
        assert 50 < found[config].num_samples < 1000 and found[config].error_margin_us <= 0.01 * found[config].mean_us
        assert abs(found[config].mean_us - microseconds[config]) < 3


def test_failures_are_recorded():
    x = np.ones(64 * 64, np.float32)

    def args(config):
        if config == "raises":
            raise KeyError("no such array")
        return x, np.zeros(3, np.int32) if config == "dtype" else np.zeros_like(x), config if config == 1 else 1.5

    result = search(["raises", 1, "dtype"], args)
    assert [m.config for m in result.successes] == [1]
    assert [(config, kind) for config, kind, _ in result.failures] == [("raises", KeyError), ("dtype", TypeError)]
    assert "constant of type float, expected int" in result.failures[1][2]
    with pytest.raises(ValueError, match="none of 1 configurations runs; the first, raises: KeyError: 'no such array'"):
        search(["raises"], args)
    with pytest.raises(ValueError, match="the search space is empty"):
        search([], args)


def test_hints_and_kernels_by_configuration():
    seen = []

    def kernel(config):
        seen.append(config)
        return double

    x = np.ones(64, np.float32)
    result = exhaustive_search(
        [1, 2], None, lambda c: (1,), kernel, lambda c: (x, x.copy(), 1), lambda c: {"occupancy": c}, quiet=True
    )
    assert len(result.successes) == 2 and seen == [1, 2]
    with pytest.raises(TypeError, match="unknown hint 'warps'"):
        exhaustive_search([1], None, lambda c: (1,), double, lambda c: (x, x, 1), lambda c: {"warps": 1}, quiet=True)


@ct.kernel
def spin(flag):
    # Waits for a number that is never written.
    seen = ct.atomic_add(flag, 0, 0)
    while seen == 0:
        seen = ct.atomic_add(flag, 0, 0)


def test_a_launch_that_does_not_end_is_given_up():
    start = time.perf_counter()
    result = exhaustive_search(
        [0, 1], None, lambda c: (1,), spin, lambda c: (np.full(4, c, np.int32),), quiet=True, single_run_timeout_sec=0.5
    )
    assert time.perf_counter() - start < 10
    assert [m.config for m in result.successes] == [1]
    ((config, kind, message),) = result.failures
    assert config == 0 and kind is TileLaunchTimeoutError
    assert message == "spin has run for 0.5 s, which is the limit, and was ended"


def test_a_child_reports_what_it_raised():
    def raises():
        raise ct.TileAssertionError("an assert failed")

    with pytest.raises(ct.TileAssertionError, match="an assert failed"):
        run_in_child(raises, "k", 5)
    with pytest.raises(TileFaultError, match="k ended its process with signal 9"):
        run_in_child(lambda: os.kill(os.getpid(), 9), "k", 5)
    run_in_child(lambda: None, "k", 5)


def test_the_summary_has_a_line_each(capsys):
    many = [Measurement(config=i, mean_us=10.0 + i, num_samples=5, error_margin_us=0.25) for i in range(20)]
    failed = [("bad", ValueError, "first line\nsecond line")] * 12
    result = TuningResult(best=many[0], successes=many[::-1], failures=failed)
    lines = str(result).splitlines()
    assert lines[0] == "20 succeeded, 12 failed"
    assert re.fullmatch(r"\* 0 +10\.0 ± 0\.2 us \(5 samples\)", lines[1])
    assert lines[11].strip() == "... 8 more ..." and lines[13].startswith("  19 ")
    assert lines[14] == "! bad  ValueError: first line" and lines[-1].strip() == "... 2 more failed ..."
    assert len(result.summary(top_k=19).splitlines()) == 1 + 20 + 12
    assert len(result.summary(top_k=3, bottom_k=1).splitlines()) == 1 + 3 + 1 + 1 + 3 + 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.best = None

    x = np.ones(64, np.float32)
    exhaustive_search([1], None, lambda c: (1,), double, lambda c: (x, x.copy(), 1))
    assert capsys.readouterr().out.startswith("1 succeeded, 0 failed\n* 1 ")


# ---- GPU ----


@pytest.fixture
def driver():
    with fake_cuda.loaded() as driver:
        yield driver


@pytest.mark.parametrize("flush", [True, False])
def test_launches_on_a_gpu_are_timed_by_events(driver, flush):
    arrays = [fake_cuda.CudaArray(np.ones(64, np.float32)) for _ in range(2)]
    result = search([1], lambda config: (*arrays, config), flush_l2=flush)
    # The driver of tests takes a millisecond for each call that it notes: for the launch, not for what comes before.
    assert result.best.mean_us == 1000 and result.best.error_margin_us == 0 and result.best.num_samples == 5
    assert sum("fill 524288 words" in line for line in driver.log()) == (7 if flush else 0)


def test_a_gpu_is_not_taken_from_a_kernel(driver):
    arrays = [fake_cuda.CudaArray(np.ones(64, np.float32)) for _ in range(2)]
    driver.fail("cuEventQuery", 600)  # not ready
    with pytest.raises(TileLaunchTimeoutError, match=r"has run for 0\.1 s, which is the limit, and still does"):
        search([1, 2], lambda config: (*arrays, config), single_run_timeout_sec=0.1)


def test_warnings_of_forks_are_not_shown():
    """JAX has a hook that warns before each."""
    program = """import os, warnings
from tilewright._runtime.trial import run_in_child
os.register_at_fork(before=lambda: warnings.warn("os.fork() was called", RuntimeWarning))
run_in_child(lambda: None, "k", 5)
warnings.warn("shown")
"""
    done = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=True)
    assert "shown" in done.stderr and "os.fork" not in done.stderr


# ---- experimental ----


def test_autotuned_launches_remember():
    clear_autotune_cache()
    x, y = np.arange(64 * 64, dtype=np.float32), np.zeros(64 * 64, np.float32)

    def launched(**options):
        return autotune_launch(
            None,
            grid_fn=lambda config: (64,),
            kernel=double,
            args_fn=lambda config: (x, np.zeros_like(y), config),
            launch_args_fn=lambda config: (x, y, config),
            hints_fn=lambda config: {"occupancy": 2},
            **{"search_space": lambda: iter([2_000, 1])} | options,
        )

    first = launched()
    assert isinstance(first, TunedResult) and first.tuned_config == 1 and first.grid == (64,) and not first.cache_hit
    assert sorted(config for config, _ in first.tuning_record) == [1, 2_000]
    assert first.kernel.hints["occupancy"] == 2
    np.testing.assert_array_equal(y, 2 * (x + 1))
    assert launched().cache_hit and launched(search_space=[5]).tuned_config == 1
    assert launched(search_space=[3], key="other").tuned_config == 3
    assert not launched(force_retune=True).cache_hit
    clear_autotune_cache(double, "other")
    assert launched().cache_hit and not launched(search_space=[3], key="other").cache_hit
    clear_autotune_cache(double)
    assert not launched().cache_hit
    assert len(launched(search_space=range(100), max_iter=3, seed=1, key="many").tuning_record) == 3
    with pytest.raises(ValueError, match="timeout_sec is -1"):
        launched(force_retune=True, compiler_time_limit_sec=-1)
    with pytest.raises(ValueError, match="the search space is empty"):
        launched(search_space=())
