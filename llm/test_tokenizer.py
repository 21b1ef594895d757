# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text, tokens and chat templates."""

import json

import pytest

from llm import errors
from llm.config import read_config
from llm.init import init
from llm.tokenizer import Tokenizer, render

TEXT = "The grid of tiles, naïve café, 日本語 🙂 and a tab\t."


@pytest.fixture(params=["llama3", "deepseek-v3"])
def folder(request, tmp_path):
    return init(tmp_path / "model", request.param)


def test_text_comes_back(folder):
    tokenizer = Tokenizer(folder)
    tokenizer.check(read_config(folder))
    ids = tokenizer.encode(TEXT)
    assert ids[0] == read_config(folder).bos
    assert tokenizer.decode(ids) == TEXT


def test_streamed_text_has_whole_characters(folder):
    tokenizer = Tokenizer(folder)
    add = tokenizer.stream()
    pieces = [add(token) for token in tokenizer.encode(TEXT * 5)]
    assert "".join(pieces) == TEXT * 5
    assert "" in pieces and not any("\N{REPLACEMENT CHARACTER}" in piece for piece in pieces)


def test_chat(folder):
    tokenizer = Tokenizer(folder)
    ids = tokenizer.chat([{"role": "user", "content": "Hello"}])
    text = tokenizer.model.decode(ids, skip_special_tokens=False)
    assert text.count(tokenizer.settings["bos_token"]) == 1
    assert "Hello" in text and text.rstrip().endswith(("<|end_header_id|>", "<｜Assistant｜>"))


def test_template_in_a_file_of_its_own(folder):
    (folder / "chat_template.jinja").write_text("{{ messages[0]['content'] }}!")
    tokenizer = Tokenizer(folder)
    assert tokenizer.decode(tokenizer.chat([{"role": "user", "content": "abc"}])) == "abc!"


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('roles must alternate') }}", "roles must alternate"),
        ("{{ messages.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "is unsafe"),
        ("{% for x in range(10**9) %}{% endfor %}", "Range too big"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{% if %}", "Expected an expression"),
    ],
)
def test_templates_that_fail(template, reason):
    with pytest.raises(errors.BadTemplate, match=reason):
        render(template, messages=[])


def test_no_template(folder):
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    del settings["chat_template"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(errors.BadTemplate, match="has no chat template"):
        Tokenizer(folder).chat([])


def test_tokenizer_of_another_model(folder):
    path = folder / "config.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps(values | {"vocab_size": 300}))
    with pytest.raises(errors.TokenizerMismatch, match="has 512 tokens, expected at most the model's 300"):
        Tokenizer(folder).check(read_config(folder))
    path.write_text(json.dumps(values | {"eos_token_id": 9999}))
    with pytest.raises(errors.TokenizerMismatch, match="has no token 9999, expected by"):
        Tokenizer(folder).check(read_config(folder))


def test_missing_and_broken_tokenizers(folder):
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(errors.TokenizerMismatch, match="cannot be read"):
        Tokenizer(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(errors.MissingFile, match=r"tokenizer.json does not exist"):
        Tokenizer(folder)
