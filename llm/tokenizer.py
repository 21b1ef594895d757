# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text to tokens and back by `tokenizers`, and chat templates by jinja2 in its sandbox."""

import datetime
import json
from pathlib import Path

from .config import read_json
from .errors import BadTemplate, MissingFile, MissingPackage, TokenizerMismatch

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"  # decoded from a part of a character


def content(token):
    """tokenizer_config.json has special tokens as text, or as an object around it."""
    return token.get("content") if isinstance(token, dict) else token


class Tokenizer:
    """tokenizer.json of a model folder, with the special tokens and the chat template of its configuration."""

    def __init__(self, folder):
        try:
            import tokenizers
        except ImportError:
            raise MissingPackage("text needs the package tokenizers; pip install 'tilewright[llm]'") from None
        self.path = Path(folder) / "tokenizer.json"
        if not self.path.exists():
            raise MissingFile(f"{self.path} does not exist; take it from the model as published")
        try:
            self.model = tokenizers.Tokenizer.from_file(str(self.path))
        except Exception as error:  # the class that tokenizers raises
            raise TokenizerMismatch(f"{self.path} cannot be read ({error}); download it again") from None
        path = self.path.with_name("tokenizer_config.json")
        self.settings = read_json(path) if path.exists() else {}
        template = self.path.with_name("chat_template.jinja")
        self.template = template.read_text() if template.exists() else self.settings.get("chat_template")

    def check(self, config):
        """Raises unless every token of the tokenizer, and the special ones of the model, exist on both sides."""
        size = self.model.get_vocab_size()
        if size > config.vocabulary:
            raise TokenizerMismatch(
                f"{self.path} has {size} tokens, expected at most the model's {config.vocabulary}; take both from the"
                " same model"
            )
        for token in (config.bos, *config.eos):
            if token is not None and self.model.id_to_token(token) is None:
                raise TokenizerMismatch(
                    f"{self.path} has no token {token}, expected by config.json as one that begins or ends a text;"
                    " take both from the same model"
                )

    def encode(self, text, special=True) -> list[int]:
        """`special` adds the token that begins a text; a chat template has it already."""
        return self.model.encode(text, add_special_tokens=special).ids

    def decode(self, ids) -> str:
        return self.model.decode(list(ids), skip_special_tokens=True)

    def stream(self):
        """A function from the next id to the text that it completes, empty in the middle of a character."""
        ids, shown = [], 0

        def add(token):
            nonlocal shown
            ids.append(token)
            text = self.decode(ids)
            if text.endswith(REPLACEMENT):
                return ""
            piece, shown = text[shown:], len(text)
            if len(ids) > 64 and piece:  # keep decoding short: what has been shown does not change any more
                del ids[:-8]
                shown = len(self.decode(ids))
            return piece

        return add

    def chat(self, messages) -> list[int]:
        """Ids of messages [{"role": ..., "content": ...}], with the beginning of the answer."""
        if isinstance(self.template, list):
            self.template = next((entry["template"] for entry in self.template if entry["name"] == "default"), None)
        if not self.template:
            raise BadTemplate(
                f"{self.path.parent} has no chat template; use `generate` with a prompt, or a model tuned for chats"
            )
        special = {name: content(self.settings.get(name)) or "" for name in ("bos_token", "eos_token", "pad_token")}
        return self.encode(render(self.template, messages=messages, add_generation_prompt=True, **special), False)


def render(template, **values) -> str:
    """A template cannot reach Python from the sandbox, nor change the values."""
    try:
        import jinja2
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise MissingPackage("chat templates need the package jinja2; pip install 'tilewright[llm]'") from None

    def refuse(message):
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, ensure_ascii=False, **options)
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    try:
        return environment.from_string(template).render(**values)
    except Exception as error:  # of any class: the template is a program
        raise BadTemplate(f"the chat template fails: {error}; check the roles and their order") from None
