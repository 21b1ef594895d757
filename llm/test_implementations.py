# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each implementation of each operation against the plainest one, on the shapes that models have."""

import itertools

import numpy as np
import pytest

from llm import errors
from llm.ops import OPERATIONS, find, load
from llm.ops.works import make_work


def missing(implementation):
    """Why it cannot run here, or None."""
    try:
        return load(implementation) and None
    except errors.MissingPackage as error:
        return str(error)


ALL = ("tilewright", "torch")
IMPLEMENTATIONS = [name for name in ALL if missing(name) is None]


@pytest.mark.parametrize("implementation", ALL)
def test_is_installed(implementation):
    if missing(implementation):
        pytest.skip(missing(implementation))


CASES = list(itertools.product(IMPLEMENTATIONS, OPERATIONS, (1, 5, 70), ("float32", "bfloat16")))


@pytest.mark.parametrize(("implementation", "operation", "tokens", "dtype"), CASES)
def test_operation(implementation, operation, tokens, dtype):
    run = find(operation, implementation)
    work = make_work(operation, "tiny", tokens=tokens, cached=37, dtype=dtype)
    found, expected = work.results(run), work.results(find(operation, "numpy"))
    for a, b in zip(found, expected, strict=True):
        if a.dtype.kind in "iu":
            np.testing.assert_array_equal(a, b)
            continue
        a, b = a.astype(np.float64), b.astype(np.float64)
        # A result of bf16 is rounded once here and there, and some inputs of a second product before it.
        allowed = (2e-2 if dtype == "bfloat16" else 2e-5) * np.sqrt((b**2).mean())
        assert np.abs(a - b).max() <= allowed + (8e-3 if dtype == "bfloat16" else 0) * np.abs(b).max()
