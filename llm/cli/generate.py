# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm generate MODEL --prompt TEXT: one prompt is streamed, several run as a batch."""

import json
import sys
import time
from pathlib import Path

from ..config import read_config
from ..generate import Request
from ..models import resolve_context
from ..tokenizer import Tokenizer
from . import options as shared


def add_options(command):
    command.add_argument("model", type=Path, metavar="MODEL", help="the folder of a model")
    command.add_argument("--prompt", action="append", metavar="TEXT",
                         help="may be repeated, for a batch; default: standard input")  # fmt: skip
    command.add_argument("--chat", action="store_true", help="put each prompt into the chat template")
    shared.add_sampling(command)
    shared.add_running(command)


def encode(tokenizer, text, chat):
    return tokenizer.chat([{"role": "user", "content": text}]) if chat else tokenizer.encode(text)


def run(options):
    config = read_config(options.model)
    tokenizer = Tokenizer(options.model)
    tokenizer.check(config)
    prompts = options.prompt or [sys.stdin.read()]
    choice = shared.sampling(options, config)
    requests = [Request(encode(tokenizer, prompt, options.chat), **choice) for prompt in prompts]
    longest = max(len(request.ids) for request in requests) + options.max_tokens
    context = resolve_context(config, options.context or min(longest, config.context))
    running = shared.settings(options, batch=len(requests), context=context)
    engine, load_seconds = shared.load(options.model, running)

    shown = len(prompts) == 1 and not options.json
    if shown:
        print(prompts[0], end="", flush=True)
    texts, times, ends = collect(engine, requests, tokenizer, shown)
    if options.json:
        print(json.dumps(report(options, requests, prompts, texts, times, ends, load_seconds), indent=2))
    elif shown:
        print()
    else:
        for prompt, text in zip(prompts, texts, strict=True):
            print(f"{prompt}{text}\n")


def collect(engine, requests, tokenizer, shown):
    """The text of each request, the times of all tokens, and why each ended."""
    streams = [tokenizer.stream() for _ in requests]
    texts, ends, times = [""] * len(requests), [None] * len(requests), [time.perf_counter()]
    for token in engine.generate(requests):
        times.append(time.perf_counter())
        ends[token.request] = token.last
        if token.last != "stop":
            piece = streams[token.request](token.id)
            texts[token.request] += piece
            if shown:
                print(piece, end="", flush=True)
    return texts, times, ends


def report(options, requests, prompts, texts, times, ends, load_seconds):
    after = len(times) - 2
    return {
        "model": str(options.model),
        "device": options.device,
        "requests": [
            {"prompt": prompt, "prompt_tokens": len(request.ids), "text": text, "end": end}
            for prompt, request, text, end in zip(prompts, requests, texts, ends, strict=True)
        ],
        "tokens": len(times) - 1,
        "load_seconds": load_seconds,
        "first_token_seconds": times[1] - times[0],
        "seconds_per_token": (times[-1] - times[1]) / after if after else None,
    }
