# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running grids: threads, asserts, prints."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import tilewright as ct
from tilewright import TileAssertionError, get_num_threads, set_num_threads


@ct.kernel
def double(a, out):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (16,)) * 2)


@ct.kernel
def positive(a, out):
    i = ct.bid(0)
    tile = ct.load(a, (i,), (16,))
    ct.assert_(tile > 0, "all elements are positive")
    ct.store(out, (i,), tile)


@ct.kernel
def talk(a):
    i = ct.bid(0)
    ct.printf("block %d: %g\n", i, ct.sum(ct.load(a, (i,), (4,))))


@pytest.fixture(autouse=True)
def restore_threads():
    count = get_num_threads()
    yield
    set_num_threads(count)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_every_block_runs(threads):
    set_num_threads(threads)
    assert get_num_threads() == threads
    for blocks in (1, 3, 1000):
        a, out = np.random.rand(16 * blocks).astype(np.float32), np.zeros(16 * blocks, np.float32)
        double[blocks](a, out)
        np.testing.assert_array_equal(out, a * 2)


def test_thread_counts_are_checked():
    for count in (0, -1, 5000):
        with pytest.raises(ValueError, match="expected 1 to 4096"):
            set_num_threads(count)


def test_launches_from_several_threads():
    failures = []

    def work():
        for _ in range(50):
            a, out = np.random.rand(16 * 100).astype(np.float32), np.zeros(1600, np.float32)
            double[100](a, out)
            if not np.array_equal(out, a * 2):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@ct.kernel
def ordered(a, TILE: ct.Constant[int]):
    tile = ct.load(a, (0, 0), (TILE, TILE))
    ct.assert_(tile <= ct.transpose(tile) + 100, "too far apart")


@pytest.mark.parametrize("interpret", [False, True])
def test_a_failed_assert_names_the_first_element_that_is_false(monkeypatch, interpret):
    monkeypatch.setenv("TILEWRIGHT_INTERPRET", str(int(interpret)))
    for size, false in (8, [(2, 5)]), (8, [(7, 0), (3, 1), (3, 4)]), (64, [(63, 62)]), (64, [(0, 63), (17, 3)]):
        a = np.zeros((size, size), np.float32)
        for position in false:
            a[position] = 1000
        with pytest.raises(TileAssertionError) as caught:
            ordered[1](a, size)
        assert f"tile block: [0, 0, 0], position: {[*min(false)]}: too far apart" in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failed_assert_names_block_and_line(threads):
    set_num_threads(threads)
    a = np.ones(16 * 64, np.float32)
    a[16 * 40 + 3] = -1
    with pytest.raises(TileAssertionError) as caught:
        positive[64](a, np.zeros_like(a))
    text = str(caught.value)
    assert "positive: assert failed, tile block: [40, 0, 0], position: [3]: all elements are positive" in text
    assert 'ct.assert_(tile > 0, "all elements are positive")' in text
    assert f'File "{__file__}", line ' in text
    assert isinstance(caught.value, ct.TileError) and isinstance(caught.value, AssertionError)
    a[:] = 1  # the process and the kernel go on
    out = np.zeros_like(a)
    positive[64](a, out)
    np.testing.assert_array_equal(out, a)


@pytest.mark.parametrize("threads", [1, 2])
def test_prints_come_in_the_order_of_the_blocks(threads, capsys):
    set_num_threads(threads)
    talk[64](np.arange(256, dtype=np.float32))
    expected = "".join(f"block {i}: {16 * i + 6}\n" for i in range(64))
    assert capsys.readouterr().out == expected


def test_the_environment_sets_the_number_of_threads():
    code = "from tilewright import get_num_threads; print(get_num_threads())"
    import os

    result = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"TILEWRIGHT_NUM_THREADS": "3"}, capture_output=True, text=True
    )
    assert result.stdout.strip() == "3", result.stderr
