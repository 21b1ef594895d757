# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of steps.py by `transformers`: each of its ways of attention and of experts, eager and through
torch.compile; the fastest one counts. Prompts are computed without a cache, tokens with a static one; on GPUs single
tokens are graphs. In place of weights in float8, whose kernels are no part of it, it has random ones of the model's
type."""

import functools

from ..errors import MissingPackage, ModelError
from ..graphs import record
from .steps import seconds_of

ATTENTION = ("sdpa", "flex_attention", "eager")
EXPERTS = ("grouped_mm", "batched_mm")
FEW = 8  # tokens up to which batched_mm, which copies the matrices of each, may be faster
ROOM = 16  # tokens of the cache beyond those that are used


def packages():
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingPackage(f"--peer needs the package {error.name}, which is not installed") from None
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


@functools.lru_cache(maxsize=1)
def load(folder, dtype, place):
    torch, transformers = packages()
    config, kind = transformers.AutoConfig.from_pretrained(folder), {"dtype": getattr(torch, dtype)}
    if not hasattr(config, "quantization_config"):
        return transformers.AutoModelForCausalLM.from_pretrained(folder, **kind).to(place).eval()
    del config.quantization_config
    with torch.device(place):
        return transformers.AutoModelForCausalLM.from_config(config, **kind).eval()


def ways(model, case, place):
    """Pairs of an attention and a way of experts, which is None for models that have none. Flex attention is for GPUs:
    on CPUs it takes minutes to compile."""
    attentions = [name for name in ATTENTION if place != "cpu" or name != "flex_attention"]
    if not hasattr(model.config, "n_routed_experts"):
        return [(attention, None) for attention in attentions]
    few = case.requests * case.tokens <= FEW
    return [(attention, experts) for attention in attentions for experts in (EXPERTS if few else EXPERTS[:1])]


def cached_row(config):
    """Heads and sizes of what a token has in the cache: DeepSeek's has the latent, and the rotated key."""
    if getattr(config, "kv_lora_rank", None):
        return 1, config.kv_lora_rank, config.qk_rope_head_dim
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return config.num_key_value_heads, size, size


def static_cache(model, case, place):
    """A cache of random numbers, and a function that puts its end back after a token."""
    torch, transformers = packages()
    cache = transformers.StaticCache(config=model.config, max_cache_len=case.cached + ROOM)
    heads, *sizes = cached_row(model.config)
    rows = [torch.empty((case.requests, heads, 0, size), dtype=model.dtype, device=place) for size in sizes]
    for layer in cache.layers:
        layer.lazy_initialization(*rows)
        layer.keys.normal_()
        layer.values.normal_()

    def reset():
        for layer in cache.layers:
            layer.cumulative_length.fill_(case.cached)

    return cache, reset


def prefill(model, case, place, forward):
    torch, _ = packages()
    ids = torch.randint(model.config.vocab_size, (case.requests, case.tokens), device=place)
    return lambda: forward(input_ids=ids, use_cache=False, logits_to_keep=1)


def decode(model, case, place, forward):
    torch, _ = packages()
    ids = torch.randint(model.config.vocab_size, (case.requests, 1), device=place)
    positions = torch.full((case.requests, 1), case.cached, device=place)
    cache, reset = static_cache(model, case, place)

    def run():
        reset()
        forward(input_ids=ids, position_ids=positions, past_key_values=cache, use_cache=True)

    if place == "cpu":
        return run
    for _ in range(2):
        run()
    graph, _ = record(torch, run)
    return graph.replay


def seconds_by(model, case, arrays, roofline, attention, experts, compiled):
    torch, _ = packages()
    model.set_attn_implementation(attention)
    if experts:
        model.set_experts_implementation(experts)
    with torch.inference_mode():
        torch.compiler.reset()
        forward = torch.compile(model.forward, dynamic=False) if compiled else model.forward
        run = (prefill if case.tokens > 1 else decode)(model, case, arrays.name, forward)
        return seconds_of(run, arrays, roofline)


def measure_theirs(folder, case, arrays, dtype, roofline):
    """Seconds of the fastest way, the roofline beside it, and its name; a way that fails is left out."""
    model, found, failures = load(folder, dtype, arrays.name), [], []
    for attention, experts in ways(model, case, arrays.name):
        for compiled in (True, False):
            name = " ".join(filter(None, (attention, experts, "compiled" if compiled else None)))
            try:
                found.append((*seconds_by(model, case, arrays, roofline, attention, experts, compiled), name))
            except Exception as problem:  # of a library, whose ways do not all exist on every device
                failures.append(f"{name}: {type(problem).__name__}: {str(problem).partition(chr(10))[0]}")
    if not found:
        raise ModelError(f"transformers ran {case.name} in no way: {'; '.join(failures)}")
    return min(found, key=lambda way: way[0])
