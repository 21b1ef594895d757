# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights quantized while they are loaded, and float8 as DeepSeek ships it."""

import numpy as np
import pytest

from llm import errors
from llm.checkpoint import Checkpoint
from llm.init import init
from llm.models import Settings, architecture, open_model
from llm.ops import reference
from llm.weights import Fp8, Fp8Experts, bytes_needed, group_of, quantize_fp8, quantize_int4, quantize_int8, spread

NUMBERS = np.random.default_rng(0)


def relative(found, expected):
    return np.sqrt(((found - expected) ** 2).mean() / (expected**2).mean())


@pytest.mark.parametrize("shape", [(128, 256), (130, 64), (1, 384)])
def test_quantized_matrices(shape):
    weight = NUMBERS.standard_normal(shape).astype(np.float32)
    values, scales = quantize_int8(weight)
    assert relative(values * scales[:, None], weight) < 0.01
    group = group_of(shape[1])
    packed, scales = quantize_int4(weight, group)
    assert packed.shape == (shape[0], shape[1] // 2) and scales.shape == (shape[0], shape[1] // group)
    assert relative(reference.unpack_int4(packed, scales, group), weight) < 0.13
    values, scales = quantize_fp8(weight)
    assert relative(values.astype(np.float32) * spread(scales, shape), weight) < 0.03


def test_groups_of_int4_are_the_most_columns_that_divide_a_weight():
    assert [group_of(columns) for columns in (4096, 14336, 192, 96, 100)] == [128, 128, 64, 32, 0]
    shapes = {"a.q_proj.weight": (2, 4096), "b.q_proj.weight": (2, 96), "c.q_proj.weight": (2, 100)}
    assert bytes_needed(shapes, "int4", "bfloat16") == 2 * (2048 + 4 * 32) + 2 * (48 + 4 * 3) + 2 * 100 * 2


@pytest.mark.parametrize("arch", ["llama3", "deepseek-v3"])
@pytest.mark.parametrize(("form", "allowed"), [("int8", 0.05), ("int4", 0.5), ("fp8", 0.25)])
def test_logits_with_quantized_weights(tmp_path, arch, form, allowed):
    folder = init(tmp_path / "model", arch)
    settings = {"default": "numpy", "context": 64, "logits": 32}
    ids = list(range(10, 42))
    expected = open_model(folder, Settings(**settings)).logits(ids, [31, 1])
    found = open_model(folder, Settings(weights=form, **settings)).logits(ids, [31, 1])
    # A router of rounded inputs may choose other experts for single tokens.
    errors_of_tokens = [relative(a, b) for a, b in zip(found, expected, strict=True)]
    assert 0 < np.median(errors_of_tokens) < allowed


@pytest.mark.parametrize("intermediate", [64, 128])  # experts whose halves end within a block, and at one
def test_float8_as_shipped_stays_float8(tmp_path, intermediate):
    changes = {"moe_intermediate_size": intermediate}
    folder = init(tmp_path / "model", "deepseek-v3", dtype="fp8", changes=changes)
    settings = {"default": "numpy", "context": 64, "logits": 32}
    engine = open_model(folder, Settings(**settings))
    attention, routed = engine.model.layers[1]
    assert isinstance(attention.output, Fp8)
    assert isinstance(routed.experts, Fp8Experts) == (intermediate == 128)
    ids = list(range(10, 42))
    dense = open_model(folder, Settings(weights="dense", **settings)).logits(ids, [32])
    assert np.median([relative(a, b) for a, b in zip(engine.logits(ids, [32]), dense, strict=True)]) < 0.2


def test_needed_memory_is_that_of_the_arrays(tmp_path):
    engine = open_model(init(tmp_path / "model", "llama3"), Settings(default="numpy", context=64))
    config = engine.model.config
    shapes = architecture(config)[0].tensors(config)
    checkpoint = Checkpoint(tmp_path / "model")
    assert bytes_needed(shapes, "dense", "bfloat16") == sum(checkpoint.tensors[name].size for name in shapes)
    assert bytes_needed(shapes, "int4", "bfloat16") < bytes_needed(shapes, "int8", "bfloat16")


def test_unknown_form(tmp_path):
    with pytest.raises(errors.ModelError, match="form of weights is 'int3', expected one of dense, int8, int4, fp8"):
        open_model(init(tmp_path / "model", "llama3"), Settings(default="numpy", weights="int3"))
