# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models on a GPU, in chunks, batches and graphs, give the tokens that NumPy gives."""

import numpy as np
import pytest

from llm.generate import Request
from llm.init import init
from llm.models import Settings, open_model

torch = pytest.importorskip("torch", reason="runs on PyTorch's tensors")
if not torch.cuda.is_available():
    pytest.skip("runs on a GPU, and there is none", allow_module_level=True)

CASES = [
    ("llama3", "dense"),
    ("llama3", "int8"),
    ("llama3", "int4"),
    ("deepseek-v2", "dense"),
    ("deepseek-v3", "dense"),
    ("deepseek-v3", "fp8"),
]
REQUESTS = [
    Request(list(range(5, 5 + length)), max_tokens=12, temperature=temperature, seed=length)
    for length, temperature in ((3, 0), (33, 0.7), (90, 0), (1, 1.0))
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case))
def model(request, tmp_path_factory):
    arch, form = request.param
    changes = {} if arch == "llama3" else {"moe_intermediate_size": 128}
    folder = init(tmp_path_factory.mktemp(arch), arch, dtype="float32", changes=changes)

    def opened(device, implementation, dtype="float32"):
        settings = Settings(device=device, default=implementation, dtype=dtype, weights=form, context=128, batch=4,
                            chunk=64, logits=64)  # fmt: skip
        return open_model(folder, settings)

    return opened


def agreeing(found, expected):
    """How many tokens of each request agree before the first that does not."""
    counts = []
    for number in range(len(REQUESTS)):
        a, b = ([token.id for token in tokens if token.request == number] for tokens in (found, expected))
        assert len(a) == len(b)
        counts.append(next((place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a)))
    return counts


@pytest.mark.parametrize("implementation", ["tilewright", "torch"])
def test_logits(model, implementation):
    """Products of f32 are rounded to tf32 on tensor cores, products of f8 are the same."""
    ids = np.random.default_rng(1).integers(5, 512, 60).tolist()
    expected = model("cpu", "numpy").logits(ids, [40] + [1] * 20)
    found = model("cuda", implementation).logits(ids, [40] + [1] * 20)
    scale = np.sqrt((expected**2).mean())
    assert np.abs(found - expected).max() <= 2e-2 * scale


def test_batches_give_the_tokens_of_requests_alone(model):
    engine = model("cuda", "tilewright")
    together = list(engine.generate(REQUESTS))
    assert engine.graphs.graphs
    alone = []
    for number, request in enumerate(REQUESTS):
        alone += [type(token)(number, token.id, token.last) for token in engine.generate([request])]
    # Sums are formed in another order for more rows, so a tie may end otherwise.
    assert sum(agreeing(together, alone)) >= 0.8 * len(alone)


def test_sampling_repeats_with_its_seed(model):
    engine = model("cuda", "tilewright", "bfloat16")
    first, second = (list(engine.generate(REQUESTS)) for _ in range(2))
    assert first == second
