# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm chat MODEL: lines from the terminal, answers streamed; an empty line or the end of input ends it."""

import json
import sys
from pathlib import Path

from ..config import read_config
from ..generate import Request
from ..models import resolve_context
from ..tokenizer import Tokenizer
from . import options as shared


def add_options(command):
    command.add_argument("model", type=Path, metavar="MODEL", help="the folder of a model")
    command.add_argument("--system", metavar="TEXT", help="a message before the first one")
    shared.add_sampling(command)
    shared.add_running(command)


def lines():
    """Lines of the user, with a prompt sign on a terminal."""
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "")
        except EOFError:
            return
        if not line.strip():
            return
        yield line


def answer(engine, tokenizer, messages, choice, shown):
    """The text that follows the messages, printed as it comes."""
    text, add = "", tokenizer.stream()
    for token in engine.generate([Request(tokenizer.chat(messages), **choice)]):
        if token.last != "stop":
            piece = add(token.id)
            text += piece
            if shown:
                print(piece, end="", flush=True)
    return text


def run(options):
    config = read_config(options.model)
    tokenizer = Tokenizer(options.model)
    tokenizer.check(config)
    choice = shared.sampling(options, config)
    running = shared.settings(options, batch=1, context=resolve_context(config, options.context))
    engine, _ = shared.load(options.model, running)
    messages = [{"role": "system", "content": options.system}] if options.system else []
    for line in lines():
        messages.append({"role": "user", "content": line})
        text = answer(engine, tokenizer, messages, choice, not options.json)
        messages.append({"role": "assistant", "content": text})
        print(json.dumps(messages[-1]) if options.json else "", flush=True)
