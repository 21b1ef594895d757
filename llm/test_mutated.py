# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders with random changes in config.json or in the header of the weights run, or are refused with a ModelError."""

import json
import random

import pytest

from llm.errors import ModelError
from llm.generate import Request
from llm.init import CONFIGS, init
from llm.models import Settings, open_model

VALUES = (None, 0, -1, 1, 2, 3, 7, 1.5, float("nan"), "x", "yarn", [], [1], {}, {"a": 1}, True, False, 1 << 40)
SETTINGS = Settings(default="numpy", context=32, batch=1, chunk=16)


@pytest.fixture(scope="module", params=CONFIGS)
def folder(request, tmp_path_factory):
    dtype = "fp8" if request.param == "deepseek-v3" else "float32"
    return init(tmp_path_factory.mktemp(request.param), request.param, dtype=dtype)


def runs_or_is_refused(folder):
    try:
        list(open_model(folder, SETTINGS).generate([Request([5, 6, 7], max_tokens=2)]))
    except ModelError:
        pass


def mutate(values, choose):
    key = choose.choice(list(values))
    if isinstance(values[key], dict) and values[key] and choose.random() < 0.7:
        mutate(values[key], choose)
    else:
        values[key] = choose.choice(VALUES)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_configurations(folder):
    path, choose = folder / "config.json", random.Random(0)
    text = path.read_text()
    for _ in range(80):
        values = json.loads(text)
        mutate(values, choose)
        path.write_text(json.dumps(values))
        runs_or_is_refused(folder)
    path.write_text(text)


def test_headers(folder):
    path, choose = folder / "model.safetensors", random.Random(0)
    data = path.read_bytes()
    header = int.from_bytes(data[:8], "little")
    for _ in range(60):
        changed = bytearray(data)
        changed[choose.randrange(8 + header)] = choose.randrange(256)
        path.write_bytes(changed)
        runs_or_is_refused(folder)
    path.write_bytes(data)
