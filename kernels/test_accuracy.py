# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

from kernels.accuracy import Reference, magnitude
from kernels.timing import alternate


def test_error_is_relative_to_the_scale():
    reference = Reference(np.array([1.0, 100.0]), np.array([2.0, 400.0]), 0.2)
    assert reference.error(np.float32([1.5, 100])) == 0.25
    with pytest.raises(AssertionError, match=r"error 0\.25 is over the bound 0\.2"):
        reference.check(np.float32([1.5, 100]))


def test_missing_numbers_are_errors_and_expected_infinities_are_not():
    reference = Reference(np.array([1.0, np.inf]), np.ones(2), 0.1)
    assert reference.error(np.array([1.0, np.inf])) == 0
    assert reference.error(np.array([np.nan, np.inf])) == np.inf
    assert reference.error(np.array([1.0, 7.0])) == np.inf


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"result has shape \(3,\), expected \(2,\)"):
        Reference(np.ones(2), np.ones(2), 0.1).error(np.ones(3))


def test_magnitude_stops_at_the_smallest_normal_number():
    assert magnitude(np.array([0.0, -1.0]), np.float16).tolist() == [2.0**-14, 1.0]


def test_alternate_takes_turns():
    calls = []
    times = alternate([lambda: calls.append("a"), lambda: calls.append("b")], rounds=3, warm_up=1)
    assert calls == ["a", "b", *"ababab"]
    assert len(times) == 2
