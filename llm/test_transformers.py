# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits and greedy tokens of both models equal those of `transformers` on the same random weights."""

from dataclasses import dataclass

import numpy as np
import pytest

from llm.generate import Request
from llm.init import init
from llm.models import Settings, open_model

torch = pytest.importorskip("torch", reason="compares with PyTorch, which ./dev test --peer installs")
transformers = pytest.importorskip(
    "transformers", reason="compares with transformers, which ./dev test --peer installs"
)

PROMPT, DECODED = 40, 64
GROUPED = {"n_group": 4, "topk_group": 2, "topk_method": "group_limited_greedy", "routed_scaling_factor": 16.0}
MODELS = {
    "llama3": ("llama3", {}),
    "llama3.2": ("llama3", {"tie_word_embeddings": True, "num_attention_heads": 8, "num_key_value_heads": 1}),
    # A context of 64 makes the scaled part of the angles count at the positions of the test.
    "llama3.1-scaled": ("llama3", {"rope_scaling": {"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                                   "original_max_position_embeddings": 64, "rope_type": "llama3"}}),
    "deepseek-v2-lite": ("deepseek-v2", {}),
    "deepseek-v2": ("deepseek-v2", {"q_lora_rank": 48, **GROUPED}),
    "deepseek-v3": ("deepseek-v3", {}),
    "deepseek-v3-yarn": ("deepseek-v3", {"q_lora_rank": None, "rope_scaling": {
        "beta_fast": 32, "beta_slow": 1, "factor": 4, "mscale": 1.0, "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 32, "type": "yarn"}}),
}  # fmt: skip
IMPLEMENTATIONS = ("tilewright", "numpy")


@dataclass
class Reference:
    folder: object
    model: object  # in f32
    ids: list  # a prompt and the greedy tokens after it, so that both sides see the same
    logits: np.ndarray


@pytest.fixture(scope="module", params=MODELS)
def reference(request, tmp_path_factory):
    arch, changes = MODELS[request.param]
    folder = init(tmp_path_factory.mktemp(request.param), arch, dtype="float32", changes=changes)
    model = theirs(folder, torch.float32)
    prompt = torch.from_numpy(np.random.default_rng(1).integers(5, 512, (1, PROMPT)))
    with torch.no_grad():
        ids = model.generate(prompt, max_new_tokens=DECODED, do_sample=False, eos_token_id=None)[0].tolist()
    return Reference(folder, model, ids, logits_of(model, ids))


def theirs(folder, dtype):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager")
    return model.eval()


def ours(folder, implementation, dtype="float32"):
    settings = Settings(default=implementation, dtype=dtype, batch=2, chunk=64, context=256, logits=64)
    return open_model(folder, settings)


def logits_of(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].float().numpy()


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_f32_logits_of_prefill_and_decode(reference, implementation):
    found = ours(reference.folder, implementation).logits(reference.ids, [PROMPT] + [1] * DECODED)
    np.testing.assert_allclose(found, reference.logits, rtol=0, atol=1e-4)


def their_choices(model, ids):
    """Logits, and the experts of all layers that each token chooses, [T, layers k]."""
    choices = [np.empty((len(ids), 0), np.int64)]
    gates = [module for name, module in model.named_modules() if name.endswith("mlp.gate")]
    keep = lambda module, inputs, outputs: choices.append(np.sort(outputs[2].numpy(), axis=1))  # noqa: E731
    hooks = [gate.register_forward_hook(keep) for gate in gates]
    logits = logits_of(model, ids)
    for hook in hooks:
        hook.remove()
    return logits, np.concatenate(choices, axis=1)


def our_choices(engine, ids, sizes):
    """The same of ours."""
    steps, route = [], engine.model.ops.route

    def keep(scores, bias, weights, chosen, **options):
        route(scores, bias, weights, chosen, **options)
        steps.append(np.sort(chosen, axis=1))

    engine.model.ops.route = keep
    logits = engine.logits(ids, sizes)
    layers = len(steps) // len(sizes)
    by_step = [np.concatenate(steps[i : i + layers], axis=1) for i in range(0, len(steps), layers or 1)]
    return logits, np.concatenate(by_step) if by_step else np.empty((len(ids), 0), np.int64)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_bf16_logits_are_as_near_as_those_of_the_reference(reference, implementation):
    ids = reference.ids
    rounded = theirs(reference.folder, torch.bfloat16)
    allowed, their_experts = their_choices(rounded, ids)
    expected, experts = their_choices(rounded.to(torch.float32), ids)
    engine = ours(reference.folder, implementation, "bfloat16")
    found, our_experts = our_choices(engine, ids, [PROMPT] + [1] * DECODED)
    # Where two experts are nearly as good, rounding decides, on either side and for different tokens.
    same = (our_experts == experts).all(1) & (their_experts == experts).all(1)
    assert same.sum() >= 0.95 * len(ids)
    found, allowed = np.abs(found - expected)[same], np.abs(allowed - expected)[same]
    assert np.sqrt((found**2).mean()) <= 1.5 * np.sqrt((allowed**2).mean())
    assert found.max() <= 1.5 * allowed.max()


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_greedy_tokens(reference, implementation):
    request = Request(reference.ids[:PROMPT], max_tokens=DECODED)
    found = [token.id for token in ours(reference.folder, implementation).generate([request])]
    best = np.sort(reference.logits[PROMPT - 1 : -1], axis=1)
    unsure = np.flatnonzero(best[:, -1] - best[:, -2] < 1e-3)
    sure = unsure[0] if len(unsure) else DECODED
    assert found[:sure] == reference.ids[PROMPT:][:sure]
