# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Model folders as published are read; what is wrong with one is said before any weight is."""

import json

import numpy as np
import pytest

from llm import errors
from llm.checkpoint import Checkpoint
from llm.config import read_config
from llm.init import init
from llm.models import Settings, open_model


@pytest.fixture
def folder(tmp_path):
    return init(tmp_path / "model", "llama3", shards=2)


def change(folder, **values):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def refused(folder, kind, *texts, **settings):
    with pytest.raises(kind) as raised:
        open_model(folder, Settings(default="numpy", **settings))
    message = str(raised.value)
    assert "\n" not in message and not message.endswith(".")
    for text in texts:
        assert text in message


def test_shards_and_one_file_hold_the_same(folder, tmp_path):
    whole = Checkpoint(init(tmp_path / "whole", "llama3"))
    parts = Checkpoint(folder)
    assert parts.tensors.keys() == whole.tensors.keys()
    for name in whole.tensors:
        np.testing.assert_array_equal(parts.read(name).view(np.uint16), whole.read(name).view(np.uint16))


def test_both_ways_of_writing_rope(folder):
    before = read_config(folder)
    values = json.loads((folder / "config.json").read_text())
    scaling = values["rope_scaling"] | {"rope_theta": values["rope_theta"]}
    change(folder, rope_scaling=None, rope_theta=None, rope_parameters=scaling)
    assert read_config(folder) == before


def test_generation_config_names_more_ends(folder):
    (folder / "generation_config.json").write_text('{"eos_token_id": [7, 8, 9]}')
    assert read_config(folder).eos == (7, 8, 9)


def test_missing_config(tmp_path):
    refused(tmp_path, errors.MissingFile, "config.json does not exist")


def test_config_that_is_no_json(folder):
    (folder / "config.json").write_text("{")
    refused(folder, errors.BadConfig, "cannot be read", "take the file as it was published")


def test_unknown_architecture(folder):
    change(folder, model_type="mamba")
    refused(folder, errors.UnknownArchitecture, "'mamba'", "llama, deepseek_v2, deepseek_v3")


def test_variant_that_is_not_implemented(folder):
    change(folder, hidden_act="gelu")
    refused(folder, errors.BadConfig, "'hidden_act' is 'gelu', expected 'silu'")


def test_value_of_another_type(folder):
    change(folder, hidden_size="big")
    refused(folder, errors.BadConfig, "'hidden_size' is 'big', expected int")


def test_missing_value(folder):
    change(folder, vocab_size=None)
    refused(folder, errors.BadConfig, "has no 'vocab_size', expected int")


def test_missing_shard(folder):
    (folder / "model-00002-of-00002.safetensors").unlink()
    refused(folder, errors.MissingShard, "model-00002-of-00002", "shard 2 of 2", "download it")


def test_shard_outside_the_folder(folder):
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../secret"}}')
    refused(folder, errors.MissingShard, "names the file '../secret', expected one of the same folder")


@pytest.mark.parametrize("kept", [0, 5, 100, -1])
def test_truncated_shard(folder, kept):
    path = folder / "model-00001-of-00002.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    refused(folder, errors.TruncatedShard, path.name, "bytes, expected", "again")


def test_shard_of_another_format(folder):
    path = folder / "model-00001-of-00002.safetensors"
    path.write_bytes((3).to_bytes(8, "little") + b"abc" + bytes(100))
    refused(folder, errors.TruncatedShard, "has no valid header, expected safetensors")


def test_pickled_weights_are_refused(folder):
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    (folder / "pytorch_model.bin").write_bytes(b"")
    refused(folder, errors.MissingFile, "found pytorch_model.bin, whose format runs code", "model.safetensors")


def test_mismatched_shape(folder):
    change(folder, intermediate_size=512)
    refused(folder, errors.MismatchedShape, "gate_proj.weight' has shape [256, 128], expected [512, 128]")


def test_missing_tensor(folder):
    change(folder, num_hidden_layers=3)
    refused(folder, errors.MissingTensor, "no tensor 'model.layers.2.input_layernorm.weight'", "same model")


def test_further_tensors_are_ignored(folder):
    change(folder, num_hidden_layers=1)
    open_model(folder, Settings(default="numpy", context=64))


def test_memory_is_computed_before_loading(folder):
    text = "the model needs", "cpu has", "available; use"
    refused(folder, errors.NotEnoughMemory, *text, batch=1 << 20, context=131072)


def test_context_beyond_the_model(folder):
    refused(folder, errors.PromptTooLong, "a context of 200000 tokens", "the model has 131072", context=200000)


def test_init_keeps_an_existing_model(folder):
    with pytest.raises(errors.ModelError, match="already; name another folder"):
        init(folder, "llama3")
