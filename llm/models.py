# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model folder as a running model: everything is checked, memory included, before weights are read."""

import importlib
from dataclasses import dataclass
from pathlib import Path

from . import arrays as memory
from .cache import PAGE, PagedCache
from .checkpoint import Checkpoint
from .config import read_config
from .errors import PromptTooLong
from .generate import Engine
from .ops import Ops
from .step import Buffers
from .weights import Loader, check_memory

MODULES = {"llama": "Llama", "deepseek": "Deepseek"}


def architecture(config):
    """The module of a configuration's architecture, and its class of models."""
    module = importlib.import_module(f".{config.architecture}", __package__)
    return module, getattr(module, MODULES[config.architecture])


@dataclass
class Settings:
    """How a model runs. `context` None is what the model was trained for, at most 4096 tokens."""

    device: str = "cpu"
    weights: str | None = None  # a form of weights.FORMS; None as the checkpoint has them
    dtype: str | None = None
    ops: dict | None = None  # operation -> implementation
    default: str = "tilewright"
    batch: int = 8  # requests that run together
    chunk: int = 512  # tokens of a step
    context: int | None = None  # tokens of a request
    cache: int | None = None  # tokens of all requests together; None is batch * context
    logits: int | None = None  # rows of logits that a step may ask for; None is batch


def resolve_context(config, wanted):
    if wanted is None:
        return min(config.context, 4096)
    if wanted > config.context:
        raise PromptTooLong(f"a context of {wanted} tokens is asked for, the model has {config.context}; use fewer")
    return wanted


def open_model(folder, settings=None, progress=None) -> Engine:
    """The engine of the model in a folder. `progress(bytes read, bytes of all)` hears of the loading."""
    settings = settings or Settings()
    config = read_config(folder)
    module, model = architecture(config)
    arrays = memory.device(settings.device)
    ops = Ops(settings.ops, default=settings.default, device=settings.device)
    shapes = module.tensors(config)
    checkpoint = Checkpoint(Path(folder))
    checkpoint.check(shapes)

    dtype = settings.dtype or config.dtype
    form = settings.weights or ("fp8" if getattr(config, "fp8_block", None) else "dense")
    context = resolve_context(config, settings.context)
    tokens = settings.cache or settings.batch * context
    token_shapes, pages = module.cache_shapes(config), -(-tokens // PAGE)
    cache_bytes = PagedCache.bytes(config.layers, token_shapes, pages, memory.NUMPY[dtype].itemsize)
    rows, results = max(settings.chunk, settings.batch), max(settings.logits or 0, settings.batch)
    buffers = Buffers.bytes(rows, module.step_rows(config, dtype))
    buffers += Buffers.bytes(results, module.result_rows(config, dtype))
    check_memory(arrays, shapes, form, dtype, cache_bytes, buffers)

    total = sum(checkpoint.tensors[name].size for name in shapes)
    done = 0

    def advance(size):
        nonlocal done
        done += size
        if progress:
            progress(done, total)

    load = Loader(checkpoint, arrays, dtype, form, advance)
    running = model(config, load, ops, tokens=rows, results=results, context=context)
    cache = PagedCache(arrays, config.layers, token_shapes, pages, dtype)
    engine = Engine(running, cache, batch=settings.batch, chunk=rows, context=context)
    engine.dtype, engine.form = dtype, form
    return engine
