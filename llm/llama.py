# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Llama 3, 3.1 and 3.2, from token ids to logits."""

from dataclasses import dataclass

from .rope import rope_table, softmax_scale
from .step import Buffers
from .weights import Dense


def tensors(config) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights as published."""
    c = config
    shapes = {"model.embed_tokens.weight": (c.vocabulary, c.hidden), "model.norm.weight": (c.hidden,)}
    if not c.tied:
        shapes["lm_head.weight"] = (c.vocabulary, c.hidden)
    for number in range(c.layers):
        layer = f"model.layers.{number}"
        shapes |= {
            f"{layer}.input_layernorm.weight": (c.hidden,),
            f"{layer}.self_attn.q_proj.weight": (c.heads * c.head, c.hidden),
            f"{layer}.self_attn.k_proj.weight": (c.kv_heads * c.head, c.hidden),
            f"{layer}.self_attn.v_proj.weight": (c.kv_heads * c.head, c.hidden),
            f"{layer}.self_attn.o_proj.weight": (c.hidden, c.heads * c.head),
            f"{layer}.post_attention_layernorm.weight": (c.hidden,),
            f"{layer}.mlp.gate_proj.weight": (c.intermediate, c.hidden),
            f"{layer}.mlp.up_proj.weight": (c.intermediate, c.hidden),
            f"{layer}.mlp.down_proj.weight": (c.hidden, c.intermediate),
        }
    return shapes


def cache_shapes(config):
    """A token's key and value."""
    return [(config.kv_heads, config.head)] * 2


def step_rows(config, dtype):
    """The arrays that a step works in: sizes of a token's row, and types."""
    c = config
    return {
        "residual": ((c.hidden,), dtype),
        "x": ((c.hidden,), dtype),
        "y": ((c.hidden,), dtype),
        "qkv": ((c.heads + 2 * c.kv_heads, c.head), dtype),
        "attended": ((c.heads, c.head), dtype),
        "gate_up": ((2 * c.intermediate,), dtype),
        "activated": ((c.intermediate,), dtype),
    }


def result_rows(config, dtype):
    """The same for the rows whose logits are wanted."""
    return {"x": ((config.hidden,), dtype), "logits": ((config.vocabulary,), "float32")}


@dataclass
class Layer:
    attention_norm: object  # [H]
    qkv: object  # [(heads + 2 KV) D, H]
    output: object  # [H, heads D]
    mlp_norm: object  # [H]
    gate_up: object  # [2 I, H]
    down: object  # [H, I]


class Llama:
    """Weights of `load`, and the pass of one step through them: of at most so many `tokens`, with `results` rows of
    logits, at positions below `context`."""

    def __init__(self, config, load, ops, *, tokens, results, context):
        c, self.config, self.ops, self.arrays = config, config, ops, load.arrays
        self.embedding = load.array("model.embed_tokens.weight")
        self.layers = [self.load_layer(load, f"model.layers.{number}") for number in range(c.layers)]
        self.norm = load.array("model.norm.weight")
        self.head = Dense(self.embedding if c.tied else load.array("lm_head.weight"))
        self.rope = load.arrays.put(rope_table(c.rope, c.head, context))
        self.scale = softmax_scale(c.rope, c.head)
        self.buffers = Buffers(load.arrays, tokens, step_rows(c, load.dtype))
        self.results = Buffers(load.arrays, results, result_rows(c, load.dtype))

    @staticmethod
    def load_layer(load, name):
        attention, mlp = f"{name}.self_attn", f"{name}.mlp"
        return Layer(
            attention_norm=load.array(f"{name}.input_layernorm.weight"),
            qkv=load.linear(*(f"{attention}.{part}_proj.weight" for part in "qkv")),
            output=load.linear(f"{attention}.o_proj.weight"),
            mlp_norm=load.array(f"{name}.post_attention_layernorm.weight"),
            gate_up=load.linear(f"{mlp}.gate_proj.weight", f"{mlp}.up_proj.weight"),
            down=load.linear(f"{mlp}.down_proj.weight"),
        )

    def forward(self, step, cache):
        """Logits f32 [rows, V] of the rows that the step asks for, valid until the next step."""
        ops, c, w = self.ops, self.config, self.buffers.take(step.tokens)
        ops.embedding(step.ids, self.embedding, w.residual)
        ops.rms_norm(w.residual, self.layers[0].attention_norm, w.x, epsilon=c.epsilon)
        next_norms = [layer.attention_norm for layer in self.layers[1:]] + [self.norm]
        for layer, next_norm, arrays in zip(self.layers, next_norms, cache.layers, strict=True):
            self.attention(layer, step, arrays, w)
            ops.add_rms_norm(w.y, w.residual, layer.mlp_norm, w.x, epsilon=c.epsilon)
            self.mlp(layer, w)
            ops.add_rms_norm(w.y, w.residual, next_norm, w.x, epsilon=c.epsilon)
        results = self.results.take(step.results)
        if step.results:  # none in the middle of a prompt
            ops.embedding(step.rows, w.x, results.x)  # picks rows
            self.head.apply(ops, results.x, results.logits)
        return results.logits

    def attention(self, layer, step, arrays, w):
        """w.y = attention of w.x, whose keys and values join the cache."""
        ops, c = self.ops, self.config
        rows = w.x.shape[0]
        layer.qkv.apply(ops, w.x, w.qkv.reshape(rows, -1))
        q, k, v = w.qkv[:, : c.heads], w.qkv[:, c.heads : -c.kv_heads], w.qkv[:, -c.kv_heads :]
        ops.rope(w.qkv[:, : -c.kv_heads], step.positions, self.rope, interleaved=False)
        ops.append(k, v, *arrays, step.slots)
        ops.attention(q, *arrays, step.tables, step.starts, step.lengths, w.attended, scale=self.scale)
        layer.output.apply(ops, w.attended.reshape(rows, -1), w.y)

    def mlp(self, layer, w):
        """w.y = down(silu(gate x) * up x)."""
        layer.gate_up.apply(self.ops, w.x, w.gate_up)
        self.ops.silu_mul(w.gate_up, w.activated)
        layer.down.apply(self.ops, w.activated, w.y)
