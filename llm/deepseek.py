# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSeek V2 and V3, from token ids to logits: latent attention and routed experts.

The cache has one vector of kv_rank + rope_size elements (512 + 64 as published) per token for all heads: the latent,
from which each head's key and value are products with its own matrices, and a rotated key that all heads share.
Attention takes one of two forms. Plain: keys and values of the tokens are computed from their latents, which costs
little per query when there are many; the first chunk of a prompt does that. Absorbed: the key matrix is applied to the
query and the value matrix to the result instead, so that attention works on latents as they lie in the cache; all later
steps do that.
"""

from dataclasses import dataclass

from .cache import PAGE
from .rope import rope_table, softmax_scale
from .step import Buffers
from .weights import Dense

LATENT_EPSILON = 1e-6  # of the norms of latents; config.json has that of the others


def linear_shapes(config, layer, number):
    """Matrices of one layer, which DeepSeek ships in float8 where the model is."""
    c, attention, mlp = config, f"{layer}.self_attn", f"{layer}.mlp"
    query = c.heads * (c.nope + c.rope_size)
    if c.q_rank:
        shapes = {
            f"{attention}.q_a_proj.weight": (c.q_rank, c.hidden),
            f"{attention}.q_b_proj.weight": (query, c.q_rank),
        }
    else:
        shapes = {f"{attention}.q_proj.weight": (query, c.hidden)}
    shapes |= {
        f"{attention}.kv_a_proj_with_mqa.weight": (c.kv_rank + c.rope_size, c.hidden),
        f"{attention}.kv_b_proj.weight": (c.heads * (c.nope + c.value), c.kv_rank),
        f"{attention}.o_proj.weight": (c.hidden, c.heads * c.value),
    }
    mlps = {mlp: c.intermediate}
    if number >= c.dense_layers:
        mlps = {f"{mlp}.experts.{expert}": c.expert_intermediate for expert in range(c.experts)}
        if c.shared_experts:
            mlps[f"{mlp}.shared_experts"] = c.expert_intermediate * c.shared_experts
    for name, intermediate in mlps.items():
        shapes |= {
            f"{name}.gate_proj.weight": (intermediate, c.hidden),
            f"{name}.up_proj.weight": (intermediate, c.hidden),
            f"{name}.down_proj.weight": (c.hidden, intermediate),
        }
    return shapes


def tensors(config) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights as published."""
    c = config
    shapes = {"model.embed_tokens.weight": (c.vocabulary, c.hidden), "model.norm.weight": (c.hidden,)}
    if not c.tied:
        shapes["lm_head.weight"] = (c.vocabulary, c.hidden)
    for number in range(c.layers):
        layer = f"model.layers.{number}"
        linear = linear_shapes(c, layer, number)
        shapes |= linear
        if c.fp8_block:
            blocks = {name: tuple(-(-size // c.fp8_block) for size in shape) for name, shape in linear.items()}
            shapes |= {f"{name}_scale_inv": shape for name, shape in blocks.items()}
        for norm in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{layer}.{norm}.weight"] = (c.hidden,)
        shapes[f"{layer}.self_attn.kv_a_layernorm.weight"] = (c.kv_rank,)
        if c.q_rank:
            shapes[f"{layer}.self_attn.q_a_layernorm.weight"] = (c.q_rank,)
        if number >= c.dense_layers:
            shapes[f"{layer}.mlp.gate.weight"] = (c.experts, c.hidden)
            if c.sigmoid:
                shapes[f"{layer}.mlp.gate.e_score_correction_bias"] = (c.experts,)
    return shapes


def cache_shapes(config):
    """A token's latent with its rotated key."""
    return [(config.kv_rank + config.rope_size,)]


def step_rows(config, dtype):
    """The arrays that a step works in: sizes of a token's row, and types."""
    c, query, chosen = config, config.nope + config.rope_size, config.experts_per_token + config.shared_experts
    return {
        "residual": ((c.hidden,), dtype),
        "x": ((c.hidden,), dtype),
        "y": ((c.hidden,), dtype),
        "q_low": ((c.q_rank or 1,), dtype),
        "q": ((c.heads, query), dtype),
        "latent": ((c.kv_rank + c.rope_size,), dtype),
        "query": ((c.heads, c.kv_rank + c.rope_size), dtype),
        "mixed": ((c.heads, c.kv_rank), dtype),
        "attended": ((c.heads, c.value), dtype),
        "kv": ((c.heads, c.nope + c.value), dtype),
        "keys": ((c.heads, query), dtype),
        "gate_up": ((2 * c.intermediate,), dtype),
        "activated": ((c.intermediate,), dtype),
        "scores": ((c.experts,), "float32"),
        "weights": ((chosen,), "float32"),
        "experts": ((chosen,), "int32"),
    }


def result_rows(config, dtype):
    """The same for the rows whose logits are wanted."""
    return {"x": ((config.hidden,), dtype), "logits": ((config.vocabulary,), "float32")}


@dataclass
class Attention:
    norm: object  # [H]
    q_a: object | None  # [q_rank, H]
    q_norm: object | None  # [q_rank]
    q: object  # [heads (nope + rope), q_rank or H]
    latent: object  # [kv_rank + rope, H]
    latent_norm: object  # [kv_rank]
    kv: Dense  # [heads (nope + value), kv_rank]
    key: object  # [heads, kv_rank, nope]: the key matrices of kv, transposed
    value: object  # [heads, value, kv_rank]: its value matrices
    output: object  # [H, heads value]


@dataclass
class Mlp:
    norm: object  # [H]
    gate_up: object  # [2 I, H]
    down: object  # [H, I]


@dataclass
class Routed:
    norm: object  # [H]
    router: Dense  # [E, H]
    bias: object | None  # f32 [E]
    experts: object  # the routed ones, then the shared ones


def load_attention(load, config, layer) -> Attention:
    c, name = config, f"{layer}.self_attn"
    q_names = ("q_a_proj", "q_b_proj") if c.q_rank else (None, "q_proj")
    kv = load.array(f"{name}.kv_b_proj.weight")
    by_head = kv.reshape(c.heads, c.nope + c.value, c.kv_rank)
    return Attention(
        norm=load.array(f"{layer}.input_layernorm.weight"),
        q_a=load.linear(f"{name}.q_a_proj.weight") if c.q_rank else None,
        q_norm=load.array(f"{name}.q_a_layernorm.weight") if c.q_rank else None,
        q=load.linear(f"{name}.{q_names[1]}.weight"),
        latent=load.linear(f"{name}.kv_a_proj_with_mqa.weight"),
        latent_norm=load.array(f"{name}.kv_a_layernorm.weight"),
        kv=Dense(kv),
        key=by_head[:, : c.nope].swapaxes(1, 2),
        value=by_head[:, c.nope :],
        output=load.linear(f"{name}.o_proj.weight"),
    )


def load_mlp(load, config, layer, number) -> Mlp | Routed:
    name, norm = f"{layer}.mlp", load.array(f"{layer}.post_attention_layernorm.weight")
    if number < config.dense_layers:
        gate_up = load.linear(f"{name}.gate_proj.weight", f"{name}.up_proj.weight")
        return Mlp(norm, gate_up, load.linear(f"{name}.down_proj.weight"))
    bias = load.array(f"{name}.gate.e_score_correction_bias", "float32") if config.sigmoid else None
    routed = [f"{name}.experts.{expert}" for expert in range(config.experts)]
    experts = load.experts(routed, f"{name}.shared_experts", config.shared_experts)
    return Routed(norm, Dense(load.array(f"{name}.gate.weight")), bias, experts)


class Deepseek:
    """Weights of `load`, and the pass of one step through them: of at most so many `tokens`, with `results` rows of
    logits, at positions below `context`."""

    def __init__(self, config, load, ops, *, tokens, results, context):
        c, self.config, self.ops, self.arrays = config, config, ops, load.arrays
        self.embedding = load.array("model.embed_tokens.weight")
        names = [f"model.layers.{number}" for number in range(c.layers)]
        self.layers = [(load_attention(load, c, n), load_mlp(load, c, n, i)) for i, n in enumerate(names)]
        self.norm = load.array("model.norm.weight")
        self.head = Dense(self.embedding if c.tied else load.array("lm_head.weight"))
        self.rope = load.arrays.put(rope_table(c.rope, c.rope_size, context))
        self.scale = softmax_scale(c.rope, c.nope + c.rope_size)
        self.plain = True  # whether first chunks take the plain form
        self.make_buffers(load, tokens, results)

    def make_buffers(self, load, tokens, results):
        c, dtype, arrays = self.config, load.dtype, load.arrays
        self.buffers = Buffers(arrays, tokens, step_rows(c, dtype))
        self.results = Buffers(arrays, results, result_rows(c, dtype))
        # Shared experts are further ones that every token chooses with weight 1.
        self.buffers.arrays["weights"][...] = 1
        for place in range(c.shared_experts):
            self.buffers.arrays["experts"][:, c.experts_per_token + place] = c.experts + place
        pages = tokens // PAGE + results  # every request begins a page of its own
        self.plain_keys = arrays.zeros((pages, PAGE, c.heads, c.nope + c.rope_size), dtype)
        self.plain_values = arrays.zeros((pages, PAGE, c.heads, c.value), dtype)

    def forward(self, step, cache):
        """Logits f32 [rows, V] of the rows that the step asks for, valid until the next step."""
        ops, c, w = self.ops, self.config, self.buffers.take(step.tokens)
        ops.embedding(step.ids, self.embedding, w.residual)
        ops.rms_norm(w.residual, self.layers[0][0].norm, w.x, epsilon=c.epsilon)
        next_norms = [attention.norm for attention, _ in self.layers[1:]] + [self.norm]
        for (attention, mlp), next_norm, (latents,) in zip(self.layers, next_norms, cache.layers, strict=True):
            self.attention(attention, step, latents, w)
            ops.add_rms_norm(w.y, w.residual, mlp.norm, w.x, epsilon=c.epsilon)
            self.routed(mlp, w) if isinstance(mlp, Routed) else self.mlp(mlp, w)
            ops.add_rms_norm(w.y, w.residual, next_norm, w.x, epsilon=c.epsilon)
        results = self.results.take(step.results)
        if step.results:  # none in the middle of a prompt
            ops.embedding(step.rows, w.x, results.x)  # picks rows
            self.head.apply(ops, results.x, results.logits)
        return results.logits

    def attention(self, layer, step, latents, w):
        """w.y = attention of w.x, whose latents join the cache."""
        ops, c, rows = self.ops, self.config, step.tokens
        low = w.x
        if layer.q_a:
            low = w.q_low
            layer.q_a.apply(ops, w.x, low)
            ops.rms_norm(low, layer.q_norm, low, epsilon=LATENT_EPSILON)
        layer.q.apply(ops, low, w.q.reshape(rows, -1))
        layer.latent.apply(ops, w.x, w.latent)
        latent, rotated = w.latent[:, : c.kv_rank], w.latent[:, None, c.kv_rank :]
        ops.rms_norm(latent, layer.latent_norm, latent, epsilon=LATENT_EPSILON)
        ops.rope(rotated, step.positions, self.rope, interleaved=c.rope_interleaved)
        ops.rope(w.q[..., c.nope :], step.positions, self.rope, interleaved=c.rope_interleaved)
        ops.latent_append(w.latent, latents, step.slots)
        if step.fresh and self.plain:
            self.attend_plain(layer, step, latent, rotated, w)
        else:
            self.attend_absorbed(layer, step, latents, w)
        layer.output.apply(ops, w.attended.reshape(rows, -1), w.y)

    def attend_plain(self, layer, step, latent, rotated, w):
        """w.attended from keys and values of this step's tokens, which are all of their requests."""
        c, fresh = self.config, step.fresh
        layer.kv.apply(self.ops, latent, w.kv.reshape(step.tokens, -1))
        w.keys[..., : c.nope] = w.kv[..., : c.nope]
        w.keys[..., c.nope :] = rotated
        keys, values = self.plain_keys, self.plain_values
        self.ops.append(w.keys, w.kv[..., c.nope :], keys, values, fresh.slots)
        self.ops.attention(
            w.q, keys, values, fresh.tables, step.starts, step.lengths, w.attended, scale=self.scale
        )  # fmt: skip

    def attend_absorbed(self, layer, step, latents, w):
        """w.attended from the latents in the cache: q (K latent) = (q K) latent, and the sum of V latents = V (sum)."""
        ops, c = self.ops, self.config
        ops.head_linear(w.q[..., : c.nope], layer.key, w.query[..., : c.kv_rank])
        w.query[..., c.kv_rank :] = w.q[..., c.nope :]
        ops.latent_attention(w.query, latents, step.tables, step.starts, step.lengths, w.mixed, scale=self.scale)
        ops.head_linear(w.mixed, layer.value, w.attended)

    def mlp(self, layer, w):
        """w.y = down(silu(gate x) * up x)."""
        layer.gate_up.apply(self.ops, w.x, w.gate_up)
        self.ops.silu_mul(w.gate_up, w.activated)
        layer.down.apply(self.ops, w.activated, w.y)

    def routed(self, layer, w):
        """w.y = the weighted sum of the experts that the router chooses for each token, and of the shared ones."""
        ops, c, chosen = self.ops, self.config, self.config.experts_per_token
        layer.router.apply(ops, w.x, w.scores)
        ops.route(
            w.scores,
            layer.bias,
            w.weights[:, :chosen],
            w.experts[:, :chosen],
            sigmoid=c.sigmoid,
            groups=c.groups,
            top_groups=c.top_groups,
            normalize=c.normalize,
            scale=c.route_scale,
        )
        layer.experts.apply(ops, w.x, w.weights, w.experts, w.y)
