# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers that describe a model, from a config.json as published."""

import json
from dataclasses import dataclass
from pathlib import Path

from .errors import BadConfig, MissingFile, UnknownArchitecture

LAYERS, EXPERTS = 1 << 12, 1 << 16  # most of a model
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

    def size(self, key, default=None, least=1, most=1 << 24):
        value = self.need(key, int) if default is None else self.get(key, int, default)
        if not least <= value <= most:
            raise BadConfig(
                f"{self.path}: '{key}' is {value}, expected {least} to {most}; take the file as it was published"
            )
        return value

    def inside(self, key):
        """An object in this one, empty if there is none."""
        return Values(f"{self.path}: '{key}'", self.get(key, dict, {}))

    def refuse(self, key, expected, default):
        value = default if self.values.get(key) is None else self.values[key]
        if value not in expected:
            wanted = " or ".join(map(repr, expected))
            raise BadConfig(f"{self.path}: '{key}' is {value!r}, expected {wanted}; other variants are not implemented")
        return value

    def ids(self, key):
        value = self.values.get(key)
        ids = () if value is None else tuple(value) if isinstance(value, list) else (value,)
        if any(type(token) is not int or not 0 <= token < 1 << 31 for token in ids):
            raise BadConfig(f"{self.path}: '{key}' is {value!r}, expected a token's number or a list of them")
        return ids

    def dtype(self):
        name = self.values.get("torch_dtype") or self.values.get("dtype") or "bfloat16"
        if not isinstance(name, str) or name not in DTYPES:
            raise BadConfig(f"{self.path}: 'torch_dtype' is {name!r}, expected one of {', '.join(DTYPES)}")
        return name


def positive(values, key, default=None, least=0):
    value = values.need(key, float) if default is None else values.get(key, float, default)
    if value != default and not least < value < 1e12:
        raise BadConfig(
            f"{values.path}: '{key}' is {value}, expected more than {least}; take the file as it was published"
        )
    return value


def read_rope(values) -> Rope:
    """Both ways of writing it: `rope_scaling` beside `rope_theta`, and `rope_parameters` with the theta inside."""
    inside = values.inside("rope_parameters" if values.values.get("rope_parameters") else "rope_scaling")
    theta = positive(inside, "rope_theta", 0.0, 1) or positive(values, "rope_theta", 10000.0, 1)
    kind = inside.values.get("rope_type") or inside.values.get("type") or "default"
    if kind not in ("default", "linear", "llama3", "yarn"):
        raise BadConfig(f"{values.path}: rope scaling is {kind!r}, expected default, linear, llama3 or yarn")
    if kind == "default":
        return Rope(theta)
    low = positive(inside, "low_freq_factor", 1.0)
    original = inside.size("original_max_position_embeddings", values.size("max_position_embeddings"))
    return Rope(
        theta,
        kind,
        factor=positive(inside, "factor"),
        original_context=original,
        low_frequency_factor=low,
        high_frequency_factor=positive(inside, "high_freq_factor", max(4.0, 2 * low), low),
        beta_fast=positive(inside, "beta_fast", 32.0),
        beta_slow=positive(inside, "beta_slow", 1.0),
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
        layers=values.size("num_hidden_layers", most=LAYERS),
        heads=heads,
        kv_heads=kv_heads,
        head=values.size("head_dim", hidden // heads),
        intermediate=values.size("intermediate_size"),
        epsilon=positive(values, "rms_norm_eps", 1e-6),
        context=values.size("max_position_embeddings"),
        tied=values.get("tie_word_embeddings", bool, False),
        rope=read_rope(values),
        dtype=values.dtype(),
        bos=next(iter(values.ids("bos_token_id")), None),
        eos=values.ids("eos_token_id"),
    )


def read_fp8(values):
    """The block size of float8 weights; None if the weights are not quantized."""
    if values.values.get("quantization_config") is None:
        return None
    inside = values.inside("quantization_config")
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
    experts = values.size("n_routed_experts", most=EXPERTS)
    groups = values.size("n_group", 1) if grouped else 1
    if experts % groups:
        raise BadConfig(f"{values.path}: 'n_routed_experts' is {experts}, expected a multiple of the {groups} groups")
    top_groups = values.size("topk_group", 1, most=groups) if grouped else 1
    # V2 either normalizes the weights of the chosen experts or scales them.
    scale = 1.0 if normalize and version == 2 else values.get("routed_scaling_factor", float, 1.0)
    return DeepseekConfig(
        version=version,
        vocabulary=values.size("vocab_size"),
        hidden=values.size("hidden_size"),
        layers=values.size("num_hidden_layers", most=LAYERS),
        heads=values.size("num_attention_heads"),
        q_rank=values.size("q_lora_rank") if values.values.get("q_lora_rank") is not None else None,
        kv_rank=values.size("kv_lora_rank"),
        nope=values.size("qk_nope_head_dim"),
        rope_size=values.size("qk_rope_head_dim"),
        value=values.size("v_head_dim"),
        intermediate=values.size("intermediate_size"),
        expert_intermediate=values.size("moe_intermediate_size"),
        experts=experts,
        shared_experts=values.size("n_shared_experts", 0, least=0, most=EXPERTS),
        experts_per_token=values.size("num_experts_per_tok", most=experts * top_groups // groups),
        dense_layers=values.size("first_k_dense_replace", 0, least=0),
        groups=groups,
        top_groups=top_groups,
        sigmoid=sigmoid == "sigmoid",
        normalize=normalize,
        route_scale=scale,
        epsilon=positive(values, "rms_norm_eps", 1e-6),
        context=values.size("max_position_embeddings"),
        tied=values.get("tie_word_embeddings", bool, False),
        rope=read_rope(values),
        rope_interleaved=values.get("rope_interleave", bool, True),
        dtype=values.dtype(),
        fp8_block=read_fp8(values),
        bos=next(iter(values.ids("bos_token_id")), None),
        eos=values.ids("eos_token_id"),
    )


ARCHITECTURES = {"llama": read_llama, "deepseek_v2": read_deepseek, "deepseek_v3": read_deepseek}


def read_json(path):
    try:
        values = json.loads(path.read_text())
        if not isinstance(values, dict):
            raise ValueError(f"an object is expected, not {str(values)[:20]}")
        return values
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist; expected the folder of a model as published") from None
    except ValueError as error:
        raise BadConfig(f"{path} cannot be read ({error}); take the file as it was published") from None


def read_config(folder) -> LlamaConfig | DeepseekConfig:
    """The configuration of the model in a folder; generation_config.json may name more tokens that end a text."""
    path = Path(folder) / "config.json"
    values = read_json(path)
    more = path.with_name("generation_config.json")
    if more.exists() and read_json(more).get("eos_token_id") is not None:
        values["eos_token_id"] = read_json(more)["eos_token_id"]
    name = values.get("model_type")
    if not isinstance(name, str) or name not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise UnknownArchitecture(f"{path}: 'model_type' is {name!r}, expected one of {known}; choose such a model")
    return ARCHITECTURES[name](Values(path, values))
