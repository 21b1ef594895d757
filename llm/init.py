# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of random weights in the published format, with a tokenizer trained on the spot."""

import json
from pathlib import Path

from .arrays import NUMPY
from .config import DTYPES, read_config
from .errors import MissingPackage, ModelError
from .models import architecture
from .random_weights import write_weights

TEXT = """A kernel is a sequential program over small arrays. Every block of the grid runs it on its own tile, and the
compiler decides which thread has which element. The model reads a prompt, token by token, and writes the next one.
Queries look at keys, keys give weights to values, and the result goes through a matrix and a gate to the next layer.
A cache keeps keys and values of all tokens before, in pages, so that a new token costs one row of each product.
Once upon a time there was a small model with random weights. It said nothing that made sense, but it said it quickly.
What is the capital of France? The capital of France is Paris. Who wrote this text? You are a helpful assistant.
"""

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "hidden_act": "silu",
    "hidden_size": 128,
    "head_dim": 32,
    "initializer_range": 0.02,
    "intermediate_size": 256,
    "max_position_embeddings": 131072,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_scaling": {
        "factor": 8.0,
        "high_freq_factor": 4.0,
        "low_freq_factor": 1.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
    "use_cache": True,
}
DEEPSEEK_V2 = {
    "architectures": ["DeepseekV2ForCausalLM"],
    "attention_bias": False,
    "first_k_dense_replace": 1,
    "hidden_act": "silu",
    "hidden_size": 128,
    "initializer_range": 0.02,
    "intermediate_size": 256,
    "kv_lora_rank": 64,
    "max_position_embeddings": 163840,
    "model_type": "deepseek_v2",
    "moe_intermediate_size": 64,
    "moe_layer_freq": 1,
    "n_group": 1,
    "n_routed_experts": 8,
    "n_shared_experts": 2,
    "norm_topk_prob": False,
    "num_attention_heads": 4,
    "num_experts_per_tok": 2,
    "num_hidden_layers": 2,
    "num_key_value_heads": 4,
    "q_lora_rank": None,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 16,
    "rms_norm_eps": 1e-06,
    "rope_scaling": {
        "beta_fast": 32,
        "beta_slow": 1,
        "factor": 40,
        "mscale": 0.707,
        "mscale_all_dim": 0.707,
        "original_max_position_embeddings": 4096,
        "type": "yarn",
    },
    "rope_theta": 10000,
    "routed_scaling_factor": 1.0,
    "scoring_func": "softmax",
    "tie_word_embeddings": False,
    "topk_group": 1,
    "topk_method": "greedy",
    "torch_dtype": "bfloat16",
    "v_head_dim": 32,
}
DEEPSEEK_V3 = DEEPSEEK_V2 | {
    "architectures": ["DeepseekV3ForCausalLM"],
    "model_type": "deepseek_v3",
    "n_group": 4,
    "n_shared_experts": 1,
    "norm_topk_prob": True,
    "q_lora_rank": 64,
    "rope_scaling": DEEPSEEK_V2["rope_scaling"] | {"mscale": 1.0, "mscale_all_dim": 1.0},
    "routed_scaling_factor": 2.5,
    "scoring_func": "sigmoid",
    "topk_group": 2,
    "topk_method": "noaux_tc",
}
FP8 = {
    "activation_scheme": "dynamic",
    "fmt": "e4m3",
    "quant_method": "fp8",
    "weight_block_size": [128, 128],
}
CONFIGS = {"llama3": LLAMA, "deepseek-v2": DEEPSEEK_V2, "deepseek-v3": DEEPSEEK_V3}
VOCABULARY = 512  # of the tokenizer
# Changes of a size: one layer as it was published, or the whole model.
LAYER = {"num_hidden_layers": 1, "first_k_dense_replace": 0}
LLAMA_8B = {
    "head_dim": 128,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
V2_LITE = {
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "kv_lora_rank": 512,
    "moe_intermediate_size": 1408,
    "n_routed_experts": 64,
    "num_attention_heads": 16,
    "num_experts_per_tok": 6,
    "num_key_value_heads": 16,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
V3 = V2_LITE | {
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "n_group": 8,
    "n_routed_experts": 256,
    "num_attention_heads": 128,
    "num_experts_per_tok": 8,
    "num_key_value_heads": 128,
    "q_lora_rank": 1536,
    "topk_group": 4,
}
SIZES = {
    "llama3": {
        "tiny": {},
        "layer": LLAMA_8B | {"num_hidden_layers": 1},
        "8b": LLAMA_8B | {"num_hidden_layers": 32, "vocab_size": 128256},
    },
    "deepseek-v2": {"tiny": {}, "layer": V2_LITE | LAYER},
    "deepseek-v3": {"tiny": {}, "layer": V3 | LAYER},
}

LLAMA_TOKENS = ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
DEEPSEEK_TOKENS = ("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>")
LLAMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n"
    "{{ message['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
DEEPSEEK_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}<｜User｜>{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}<｜Assistant｜>{{ message['content'] }}{{ eos_token }}"
    "{% else %}{{ message['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}<｜Assistant｜>{% endif %}"
)


def train_tokenizer(folder, special, template):
    """A byte-level BPE of VOCABULARY tokens, special ones first, that begins every text with the first of them."""
    try:
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    except ImportError:
        raise MissingPackage("init needs the package tokenizers; pip install 'tilewright[llm]'") from None
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[AddedToken(text, special=True) for text in special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT.splitlines(), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{special[0]} $A", special_tokens=[(special[0], tokenizer.token_to_id(special[0]))]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "bos_token": special[0],
        "eos_token": special[-1] if special is LLAMA_TOKENS else special[1],
        "chat_template": template,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    write_json(folder / "tokenizer_config.json", settings)
    return [tokenizer.token_to_id(text) for text in special]


def write_json(path, values):
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def init(folder, arch, size="tiny", *, seed=0, dtype="bfloat16", shards=1, changes=None):
    """Writes config.json, weights, tokenizer and chat template; `changes` are of the configuration. The dtype fp8 is
    float8 with scales of blocks, as DeepSeek ships it."""
    if arch not in CONFIGS:
        raise ModelError(f"arch is {arch!r}, expected one of {', '.join(CONFIGS)}")
    if dtype not in (*DTYPES, "fp8") or (dtype == "fp8" and arch == "llama3"):
        raise ModelError(f"dtype is {dtype!r}, expected {', '.join(DTYPES)}, or fp8 of a DeepSeek model")
    if size not in SIZES[arch]:
        raise ModelError(f"size is {size!r}, expected {' or '.join(SIZES[arch])} of {arch}")
    folder = Path(folder)
    if (folder / "config.json").exists():
        raise ModelError(f"{folder} has a config.json already; name another folder, or remove that one")
    folder.mkdir(parents=True, exist_ok=True)
    special, template = (LLAMA_TOKENS, LLAMA_TEMPLATE) if arch == "llama3" else (DEEPSEEK_TOKENS, DEEPSEEK_TEMPLATE)
    ids = train_tokenizer(folder, special, template)
    values = CONFIGS[arch] | {"bos_token_id": ids[0], "vocab_size": VOCABULARY}
    values |= {"torch_dtype": "bfloat16", "quantization_config": FP8} if dtype == "fp8" else {"torch_dtype": dtype}
    values["eos_token_id"] = [ids[1], ids[4]] if arch == "llama3" else ids[1]
    values |= SIZES[arch][size] | (changes or {})
    write_json(folder / "config.json", values)

    config = read_config(folder)
    shapes = architecture(config)[0].tensors(config)
    write_weights(folder, shapes, NUMPY[config.dtype], seed, shards)
    return folder
