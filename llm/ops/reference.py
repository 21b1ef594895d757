# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation in NumPy and f32, in its plainest form; the table in __init__.py has shapes and types."""

import numpy as np

from ..weights import BLOCK, FP8_MAX, spread

F32 = np.float32


def embedding(ids, table, out):
    out[...] = table[ids]


def rms_norm(x, weight, out, *, epsilon):
    x = x.astype(F32)
    mean = (x * x).mean(axis=-1, keepdims=True)
    out[...] = x / np.sqrt(mean + F32(epsilon)) * weight.astype(F32)


def add_rms_norm(x, residual, weight, out, *, epsilon):
    residual[...] = residual.astype(F32) + x.astype(F32)
    rms_norm(residual, weight, out, epsilon=epsilon)


def linear(x, weight, out):
    out[...] = x.astype(F32) @ weight.astype(F32).T


def linear_int8(x, weight, scales, out):
    out[...] = x.astype(F32) @ weight.astype(F32).T * scales


def unpack_int4(packed, scales, group):
    """[N, K] f32 from two values a byte, the first in the low half."""
    values = np.stack((packed & 15, packed >> 4), axis=-1).reshape(len(packed), -1).astype(F32) - 8
    return values * np.repeat(scales, group, axis=1)


def linear_int4(x, packed, scales, out, *, group):
    out[...] = x.astype(F32) @ unpack_int4(packed, scales, group).T


