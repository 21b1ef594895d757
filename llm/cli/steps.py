# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm bench --steps: the time of one pass through a model, with a cache that is full already.

A prompt of N tokens, and a token each of R requests with C tokens in the cache, whose keys and values are random
numbers. On GPUs passes of single tokens are played back as graphs, as `generate` does it. Each time stands beside the
time in which the device reads the bytes of the pass once, or does its operations, both at the rates measured here.
"""

import gc
import math
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import NUMPY
from ..config import read_config
from ..generate import Request, Running
from ..graphs import record
from ..models import architecture
from ..random_weights import Numbers
from ..step import Step
from ..weights import bytes_needed
from . import options as shared
from .roofline import measure, timed, timed_beside_reads

RUN = 20  # passes between two readings of the clock on a GPU, which hide the launch of all but the first


@dataclass(frozen=True)
class Case:
    """`tokens` new ones of each of `requests`, which have `cached` before."""

    name: str
    requests: int
    tokens: int
    cached: int


def cases(options):
    chosen = [Case(f"prefill {tokens}", 1, tokens, 0) for tokens in options.prefill]
    for requests in options.decode:
        chosen.append(Case(f"decode {requests} x {options.cached}", requests, 1, options.cached))
    return chosen


def fill(engine):
    """Random numbers in all pages of the cache: the same ones in every page, another set for each array."""
    numbers = Numbers(7)
    for number, arrays in enumerate(engine.cache.layers):
        for place, pages in enumerate(arrays):
            page = numbers.draw(f"{number}.{place}", tuple(pages.shape[1:]), NUMPY[engine.dtype])
            pages[...] = engine.arrays.put(page)


def inputs_of(engine, case):
    """Arrays of a Step in NumPy, and [(request, tokens)], whose pages have to be given back."""
    numbers, vocabulary = np.random.default_rng(0), engine.model.config.vocabulary
    states = []
    for number in range(case.requests):
        ids = numbers.integers(0, vocabulary, case.cached + case.tokens).tolist()
        pages = engine.cache.take(len(ids))
        states.append(Running(number, Request(ids), pages, ids, case.cached))
    chosen = [(state, case.tokens) for state in states]
    inputs = engine.inputs(chosen)
    inputs["rows"] = inputs["starts"][1:] - 1
    return inputs, chosen


def pass_of(engine, case):
    """A function of one pass, with its arrays on the device."""
    inputs, chosen = inputs_of(engine, case)
    step = Step(**{name: engine.arrays.put(array) for name, array in inputs.items()}, fresh=engine.fresh(chosen))
    for state, _ in chosen:
        engine.cache.give_back(state.pages)

    def run():
        engine.model.forward(step, engine.cache)

    if not engine.graphs or case.tokens > 1:
        return run
    graph, _ = record(engine.arrays.torch, run)
    return graph.replay


def seconds_of(call, arrays, roofline):
    """The time of a pass, and the roofline beside it."""
    if arrays.name == "cpu":
        seconds, rate = timed_beside_reads(call, arrays)
        return seconds, replace(roofline, bandwidth=rate)

    def several():
        for _ in range(RUN):
            call()

    return timed(several, arrays) / RUN, roofline


def weight_bytes(config, form, dtype, tokens):
    """Bytes of weights that a pass of so many tokens reads: no embedding but its rows, and the experts of the tokens,
    of which each chooses at random."""
    module = architecture(config)[0]
    shapes = {name: shape for name, shape in module.tensors(config).items() if not name.startswith("model.embed_")}
    experts = {name: shape for name, shape in shapes.items() if ".experts." in name}
    others = {name: shape for name, shape in shapes.items() if name not in experts}
    if config.tied:
        others["lm_head.weight"] = (config.vocabulary, config.hidden)
    total = bytes_needed(others, form, dtype)
    if experts:
        hit = 1 - (1 - config.experts_per_token / config.experts) ** tokens
        total += bytes_needed(experts, form, dtype) * hit
    return total


def floor_of(config, case, roofline, form, dtype):
    """Seconds in which the device can read the weights and the cache, or multiply: the larger of the two."""
    tokens = case.requests * case.tokens
    item = NUMPY[dtype].itemsize
    shapes = architecture(config)[0].cache_shapes(config)
    cached = config.layers * case.requests * case.cached * item * sum(map(math.prod, shapes))
    read = weight_bytes(config, form, dtype, tokens) + cached
    per_token = weight_bytes(config, "dense", "float16", 1) - 2 * config.vocabulary * config.hidden  # two of a weight
    flops = tokens * per_token + 2.0 * case.requests * config.vocabulary * config.hidden
    return max(read / roofline.bandwidth, flops / roofline.flops)


def row(name, case, implementation, seconds, floor):
    return {
        "model": name,
        "case": case.name,
        "implementation": implementation,
        "seconds": seconds,
        "tokens_per_second": case.requests * case.tokens / seconds,
        "roofline": floor / seconds,
    }


def measure_ours(folder, options, chosen, roofline):
    """A row per case. The engine, which holds the weights, is gone afterwards."""
    config = read_config(folder)
    most = max(case.requests for case in chosen)
    context = max(case.cached + case.tokens for case in chosen)
    total = max(case.requests * (case.cached + case.tokens + 64) for case in chosen)
    chunk = max(case.requests * case.tokens for case in chosen)
    settings = shared.settings(options, batch=most, context=context, cache=total, logits=most)
    engine, _ = shared.load(folder, replace(settings, chunk=chunk))
    fill(engine)
    rows = []
    for case in chosen:
        seconds, measured = seconds_of(pass_of(engine, case), engine.arrays, roofline)
        floor = floor_of(config, case, measured, engine.form, engine.dtype)
        rows.append(row(folder.name, case, options.impl, seconds, floor))
    return rows


def measure_steps(folder, options):
    from .. import arrays as memory

    chosen = cases(options)
    config = read_config(folder)
    dtype = options.dtype or config.dtype
    arrays = memory.device(options.device)
    roofline = measure(arrays, dtype)
    rows = measure_ours(folder, options, chosen, roofline)
    gc.collect()
    if options.peer:
        from .transformers_steps import measure_theirs

        for case in chosen:
            seconds, measured, way = measure_theirs(folder, case, arrays, dtype, roofline)
            floor = floor_of(config, case, measured, "dense", dtype)
            rows.append(row(folder.name, case, f"transformers, {way}", seconds, floor))
    return rows
