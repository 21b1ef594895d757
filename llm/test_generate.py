# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches, chunks and pages do not change a request's tokens."""

import numpy as np
import pytest

from llm import errors
from llm.generate import Request
from llm.init import init
from llm.models import Settings, open_model

PROMPTS = [list(range(5, 5 + length)) for length in (3, 33, 1, 16, 50)]
ARCHITECTURES = ("llama3", "deepseek-v2", "deepseek-v3")
IMPLEMENTATIONS = ("tilewright", "numpy")


@pytest.fixture(scope="module", params=ARCHITECTURES)
def folder(request, tmp_path_factory):
    return init(tmp_path_factory.mktemp(request.param), request.param, dtype="float32")


@pytest.fixture(params=IMPLEMENTATIONS)
def start(request, folder):
    """Opens the model with other settings."""
    return lambda **settings: open_model(folder, Settings(**({"default": request.param, "context": 128} | settings)))


def tokens_of(engine, requests):
    tokens = [[] for _ in requests]
    for token in engine.generate(requests):
        tokens[token.request].append(token.id)
    assert len(engine.cache.free) == engine.cache.pages
    return tokens


def alone(engine, requests):
    return [tokens_of(engine, [request])[0] for request in requests]


def test_a_batch_gives_the_tokens_of_each_request_alone(start):
    requests = [Request(prompt, max_tokens=12) for prompt in PROMPTS]
    engine = start(batch=8)
    assert tokens_of(engine, requests) == alone(engine, requests)


def test_more_requests_than_the_batch_and_the_cache_hold(start):
    requests = [Request(prompt, max_tokens=12) for prompt in PROMPTS]
    engine = start(batch=2, cache=80)
    assert tokens_of(engine, requests) == alone(start(), requests)


def test_chunks_of_a_prompt(start):
    requests = [Request(prompt, max_tokens=12) for prompt in PROMPTS]
    assert tokens_of(start(chunk=7), requests) == alone(start(), requests)


def test_pages_in_any_order(start):
    engine = start()
    expected = alone(engine, [Request(PROMPTS[4], max_tokens=12)])
    np.random.default_rng(0).shuffle(engine.cache.free)
    assert alone(engine, [Request(PROMPTS[4], max_tokens=12)]) == expected


def test_a_seed_decides_the_draws(start):
    def drawn(seed, **choice):
        requests = [Request(prompt, max_tokens=12, temperature=1.0, seed=seed, **choice) for prompt in PROMPTS[:2]]
        return tokens_of(start(), requests)

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    greedy = tokens_of(start(), [Request(prompt, max_tokens=12) for prompt in PROMPTS[:2]])
    assert drawn(1, top_k=1) == drawn(1, top_p=1e-6) == drawn(1, min_p=1.0) == greedy


def test_stop_and_length(start):
    engine = start()
    first = next(engine.generate([Request(PROMPTS[1], max_tokens=5)]))
    tokens = list(engine.generate([Request(PROMPTS[1], max_tokens=5, stop=(first.id,))]))
    assert [(token.id, token.last) for token in tokens] == [(first.id, "stop")]
    *_, last = engine.generate([Request(PROMPTS[1], max_tokens=5)])
    assert last.last == "length"


def test_ending_early_frees_the_cache(start):
    engine = start()
    stream = engine.generate([Request(PROMPTS[1], max_tokens=5)])
    next(stream)
    stream.close()
    assert len(engine.cache.free) == engine.cache.pages


def test_plain_and_absorbed_attention_agree(start):
    engine = start(logits=64)
    if engine.model.config.architecture != "deepseek":
        return
    plain = engine.logits(PROMPTS[4], [50])
    engine.model.plain = False
    np.testing.assert_allclose(engine.logits(PROMPTS[4], [50]), plain, atol=1e-4)


def refused(engine, kind, request, *texts):
    with pytest.raises(kind) as raised:
        list(engine.generate([request]))
    for text in texts:
        assert text in str(raised.value)


def test_prompts_that_do_not_fit(start):
    engine = start(cache=64)
    refused(engine, errors.PromptTooLong, Request([7] * 100, max_tokens=60), "100 tokens and 60", "at most 128")
    refused(engine, errors.CacheFull, Request([7] * 60, max_tokens=60), "120 tokens needs 2 pages, the cache has 1")
    refused(engine, errors.ModelError, Request([]), "no tokens")
    refused(engine, errors.ModelError, Request([512]), "token 512, expected ids below the model's 512")
