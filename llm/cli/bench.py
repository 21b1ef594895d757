# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm bench: prefill and decode of whole models, by default tiny ones written for the purpose, or single
passes through them (--steps)."""

import itertools
import json
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from ..config import read_config
from ..errors import ModelError
from ..generate import Request
from ..init import init
from ..models import architecture
from ..weights import bytes_needed
from . import options as shared
from .table import print_table

LIMIT = 5e-3  # seconds that a token of a tiny model should take at most on a CPU


def add_options(command):
    command.add_argument("models", type=Path, nargs="*", metavar="MODEL", help="folders; default: tiny models")
    command.add_argument("--prompt-tokens", type=int, default=128, metavar="N")
    command.add_argument("--max-tokens", type=int, default=64, metavar="N")
    command.add_argument("--batch", type=int, default=1, metavar="N", help="requests that run together (default 1)")
    command.add_argument("--steps", action="store_true", help="measure single passes, with a full cache")
    command.add_argument("--prefill", type=int, nargs="*", default=[512], metavar="N",
                         help="with --steps: tokens of prompts (default 512)")  # fmt: skip
    command.add_argument("--decode", type=int, nargs="*", default=[1], metavar="R",
                         help="with --steps: requests that get a token each (default 1)")  # fmt: skip
    command.add_argument("--cached", type=int, default=512, metavar="C",
                         help="with --steps: tokens in the cache of each request (default 512)")  # fmt: skip
    command.add_argument("--peer", action="store_true", help="with --steps: measure transformers as well")
    shared.add_running(command)


def measure(folder, options) -> dict:
    config = read_config(folder)
    context = options.context or options.prompt_tokens + options.max_tokens
    engine, load = shared.load(folder, shared.settings(options, batch=options.batch, context=context))
    numbers = np.random.default_rng(0)
    prompts = numbers.integers(0, config.vocabulary, (options.batch, options.prompt_tokens)).tolist()
    requests = [Request(prompt, max_tokens=options.max_tokens) for prompt in prompts]
    for _ in engine.generate(requests):  # compiles the kernels, or loads them
        pass
    start = time.perf_counter()
    times = []
    for token in engine.generate(requests):
        if token.request == 0:
            times.append(time.perf_counter())
    steps = [after - before for before, after in itertools.pairwise(times)]
    form = engine.form
    return {
        "model": folder.name,
        "device": options.device,
        "implementation": options.impl,
        "batch": options.batch,
        "weights_bytes": bytes_needed(architecture(config)[0].tensors(config), form, engine.dtype),
        "load_seconds": load,
        "prefill_seconds": times[0] - start,
        "prefill_tokens_per_second": options.batch * options.prompt_tokens / (times[0] - start),
        "decode_seconds": median(steps),
        "decode_tokens_per_second": options.batch / median(steps),
    }


def run(options):
    if options.steps:
        return run_steps(options)
    if options.models:
        rows = [measure(folder, options) for folder in options.models]
    else:
        with tempfile.TemporaryDirectory() as scratch:
            archs = ("llama3", "deepseek-v2", "deepseek-v3")
            folders = [init(Path(scratch) / f"tiny-{arch}", arch) for arch in archs]
            rows = [measure(folder, options) for folder in folders]
        for row in rows:
            row["limit_seconds"] = LIMIT
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        show(rows)
    return 0


def run_steps(options):
    from .steps import measure_steps

    if not options.models:
        raise ModelError("--steps has no model, expected its folder; tilewright-llm init --size layer DIR makes one")
    rows = [row for folder in options.models for row in measure_steps(folder, options)]
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        show_steps(rows)
    return 0


def show_steps(rows):
    caption = "of roofline: the time to read weights and cache once, or to multiply, at rates measured here"
    lines = [
        (
            row["model"],
            row["case"],
            row["implementation"],
            f"{row['seconds'] * 1e3:.3f} ms",
            f"{row['tokens_per_second']:.0f}",
            f"{row['roofline']:.2f}",
        )
        for row in rows
    ]
    print_table(("model", "step", "implementation"), ("time", "tokens/s", "of roofline"), lines, caption)


def show(rows):
    lines = [
        (
            row["model"],
            f"{row['weights_bytes'] / 1e6:.1f} MB",
            f"{row['load_seconds']:.2f} s",
            f"{row['prefill_seconds'] * 1e3:.1f} ms",
            f"{row['prefill_tokens_per_second']:.0f}",
            f"{row['decode_seconds'] * 1e3:.2f} ms",
            f"{row['decode_tokens_per_second']:.0f}",
            f"{row['limit_seconds'] * 1e3:.0f} ms" if "limit_seconds" in row else "",
        )
        for row in rows
    ]
    print_table(("model",), ("weights", "load", "prefill", "tokens/s", "a token", "tokens/s", "limit"), lines)
