# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models on a GPU, in chunks, batches and graphs, give the tokens that NumPy gives."""

import numpy as np
import pytest

from llm import errors
from llm.generate import Request
from llm.init import init
from llm.models import Settings, open_model
from llm.ops import load

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
    if form == "fp8":
        # Sums of products of f8 differ by more than the scores of some experts: each token has all of them.
        changes |= {"num_experts_per_tok": 8, "topk_group": 4}
    folder = init(tmp_path_factory.mktemp(arch), arch, dtype="float32", changes=changes)

    def opened(device, implementation, dtype="float32"):
        settings = Settings(device=device, default=implementation, dtype=dtype, weights=form, context=128, batch=4,
                            chunk=64, logits=64)  # fmt: skip
        return open_model(folder, settings)

    opened.form = form
    return opened


def find_or_skip(implementation):
    try:
        load(implementation, "cuda")
    except errors.MissingPackage as error:
        pytest.skip(str(error))


def agreeing(found, expected):
    """How many tokens of each request agree before the first that does not."""
    counts = []
    for number in range(len(REQUESTS)):
        a, b = ([token.id for token in tokens if token.request == number] for tokens in (found, expected))
        assert len(a) == len(b)
        counts.append(next((place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a)))
    return counts


# Of the root of the mean square of logits: the largest difference, and the root of the mean square of differences.
# Products of f32 are rounded to tf32 on tensor cores. Sums of products of f8 have 14 bits there, so that a few numbers
# of the next product's operand are rounded otherwise; within three products that grows to the size of the rounding.
ALLOWED = {"fp8": (0.3, 0.06)}
ALLOWED_OF_OTHERS = 2e-2, 1e-2


@pytest.mark.parametrize("implementation", ["tilewright", "torch", "triton", "simt", "pallas"])
def test_logits(model, implementation):
    find_or_skip(implementation)
    ids = np.random.default_rng(1).integers(5, 512, 60).tolist()
    expected = model("cpu", "numpy").logits(ids, [40] + [1] * 20)
    found = model("cuda", implementation).logits(ids, [40] + [1] * 20)
    differences = np.abs(found - expected) / np.sqrt((expected**2).mean())
    largest, mean = ALLOWED.get(model.form, ALLOWED_OF_OTHERS)
    assert differences.max() <= largest
    assert np.sqrt((differences**2).mean()) <= mean


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
