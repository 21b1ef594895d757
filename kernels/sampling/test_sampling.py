# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.gpu_code import compile_for_gpus
from kernels.sampling.bench import options
from kernels.sampling.kernel import sample
from kernels.sampling.reference import kept, reference
from kernels.work import normal

CHOICES = [
    dict(),
    dict(temperature=0.0),
    dict(top_k=0, top_p=1.0),
    dict(top_k=0),
    dict(top_p=1.0),
    dict(top_k=1, temperature=2.0),
    dict(top_p=0.0),
    dict(top_k=0, top_p=1.0, min_p=0.1),
    dict(top_k=7, top_p=0.99, min_p=0.01, temperature=1.5),
    dict(top_k=1 << 30, top_p=0.5, temperature=0.01),
]


def draw(logits, chunk=None, **chosen):
    out = np.full(len(logits), -1, np.int32)
    return sample(logits, out, chunk=chunk, **chosen)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("size", [1, 5, 100, 1024, 9000])
@pytest.mark.parametrize("choice", CHOICES)
def test_matches_reference(choice, size, dtype):
    """Logits of 16 bits often are equal, also where the cut is."""
    logits, chosen = normal((20, size), dtype, size, 3.0), options(20, **choice)
    reference(logits, **chosen).check(draw(logits, **chosen))


@pytest.mark.parametrize("top_k", [1, 3, 4, 9])
def test_of_equal_logits_the_first_are_kept(top_k):
    logits = np.zeros((500, 3000), np.float32)
    logits[:, [50, 2999, 7]] = 2, 1, 1
    chosen = options(500, top_k=top_k, top_p=1.0, temperature=100.0)
    drawn = draw(logits, chunk=1024, **chosen)
    assert set(drawn) == set(np.flatnonzero(kept(logits[0], 100.0, top_k, 1.0, 0.0)))
    reference(logits, **chosen).check(drawn)


def test_rows_have_options_of_their_own():
    logits, rows = normal((len(CHOICES), 700), np.float32, 5, 3.0), [options(1, **choice) for choice in CHOICES]
    chosen = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    reference(logits, **chosen).check(draw(logits, **chosen))


def test_draws_follow_the_probabilities():
    logits = np.repeat(np.log(np.array([[0.5, 0.3, 0.15, 0.05]], np.float32)), 4000, 0)
    chosen = options(4000, temperature=1.0, top_k=3, top_p=1.0)
    chosen["seeds"][:] = 7
    counts = np.bincount(draw(logits, **chosen), minlength=4) / 4000
    np.testing.assert_allclose(counts, [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0], atol=0.03)


def test_seed_and_step_decide():
    logits = np.repeat(normal((1, 5000), np.float32), 64, 0)
    chosen = options(64, top_k=0, top_p=1.0, temperature=1.0)
    first = draw(logits, **chosen)
    assert (draw(logits, **chosen) == first).all() and (draw(logits, chunk=512, **chosen) == first).all()
    assert len(set(first)) > 32
    chosen["seeds"][:] = -1
    by_step = draw(logits, **chosen)
    chosen["steps"][:] = 3
    assert len(set(by_step)) > 32 and len(set(draw(logits, **chosen))) == 1


@pytest.mark.parametrize("choice", CHOICES)
def test_tokens_that_are_ruled_out(choice):
    logits = np.full((30, 2500), -np.inf, np.float32)
    logits[:, [1200, 2400]] = -3, -2
    assert set(draw(logits, **options(30, **choice))) <= {1200, 2400}


def test_compiles_for_gpus():
    logits = normal((2, 9000), bfloat16)
    compile_for_gpus(lambda: draw(logits, chunk=2048, **options(2)))