def round_to_fp8(x, dtype):
    """x [T, K] after quantizing every token's 128 columns with a scale of their own, in f32."""
    tokens, columns = x.shape
    padded = np.zeros((tokens, -(-columns // BLOCK), BLOCK), F32)
    padded.reshape(tokens, -1)[:, :columns] = x
    scales = np.maximum(np.abs(padded).max(axis=2, keepdims=True) / FP8_MAX, np.finfo(F32).tiny)
    rounded = (padded / scales).astype(dtype).astype(F32) * scales
    return rounded.reshape(tokens, -1)[:, :columns]


def linear_fp8(x, weight, scales, out):
    dense = weight.astype(F32) * spread(scales, weight.shape)
    out[...] = round_to_fp8(x.astype(F32), weight.dtype) @ dense.T


def head_linear(x, weight, out):
    out[...] = np.einsum("thk,hnk->thn", x.astype(F32), weight.astype(F32))


def rope(x, positions, table, *, interleaved):
    half = x.shape[-1] // 2
    cosines, sines = (part[:, None, :] for part in np.split(table[positions], 2, axis=1))
    first, second = (np.s_[..., 0::2], np.s_[..., 1::2]) if interleaved else (np.s_[..., :half], np.s_[..., half:])
    a, b = x[first].astype(F32), x[second].astype(F32)
    x[first] = a * cosines - b * sines
    x[second] = b * cosines + a * sines


def silu(x):
    return x / (1 + np.exp(-x))


def silu_mul(gate_up, out):
    gate, up = np.split(gate_up.astype(F32), 2, axis=-1)
    out[...] = silu(gate) * up


def append(k, v, cache_k, cache_v, slots):
    page = cache_k.shape[1]
    cache_k[slots // page, slots % page] = k
    cache_v[slots // page, slots % page] = v


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale):
    heads, kv_heads, page = q.shape[1], cache_k.shape[2], cache_k.shape[1]
    for r, length in enumerate(lengths):
        rows = slice(starts[r], starts[r + 1])
        pages = tables[r, : -(-length // page)]
        keys, values = (
            np.repeat(cache[pages].reshape(-1, kv_heads, cache.shape[3])[:length].astype(F32), heads // kv_heads, 1)
            for cache in (cache_k, cache_v)
        )
        scores = np.einsum("thd,shd->hts", q[rows].astype(F32), keys) * F32(scale)
        queries = scores.shape[1]
        position = np.arange(length - queries, length)
        scores[:, np.arange(length) > position[:, None]] = -np.inf
        out[rows] = np.einsum("hts,shd->thd", softmax(scores), values)


def latent_append(latent, cache, slots):
    page = cache.shape[1]
    cache[slots // page, slots % page] = latent


def latent_attention(q, cache, tables, starts, lengths, out, *, scale):
    keys = cache[:, :, None, :]
    attention(q, keys, keys[..., : out.shape[2]], tables, starts, lengths, out, scale=scale)


def largest(values, count):
    """Indices [T, count] of the largest values of rows, in falling order; of equal ones the first."""
    return np.argsort(-values, axis=1, kind="stable")[:, :count]


def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale):
    gate = 1 / (1 + np.exp(-scores)) if sigmoid else softmax(scores)
    choice = gate if bias is None else gate + bias
    if groups > 1:
        grouped = choice.reshape(len(choice), groups, -1)
        best = np.sort(grouped, axis=2)
        value = best[:, :, -2:].sum(axis=2) if sigmoid else best[:, :, -1]
        allowed = np.zeros(value.shape, bool)
        np.put_along_axis(allowed, largest(value, top_groups), True, axis=1)
        choice = np.where(allowed[:, :, None], grouped, -np.inf).reshape(choice.shape)
    ids[...] = largest(choice, ids.shape[1])
    chosen = np.take_along_axis(gate, ids, axis=1)
    if normalize:
        chosen = chosen / (chosen.sum(axis=1, keepdims=True) + F32(1e-20))
    weights[...] = chosen * F32(scale)


def experts(x, gate_up, down, weights, ids, out):
    total = np.zeros(out.shape, F32)
    for expert in np.unique(ids):
        tokens, places = np.nonzero(ids == expert)
        hidden = np.empty((len(tokens), down.shape[2]), x.dtype)
        silu_mul(x[tokens].astype(F32) @ gate_up[expert].astype(F32).T, hidden)
        result = hidden.astype(F32) @ down[expert].astype(F32).T
        np.add.at(total, tokens, result * weights[tokens, places, None])
    out[...] = total


def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    total = np.zeros(out.shape, F32)
    for expert in np.unique(ids):
        tokens, places = np.nonzero(ids == expert)
        both = np.empty((len(tokens), gate_up.shape[1]), F32)
        linear_fp8(x[tokens], gate_up[expert], gate_up_scales[expert], both)
        hidden = np.empty((len(tokens), down.shape[2]), x.dtype)
        silu_mul(both, hidden)
        result = np.empty((len(tokens), out.shape[1]), F32)
        linear_fp8(hidden, down[expert], down_scales[expert], result)
        np.add.at(total, tokens, result * weights[tokens, places, None])
    out[...] = total


def kept(probabilities, top_k, top_p, min_p):
    """Whether a token of one row may be drawn: the top_k most probable, the fewest that reach top_p, those of at least
    min_p times the largest; the most probable one always."""
    order = np.argsort(-probabilities, kind="stable")
    falling = probabilities[order]
    rank = np.arange(len(falling))
    before = np.cumsum(falling) - falling
    keep = (before < top_p) & (falling >= min_p * falling[0])
    if top_k > 0:
        keep &= rank < top_k
    keep[0] = True
    result = np.zeros(len(falling), bool)
    result[order] = keep
    return result


def mix(x):
    """Spreads every bit of u32 numbers over all 32."""
    x = (x ^ x >> 16) * np.uint32(0x7FEB352D)
    x = (x ^ x >> 15) * np.uint32(0x846CA68B)
    return x ^ x >> 16


def noise(seed, step, size):
    """[size] f32 of Gumbel's distribution: the largest of logits plus noise is a draw from their softmax."""
    low, high, step = np.array([seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF, step], np.uint32)[:, None]
    key = mix(mix(low) ^ mix(high ^ np.uint32(0x9E3779B9)) ^ step * np.uint32(0x85EBCA6B))
    bits = mix(key ^ mix(np.arange(size, dtype=np.uint32)))
    uniform = ((bits >> 9).astype(F32) + F32(0.5)) / F32(1 << 23)  # exact; of 24 bits the last one would round to 1
    return -np.log(-np.log(uniform))


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps):
    for r, row in enumerate(logits.astype(F32)):
        if temperature[r] == 0:
            out[r] = row.argmax()
            continue
        scaled = row / F32(temperature[r])
        keep = kept(softmax(scaled[None])[0], top_k[r], top_p[r], min_p[r])
        drawn = scaled + noise(int(seeds[r]), int(steps[r]), len(row))
        out[r] = np.where(keep, drawn, -np.inf).argmax()


DEVICES = ("cpu",)
OPERATIONS = {
    function.__name__: function
    for function in (
        embedding,
        rms_norm,
        add_rms_norm,
        linear,
        linear_int8,
        linear_int4,
        linear_fp8,
        head_linear,
        rope,
        silu_mul,
        append,
        attention,
        latent_append,
        latent_attention,
        route,
        experts,
        experts_fp8,
        sample,
    )
}
