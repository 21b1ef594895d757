# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The registry, and the plainest implementation of each operation."""

import sys

import numpy as np
import pytest

from llm import errors
from llm.ops import OPERATIONS, Ops, find, load, reference


def test_numpy_has_every_operation():
    assert set(reference.OPERATIONS) == set(OPERATIONS)


def test_one_operation_is_swapped_by_name():
    ops = Ops({"linear": "numpy"}, default="numpy")
    assert ops.linear is reference.linear
    with pytest.raises(AttributeError):
        ops.no_operation  # noqa: B018


@pytest.mark.parametrize(
    ("operation", "implementation", "device", "text"),
    [
        ("conv", "numpy", "cpu", "operation is 'conv', expected one of embedding, rms_norm"),
        ("linear", "magic", "cpu", "implementation is 'magic', expected one of tilewright, numpy, torch"),
        ("linear", "numpy", "cuda", "implementation 'numpy' runs on cpu, not on cuda; choose another"),
    ],
)
def test_unknown_names(operation, implementation, device, text):
    with pytest.raises(errors.UnknownOperation, match=text):
        find(operation, implementation, device)


def test_a_device_needs_its_own_packages_only(monkeypatch):
    for name in ("cpu", "loops"):
        monkeypatch.delitem(sys.modules, f"llm.ops.simt.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)  # as if it were not installed
    assert load("simt").DEVICES == ("cpu", "cuda")
    with pytest.raises(errors.MissingPackage, match="implementation 'simt' needs the package numba"):
        find("linear", "simt", "cpu")


@pytest.mark.parametrize("sigmoid", [False, True])
def test_routing_keeps_to_the_best_groups(sigmoid):
    scores = np.full((1, 8), -9, np.float32)
    scores[0, [0, 2, 3, 6, 7]] = 3, 2, 2.5, 1, 1.5  # pairs of experts: {0}, {2, 3} and {6, 7} have large ones
    weights, ids = np.empty((1, 3), np.float32), np.empty((1, 3), np.int32)
    reference.route(
        scores, None, weights, ids, sigmoid=sigmoid, groups=4, top_groups=2, normalize=True, scale=2.0
    )  # fmt: skip
    # Groups count by their largest expert with a softmax, by the sum of their best two with sigmoids.
    assert sorted(ids[0].tolist()) == ([2, 3, 7] if sigmoid else [0, 2, 3])
    assert abs(weights.sum() - 2) < 1e-5


def test_a_bias_changes_the_choice_but_not_the_weights():
    scores = np.zeros((1, 4), np.float32)
    weights, ids = np.empty((1, 1), np.float32), np.empty((1, 1), np.int32)
    bias = np.array([0, 0, 5, 0], np.float32)
    reference.route(scores, bias, weights, ids, sigmoid=True, groups=1, top_groups=1, normalize=False, scale=1.0)
    assert ids[0, 0] == 2 and weights[0, 0] == 0.5


def test_noise_is_finite():
    """With this seed a token has the largest of the random numbers."""
    assert np.isfinite(reference.noise(69, 0, 1 << 17)).all()


def test_draws_follow_the_probabilities():
    logits = np.log(np.array([[0.5, 0.3, 0.15, 0.05]], np.float32))
    draws = 4000
    out = np.empty(draws, np.int32)
    options = {"temperature": 1.0, "top_k": 3, "top_p": 1.0, "min_p": 0.0, "seeds": 7}
    arrays = {name: np.full(draws, value) for name, value in options.items()}
    reference.sample(np.repeat(logits, draws, 0), out, **arrays, steps=np.arange(draws))
    counts = np.bincount(out, minlength=4) / draws
    np.testing.assert_allclose(counts, [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0], atol=0.03)


@pytest.mark.parametrize(
    ("top_k", "top_p", "min_p", "expected"), [(0, 1, 0, 4), (2, 1, 0, 2), (0, 0.6, 0, 2), (0, 1, 0.2, 3), (0, 0, 0, 1)]
)
def test_kept_tokens(top_k, top_p, min_p, expected):
    probabilities = np.array([0.05, 0.5, 0.15, 0.3])
    assert reference.kept(probabilities, top_k, top_p, min_p).sum() == expected
