# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes of steps.py by `transformers`: each of its ways of attention, eager and through torch.compile; the fastest
one counts. Prompts are computed without a cache, tokens with a static one; on GPUs single tokens are graphs."""

import functools

from ..errors import MissingPackage, ModelError
from ..graphs import record
from .steps import seconds_of

WAYS = ("sdpa", "flex_attention", "eager")
ROOM = 16  # tokens of the cache beyond those that are used


def packages():
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingPackage(f"--peer needs the package {error.name}, which is not installed") from None
    transformers.utils.logging.disable_progress_bar()
    return torch, transformers


@functools.lru_cache(maxsize=1)  # of large models there is room for one
def load(folder, way, dtype, place):
    torch, transformers = packages()
    options = {"dtype": getattr(torch, dtype), "attn_implementation": way}
    return transformers.AutoModelForCausalLM.from_pretrained(folder, **options).to(place).eval()


def static_cache(model, case, place):
    """A cache of random numbers, and a function that puts its end back after a token."""
    torch, transformers = packages()
    config = model.config
    cache = transformers.StaticCache(config=config, max_cache_len=case.cached + ROOM)
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    cache.early_initialization(case.requests, config.num_key_value_heads, head, model.dtype, torch.device(place))
    for layer in cache.layers:
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


def measure_theirs(folder, case, arrays, dtype):
    """Seconds of the fastest way, and its name; a way that fails is left out."""
    torch, _ = packages()
    best, failures = None, []
    for way in WAYS:
        for compiled in (True, False):
            name = f"{way}{' compiled' if compiled else ''}"
            try:
                with torch.inference_mode():
                    model = load(folder, way, dtype, arrays.name)
                    torch.compiler.reset()
                    forward = torch.compile(model.forward, dynamic=False) if compiled else model.forward
                    call = (prefill if case.tokens > 1 else decode)(model, case, arrays.name, forward)
                    seconds = seconds_of(call, arrays)
            except Exception as problem:  # of a library, whose ways do not all exist on every device
                failures.append(f"{name}: {type(problem).__name__}: {str(problem).partition(chr(10))[0]}")
                continue
            best = min(best or (seconds, name), (seconds, name))
    if not best:
        raise ModelError(f"transformers ran {case.name} in no way: {'; '.join(failures)}")
    return best
