# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers that describe a model, from a config.json as published."""

import json
from dataclasses import dataclass
from pathlib import Path

from .errors import BadConfig, MissingFile, UnknownArchitecture

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Rope:
    """How positions become angles. `kind` is default, linear, llama3 or yarn; the others use a part of the fields."""

    theta: float
    kind: str = "default"
    factor: float = 1.0
    original_context: int = 0
    low_frequency_factor: float = 1.0  # llama3
    high_frequency_factor: float = 4.0
    beta_fast: float = 32.0  # yarn
    beta_slow: float = 1.0
    mscale: float = 0.0
    mscale_all: float = 0.0
    attention_factor: float | None = None


@dataclass(frozen=True)
class LlamaConfig:
    """Llama 3, 3.1 and 3.2: sizes of the arrays, and the ids of special tokens."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head: int  # elements of a head
    intermediate: int
    epsilon: float
    context: int
    tied: bool  # the output matrix is the embedding
    rope: Rope
    dtype: str
    bos: int | None
    eos: tuple[int, ...]

    architecture = "llama"

    @property
    def rope_size(self) -> int:
        return self.head


@dataclass(frozen=True)
class DeepseekConfig:
    """DeepSeek V2 and V3. Queries and keys have `nope` elements without a position and `rope_size` with one."""

    version: int
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    q_rank: int | None  # None: queries come straight from the hidden state
    kv_rank: int  # elements of the latent that the cache holds besides the rotated key
    nope: int
    rope_size: int
    value: int  # elements of a head's value
    intermediate: int
    expert_intermediate: int
    experts: int
    shared_experts: int
    experts_per_token: int
    dense_layers: int  # the first layers, which have no experts
    groups: int
    top_groups: int
    sigmoid: bool  # the gate: a sigmoid with a bias for the choice (V3), or a softmax (V2)
    normalize: bool
    route_scale: float
    epsilon: float
    context: int
    tied: bool
    rope: Rope
    rope_interleaved: bool
    dtype: str
    fp8_block: int | None  # weights are float8 with a scale per block of so many rows and columns
    bos: int | None
    eos: tuple[int, ...]

    architecture = "deepseek"


class Values:
    """config.json with errors that name the file, the key and the expected type."""

    def __init__(self, path, values):
        self.path, self.values = path, values

    def get(self, key, kind, default=None):
        value = self.values.get(key)
        if value is None:
            return default
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise BadConfig(
                f"{self.path}: '{key}' is {value!r}, expected {kind.__name__}; take the file as it was published"
            )
        return value

    def need(self, key, kind):
        value = self.get(key, kind)
        if value is None:
            raise BadConfig(f"{self.path}: has no '{key}', expected {kind.__name__}; take the file as it was published")
        return value

    def size(self, key, default=None):
        value = self.need(key, int) if default is None else self.get(key, int, default)
        if value < 1:
            raise BadConfig(f"{self.path}: '{key}' is {value}, expected at least 1; take the file as it was published")
        return value

    def refuse(self, key, expected, default):
        value = self.values.get(key, default)
        if value not in expected:
            wanted = " or ".join(map(repr, expected))
            raise BadConfig(f"{self.path}: '{key}' is {value!r}, expected {wanted}; other variants are not implemented")
        return value

    def ids(self, key):
        value = self.values.get(key)
        return () if value is None else tuple(value) if isinstance(value, list) else (value,)

    def dtype(self):
        name = self.values.get("torch_dtype") or self.values.get("dtype") or "bfloat16"
        if name not in DTYPES:
            raise BadConfig(f"{self.path}: 'torch_dtype' is {name!r}, expected one of {', '.join(DTYPES)}")
        return name


def read_rope(values) -> Rope:
    """Both ways of writing it: `rope_scaling` beside `rope_theta`, and `rope_parameters` with the theta inside."""
    inside = Values(values.path, values.values.get("rope_parameters") or values.values.get("rope_scaling") or {})
    theta = inside.get("rope_theta", float) or values.get("rope_theta", float, 10000.0)
    kind = inside.values.get("rope_type") or inside.values.get("type") or "default"
    if kind not in ("default", "linear", "llama3", "yarn"):
        raise BadConfig(f"{values.path}: rope scaling is {kind!r}, expected default, linear, llama3 or yarn")
    if kind == "default":
        return Rope(theta)
    original = inside.get("original_max_position_embeddings", int) or values.size("max_position_embeddings")
    return Rope(
        theta,
        kind,
        factor=inside.need("factor", float),
        original_context=original,
        low_frequency_factor=inside.get("low_freq_factor", float, 1.0),
        high_frequency_factor=inside.get("high_freq_factor", float, 4.0),
        beta_fast=inside.get("beta_fast", float, 32.0),
        beta_slow=inside.get("beta_slow", float, 1.0),
        mscale=inside.get("mscale", float, 0.0),
        mscale_all=inside.get("mscale_all_dim", float, 0.0),
        attention_factor=inside.get("attention_factor", float),
    )


def read_llama(values) -> LlamaConfig:
    values.refuse("hidden_act", ["silu"], "silu")
    values.refuse("attention_bias", [False], False)
    values.refuse("mlp_bias", [False], False)
    values.refuse("quantization_config", [None], None)
    hidden, heads = values.size("hidden_size"), values.size("num_attention_heads")
    kv_heads = values.size("num_key_value_heads", heads)
    if heads % kv_heads:
        raise BadConfig(
            f"{values.path}: 'num_attention_heads' is {heads}, expected a multiple of the {kv_heads} key/value heads"
        )
    return LlamaConfig(
        vocabulary=values.size("vocab_size"),
        hidden=hidden,
        layers=values.size("num_hidden_layers"),
        heads=heads,
        kv_heads=kv_heads,
        head=values.size("head_dim", hidden // heads),
        intermediate=values.size("intermediate_size"),
        epsilon=values.get("rms_norm_eps", float, 1e-6),
        context=values.size("max_position_embeddings"),
        tied=values.get("tie_word_embeddings", bool, False),
        rope=read_rope(values),
        dtype=values.dtype(),
        bos=values.get("bos_token_id", int),
        eos=values.ids("eos_token_id"),
    )


def read_fp8(values):
    """The block size of float8 weights; None if the weights are not quantized."""
    found = values.values.get("quantization_config")
    if found is None:
        return None
    inside = Values(values.path, found)
    inside.refuse("quant_method", ["fp8"], None)
    inside.refuse("fmt", ["e4m3"], "e4m3")
    inside.refuse("weight_block_size", [[128, 128]], None)
    return 128


def read_deepseek(values) -> DeepseekConfig:
    version = 3 if values.values["model_type"] == "deepseek_v3" else 2
    values.refuse("hidden_act", ["silu"], "silu")
    values.refuse("attention_bias", [False], False)
    values.refuse("moe_layer_freq", [1], 1)
    sigmoid = values.refuse("scoring_func", ["softmax", "sigmoid"], "sigmoid" if version == 3 else "softmax")
    methods = ["noaux_tc"] if version == 3 else ["greedy", "group_limited_greedy"]
    method = values.refuse("topk_method", methods, methods[0])
    normalize = values.get("norm_topk_prob", bool, version == 3)
    grouped = method != "greedy"
    experts, groups = values.size("n_routed_experts"), values.size("n_group", 1) if grouped else 1
    if experts % groups:
        raise BadConfig(f"{values.path}: 'n_routed_experts' is {experts}, expected a multiple of the {groups} groups")
    # V2 either normalizes the weights of the chosen experts or scales them.
    scale = 1.0 if normalize and version == 2 else values.get("routed_scaling_factor", float, 1.0)
    return DeepseekConfig(
        version=version,
        vocabulary=values.size("vocab_size"),
        hidden=values.size("hidden_size"),
        layers=values.size("num_hidden_layers"),
        heads=values.size("num_attention_heads"),
        q_rank=values.get("q_lora_rank", int),
        kv_rank=values.size("kv_lora_rank"),
        nope=values.size("qk_nope_head_dim"),
        rope_size=values.size("qk_rope_head_dim"),
        value=values.size("v_head_dim"),
        intermediate=values.size("intermediate_size"),
        expert_intermediate=values.size("moe_intermediate_size"),
        experts=experts,
        shared_experts=values.get("n_shared_experts", int, 0),
        experts_per_token=values.size("num_experts_per_tok"),
        dense_layers=values.get("first_k_dense_replace", int, 0),
        groups=groups,
        top_groups=values.size("topk_group", 1) if grouped else 1,
        sigmoid=sigmoid == "sigmoid",
        normalize=normalize,
        route_scale=scale,
        epsilon=values.get("rms_norm_eps", float, 1e-6),
        context=values.size("max_position_embeddings"),
        tied=values.get("tie_word_embeddings", bool, False),
        rope=read_rope(values),
        rope_interleaved=values.get("rope_interleave", bool, True),
        dtype=values.dtype(),
        fp8_block=read_fp8(values),
        bos=values.get("bos_token_id", int),
        eos=values.ids("eos_token_id"),
    )


ARCHITECTURES = {"llama": read_llama, "deepseek_v2": read_deepseek, "deepseek_v3": read_deepseek}


def read_json(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist; expected the folder of a model as published") from None
    except ValueError as error:
        raise BadConfig(f"{path} is no JSON ({error}); take the file as it was published") from None


def read_config(folder) -> LlamaConfig | DeepseekConfig:
    """The configuration of the model in a folder; generation_config.json may name more tokens that end a text."""
    path = Path(folder) / "config.json"
    values = read_json(path)
    more = path.with_name("generation_config.json")
    if more.exists() and read_json(more).get("eos_token_id") is not None:
        values["eos_token_id"] = read_json(more)["eos_token_id"]
    name = values.get("model_type")
    if name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise UnknownArchitecture(f"{path}: 'model_type' is {name!r}, expected one of {known}; choose such a model")
    return ARCHITECTURES[name](Values(path, values))
