# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published configurations are read, and imply as many weights as the models have."""

import json
import math

import numpy as np
import pytest

from llm.config import read_config
from llm.models import architecture
from llm.rope import inverse_frequencies, rope_table, softmax_scale

LLAMA = {"model_type": "llama", "hidden_act": "silu", "num_key_value_heads": 8, "rope_theta": 500000.0,
         "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "vocab_size": 128256, "bos_token_id": 128000,
         "eos_token_id": 128001, "max_position_embeddings": 8192}  # fmt: skip
SCALED = {"max_position_embeddings": 131072, "eos_token_id": [128001, 128008, 128009], "rope_scaling": {
    "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "original_max_position_embeddings": 8192,
    "rope_type": "llama3"}}  # fmt: skip
YARN = {"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 0.707, "mscale_all_dim": 0.707,
        "original_max_position_embeddings": 4096, "type": "yarn"}  # fmt: skip
DEEPSEEK = {"hidden_act": "silu", "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
            "v_head_dim": 128, "max_position_embeddings": 163840, "rope_theta": 10000, "rms_norm_eps": 1e-06,
            "torch_dtype": "bfloat16", "moe_layer_freq": 1, "bos_token_id": 0, "eos_token_id": 1}  # fmt: skip


def llama(hidden, layers, heads, intermediate, **more):
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads}
    return LLAMA | sizes | {"intermediate_size": intermediate} | more


V2 = DEEPSEEK | {"model_type": "deepseek_v2", "vocab_size": 102400, "rope_scaling": YARN, "n_shared_experts": 2,
                 "first_k_dense_replace": 1, "scoring_func": "softmax", "norm_topk_prob": False}  # fmt: skip
# The numbers of weights as the model cards have them; of V3 without the layer that predicts further tokens.
PUBLISHED = {
    "llama-3-8b": (llama(4096, 32, 32, 14336), 8_030_261_248),
    "llama-3.1-70b": (llama(8192, 80, 64, 28672, **SCALED), 70_553_706_496),
    "llama-3.1-405b": (llama(16384, 126, 128, 53248, **SCALED), 405_853_388_800),
    "llama-3.2-1b": (llama(2048, 16, 32, 8192, **SCALED, head_dim=64, tie_word_embeddings=True), 1_235_814_400),
    "llama-3.2-3b": (llama(3072, 28, 24, 8192, **SCALED, head_dim=128, tie_word_embeddings=True), 3_212_749_824),
    "deepseek-v2-lite": (V2 | {
        "hidden_size": 2048, "num_hidden_layers": 27, "num_attention_heads": 16, "intermediate_size": 10944,
        "moe_intermediate_size": 1408, "n_routed_experts": 64, "num_experts_per_tok": 6, "q_lora_rank": None,
        "n_group": 1, "topk_group": 1, "topk_method": "greedy", "routed_scaling_factor": 1.0}, 15_706_484_224),
    "deepseek-v2": (V2 | {
        "hidden_size": 5120, "num_hidden_layers": 60, "num_attention_heads": 128, "intermediate_size": 12288,
        "moe_intermediate_size": 1536, "n_routed_experts": 160, "num_experts_per_tok": 6, "q_lora_rank": 1536,
        "n_group": 8, "topk_group": 3, "topk_method": "group_limited_greedy", "routed_scaling_factor": 16.0},
        235_741_434_880),
    "deepseek-v3": (DEEPSEEK | {
        "model_type": "deepseek_v3", "vocab_size": 129280, "hidden_size": 7168, "num_hidden_layers": 61,
        "num_attention_heads": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
        "num_experts_per_tok": 8, "n_shared_experts": 1, "q_lora_rank": 1536, "n_group": 8, "topk_group": 4,
        "first_k_dense_replace": 3, "topk_method": "noaux_tc", "scoring_func": "sigmoid", "norm_topk_prob": True,
        "routed_scaling_factor": 2.5, "rope_scaling": YARN | {"mscale": 1.0, "mscale_all_dim": 1.0},
        "quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
                                "weight_block_size": [128, 128]}}, 671_026_419_200),
}  # fmt: skip


@pytest.fixture(params=PUBLISHED)
def published(request, tmp_path):
    values, weights = PUBLISHED[request.param]
    (tmp_path / "config.json").write_text(json.dumps(values))
    return read_config(tmp_path), weights


def test_number_of_weights(published):
    config, weights = published
    shapes = architecture(config)[0].tensors(config)
    assert sum(math.prod(shape) for name, shape in shapes.items() if not name.endswith("_scale_inv")) == weights


def test_angles(published):
    config, _ = published
    frequencies = inverse_frequencies(config.rope, config.rope_size)
    assert frequencies[0] == 1 and (np.diff(frequencies) < 0).all()
    plain = config.rope.theta ** (-np.arange(0, config.rope_size, 2) / config.rope_size)
    assert np.isclose(frequencies[-1], plain[-1] / config.rope.factor)
    # Of DeepSeek the factor of cosines cancels, and that of the scores does not.
    assert np.allclose((rope_table(config.rope, config.rope_size, 9) ** 2).sum(1), config.rope_size / 2, atol=1e-4)
    plain_scale = 1 / math.sqrt(192)
    raised = softmax_scale(config.rope, 192) / plain_scale
    mscale = config.rope.mscale_all
    assert np.isclose(raised, (0.1 * mscale * math.log(40) + 1) ** 2 if mscale else 1)
