# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Llama of two layers that learns bytes of a text, by the functions of a model: PyTorch's, or those of a module such
as tilewright.ops."""

import pathlib

import torch
from torch.nn import functional

TEXT = pathlib.Path(__file__).parents[3] / "LICENSE"
VOCABULARY, SIZE, HEADS, KV_HEADS, INNER, LAYERS = 256, 64, 4, 2, 192, 2
LENGTH, SEQUENCES = 64, 4
HEAD = SIZE // HEADS


class InTorch:
    """PyTorch's function for each operation."""

    linear = staticmethod(functional.linear)

    @staticmethod
    def rms_norm(x, weight):
        return functional.rms_norm(x, weight.shape, weight, 1e-6)

    @staticmethod
    def rope(x, positions, table):
        cosine, sine = table[positions.long()].to(x.dtype)[:, None].chunk(2, 2)
        first, second = x.chunk(2, 2)
        return torch.cat((first * cosine - second * sine, second * cosine + first * sine), 2)

    @staticmethod
    def silu_and_mul(x):
        gate, up = x.chunk(2, -1)
        return functional.silu(gate) * up

    @staticmethod
    def attention(q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)

    @staticmethod
    def cross_entropy(logits, labels):
        return functional.cross_entropy(logits.float(), labels, reduction="none")


def weights(device):
    """float32, by name; the same for the same version of PyTorch."""
    torch.manual_seed(0)
    shapes = {"embedding": (VOCABULARY, SIZE), "norm": (SIZE,)}
    for layer in range(LAYERS):
        shapes |= {f"{layer}.norm1": (SIZE,), f"{layer}.qkv": (SIZE + 2 * KV_HEADS * HEAD, SIZE)}
        shapes |= {f"{layer}.out": (SIZE, SIZE), f"{layer}.norm2": (SIZE,)}
        shapes |= {f"{layer}.gate_up": (2 * INNER, SIZE), f"{layer}.down": (SIZE, INNER)}
    made = {name: torch.ones(shape) if "norm" in name else torch.randn(shape) * 0.05 for name, shape in shapes.items()}
    return {name: weight.to(device).requires_grad_() for name, weight in made.items()}


def table(device):
    angles = torch.arange(LENGTH)[:, None] * 10000.0 ** -(torch.arange(0, HEAD, 2) / HEAD)
    return torch.cat((angles.cos(), angles.sin()), 1).to(device)


def heads_of(x):
    """[B, heads, S, D] of [B S, heads, D], a view."""
    return x.view(SEQUENCES, LENGTH, *x.shape[1:]).transpose(1, 2)


def loss(model, w, angles, tokens, dtype):
    """The mean loss of the next byte; computed in a dtype from weights in float32."""
    w = {name: weight.to(dtype) for name, weight in w.items()}
    inputs, labels = tokens[:, :-1].reshape(-1), tokens[:, 1:].reshape(-1)
    positions = torch.arange(LENGTH, dtype=torch.int32, device=tokens.device).repeat(SEQUENCES)
    x = functional.embedding(inputs, w["embedding"])
    for i in range(LAYERS):
        qkv = model.linear(model.rms_norm(x, w[f"{i}.norm1"]), w[f"{i}.qkv"]).view(len(x), -1, HEAD)
        q, k, v = qkv.split((HEADS, KV_HEADS, KV_HEADS), 1)
        q, k = model.rope(q, positions, angles), model.rope(k, positions, angles)
        seen = model.attention(heads_of(q), heads_of(k), heads_of(v)).transpose(1, 2).reshape(len(x), SIZE)
        x = x + model.linear(seen, w[f"{i}.out"])
        inner = model.linear(model.rms_norm(x, w[f"{i}.norm2"]), w[f"{i}.gate_up"])
        x = x + model.linear(model.silu_and_mul(inner), w[f"{i}.down"])
    logits = model.linear(model.rms_norm(x, w["norm"]), w["embedding"])
    return model.cross_entropy(logits, labels).mean()


def train(model, dtype, steps, device="cpu", compiled=False):
    """The loss before each step of AdamW."""
    text = torch.frombuffer(bytearray(TEXT.read_bytes()), dtype=torch.uint8).long()
    w, angles = weights(device), table(device)
    optimizer = torch.optim.AdamW(w.values(), lr=3e-3)
    function = torch.compile(loss, fullgraph=True, backend="aot_eager") if compiled else loss
    choose, losses = torch.Generator().manual_seed(1), []
    for _ in range(steps):
        starts = torch.randint(len(text) - LENGTH - 1, (SEQUENCES,), generator=choose)
        tokens = torch.stack([text[start : start + LENGTH + 1] for start in starts]).to(device)
        value = function(model, w, angles, tokens, dtype)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return torch.tensor(losses)
