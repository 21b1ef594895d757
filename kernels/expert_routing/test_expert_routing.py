# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

from kernels.expert_routing.bench import DEEPSEEK_V3
from kernels.expert_routing.kernel import route
from kernels.expert_routing.reference import reference
from kernels.gpu_code import compile_for_gpus
from kernels.work import normal

DEEPSEEK_V2 = {"sigmoid": False, "groups": 8, "top_groups": 3, "normalize": False, "scale": 16.0}
PLAIN = {"sigmoid": False, "normalize": True}


def routed(scores, bias, top_k, **options):
    weights, ids = np.full((len(scores), top_k), np.nan, np.float32), np.full((len(scores), top_k), -1, np.int32)
    route(scores, bias, weights, ids, **options)
    return weights, ids


def check(scores, bias, top_k, **options):
    weights, ids = routed(scores, bias, top_k, **options)
    expected, right = reference(scores, bias, top_k, **options)
    np.testing.assert_array_equal(ids, expected)
    right.check(weights)


@pytest.mark.parametrize("tokens", [1, 3, 100])
@pytest.mark.parametrize(
    ("experts", "top_k", "options"),
    [(8, 2, PLAIN), (60, 4, PLAIN), (64, 6, DEEPSEEK_V2 | {"groups": 1, "top_groups": 1}), (160, 6, DEEPSEEK_V2),
     (256, 8, DEEPSEEK_V3), (12, 3, DEEPSEEK_V3 | {"groups": 3, "top_groups": 2})],
)  # fmt: skip
@pytest.mark.parametrize("biased", [False, True])
def test_matches_reference(biased, experts, top_k, options, tokens):
    bias = normal((experts,), np.float32, 2, 0.3) if biased else None
    check(normal((tokens, experts), np.float32, 1), bias, top_k, **options)


def test_large_scores():
    check(normal((20, 64), np.float32, 1, 40.0), None, 4, **PLAIN)
    check(normal((20, 64), np.float32, 1, 5.0), None, 4, sigmoid=True, groups=4, top_groups=2)


@pytest.mark.parametrize("sigmoid", [False, True])
def test_groups_count_by_one_or_two(sigmoid):
    scores = np.full((1, 8), -9, np.float32)
    scores[0, [0, 2, 3, 6, 7]] = 3, 2, 2.5, 1, 1.5
    _, ids = routed(scores, None, 3, sigmoid=sigmoid, groups=4, top_groups=2)
    assert sorted(ids[0].tolist()) == ([2, 3, 7] if sigmoid else [0, 2, 3])


def test_a_bias_selects_but_does_not_weigh():
    weights, ids = routed(np.zeros((1, 4), np.float32), np.array([0, 0, 5, 0], np.float32), 1, sigmoid=True,
                          normalize=False)  # fmt: skip
    assert ids[0, 0] == 2 and weights[0, 0] == 0.5


@pytest.mark.parametrize("sigmoid", [False, True])
def test_the_first_of_equal_experts(sigmoid):
    _, ids = routed(np.zeros((5, 24), np.float32), None, 4, sigmoid=sigmoid, groups=4, top_groups=2)
    assert (ids == np.arange(4)).all()


def test_choices_must_fit():
    with pytest.raises(ValueError, match="10 experts are in 4 groups, expected a multiple of them"):
        routed(np.zeros((1, 10), np.float32), None, 2, groups=4, top_groups=2)
    with pytest.raises(ValueError, match="5 experts are chosen of 2 groups of 2, expected no more than those"):
        routed(np.zeros((1, 8), np.float32), None, 5, groups=4, top_groups=2)


@pytest.mark.parametrize("options", [PLAIN, DEEPSEEK_V2, DEEPSEEK_V3])
def test_compiles_for_gpus(options):
    scores, bias = normal((5, 160), np.float32, 1), normal((160,), np.float32, 2)
    compile_for_gpus(lambda: routed(scores, bias, 6, **options))
