# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models by Numba's loops write the tokens that they write by NumPy."""

import pytest

from llm.generate import Request
from llm.init import init
from llm.models import Settings, open_model

pytest.importorskip("numba", reason="implementation 'simt' needs the package numba, which is not installed")
PROMPTS = [list(range(5, 5 + length)) for length in (3, 33, 1, 70)]


@pytest.mark.parametrize("choice", [{}, {"temperature": 1.0, "top_p": 0.9, "seed": 3}], ids=["greedy", "drawn"])
@pytest.mark.parametrize("architecture", ["llama3", "deepseek-v3"])
def test_tokens(architecture, choice, tmp_path):
    folder = init(tmp_path, architecture, dtype="float32")

    def tokens(implementation):
        engine = open_model(folder, Settings(default=implementation, context=128))
        requests = [Request(prompt, max_tokens=8, **choice) for prompt in PROMPTS]
        return [(token.request, token.id) for token in engine.generate(requests)]

    assert tokens("simt") == tokens("numpy")
