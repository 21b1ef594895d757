# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp's kernels on the CPU: whole models with requests of several lengths, and every number of f8."""

import ml_dtypes
import numpy as np
import pytest

from llm.generate import Request
from llm.init import init
from llm.models import Settings, open_model
from llm.ops import find, load
from llm.weights import FP8_MAX

pytest.importorskip("warp", reason="implementation 'warp' needs the package warp, which is not installed")
PROMPTS = [list(range(5, 5 + length)) for length in (3, 33, 1, 70)]


@pytest.mark.parametrize("architecture", ["llama3", "deepseek-v3"])
def test_tokens(architecture, tmp_path):
    folder = init(tmp_path, architecture, dtype="float32")

    def tokens(implementation):
        engine = open_model(folder, Settings(default=implementation, context=128))
        requests = [
            Request(prompt, max_tokens=8, temperature=temperature, top_p=0.9, seed=3)
            for prompt, temperature in zip(PROMPTS, (0, 1.0, 0, 1.0), strict=True)
        ]
        return [(token.request, token.id) for token in engine.generate(requests)]

    assert tokens("warp") == tokens("numpy")


def test_f8_is_decoded_and_rounded():
    """x has all numbers of f8, and numbers halfway between two; with 448 in each block its scale is 1."""
    every = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e4m3fn)
    every = every[np.isfinite(every)].astype(np.float32)
    numbers = np.sort(every)
    halfway = (numbers[1:] + numbers[:-1]) / 2
    x = np.concatenate([every, halfway])
    x = np.pad(x, (0, -len(x) % 127)).reshape(-1, 127)
    x = np.concatenate([x, np.full((len(x), 1), FP8_MAX, np.float32)], axis=1)
    weight = np.eye(128, dtype=ml_dtypes.float8_e4m3fn)
    scales, out, expected = np.ones((1, 1), np.float32), np.empty_like(x), np.empty_like(x)
    for implementation, result in (("warp", out), ("numpy", expected)):
        find("linear_fp8", implementation)(x, weight, scales, result)
    np.testing.assert_array_equal(out, expected)
    # The same numbers as a weight, which a row of ones picks one by one.
    weight = np.pad(every, (0, 256 - len(every))).astype(ml_dtypes.float8_e4m3fn)[:, None].repeat(128, axis=1)
    for rows in (1, 2):
        x = np.zeros((rows, 128), np.float32)
        x[:, 0] = FP8_MAX
        out, expected = (np.empty((rows, 256), np.float32) for _ in range(2))
        scales = np.ones((2, 1), np.float32)
        for implementation, result in (("warp", out), ("numpy", expected)):
            find("linear_fp8", implementation)(x, weight, scales, result)
        np.testing.assert_array_equal(out, expected)


def test_sources_are_counted():
    module = load("warp")
    assert set(module.SOURCES) == set(module.OPERATIONS) and all(module.SOURCES.values())
