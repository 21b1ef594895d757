# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation in PyTorch, as its users write it: eager calls, and the library's own attention. NumPy's arrays are
taken as tensors of the same memory."""

import functools

import numpy as np
import torch

from ..weights import BLOCK, FP8_MAX

F32 = torch.float32
PLAIN = {"bfloat16": np.int16, "float8_e4m3fn": np.uint8}  # types that from_numpy does not know


def tensor(value):
    if not isinstance(value, np.ndarray):
        return value
    name = value.dtype.name
    if name in PLAIN:
        return torch.from_numpy(value.view(PLAIN[name])).view(getattr(torch, name))
    return torch.from_numpy(value)


def on_tensors(function):
    @functools.wraps(function)
    @torch.no_grad()
    def call(*arguments, **options):
        return function(*map(tensor, arguments), **{name: tensor(value) for name, value in options.items()})

    return call


def embedding(ids, table, out):
    torch.index_select(table, 0, ids, out=out)


def rms_norm(x, weight, out, *, epsilon):
    out.copy_(torch.nn.functional.rms_norm(x.to(F32), x.shape[-1:], weight.to(F32), epsilon))


def add_rms_norm(x, residual, weight, out, *, epsilon):
    residual += x
    rms_norm(residual, weight, out, epsilon=epsilon)


def linear(x, weight, out):
    if out.dtype == x.dtype and out.is_contiguous():
        torch.mm(x, weight.T, out=out)
    else:
        out.copy_(x.to(out.dtype) @ weight.T.to(out.dtype))


def linear_int8(x, weight, scales, out):
    out.copy_((x @ weight.T.to(x.dtype)) * scales)


def linear_int4(x, packed, scales, out, *, group):
    values = torch.stack((packed & 15, packed >> 4), -1).reshape(len(packed), -1, group).to(F32) - 8
    out.copy_(x @ (values * scales[:, :, None]).reshape(len(packed), -1).T.to(x.dtype))


def dense(weight, scales):
    """Matrices [..., N, K] of f8 in f32, with their scales of blocks."""
    rows, columns = weight.shape[-2:]
    return weight.to(F32) * scales.repeat_interleave(BLOCK, -2).repeat_interleave(BLOCK, -1)[..., :rows, :columns]


def round_to_fp8(x, dtype):
    tokens, columns = x.shape
    padded = torch.nn.functional.pad(x.to(F32), (0, -columns % BLOCK)).reshape(tokens, -1, BLOCK)
    scales = (padded.abs().amax(2, keepdim=True) / FP8_MAX).clamp(min=torch.finfo(F32).tiny)
    return ((padded / scales).to(dtype).to(F32) * scales).reshape(tokens, -1)[:, :columns]


def linear_fp8(x, weight, scales, out):
    out.copy_(round_to_fp8(x, weight.dtype) @ dense(weight, scales).T)


def head_linear(x, weight, out):
    out.copy_(torch.bmm(x.transpose(0, 1), weight.transpose(1, 2)).transpose(0, 1))


def rope(x, positions, table, *, interleaved):
    cosines, sines = table[positions][:, None, :].chunk(2, -1)
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    rotated = a * cosines - b * sines, b * cosines + a * sines  # in f32, as the table is
    a.copy_(rotated[0])
    b.copy_(rotated[1])


def silu_mul(gate_up, out):
    gate, up = gate_up.chunk(2, -1)
    torch.mul(torch.nn.functional.silu(gate), up, out=out)


def append(k, v, cache_k, cache_v, slots):
    cache_k.flatten(0, 1)[slots] = k
    cache_v.flatten(0, 1)[slots] = v


def attend(q, k, v, mask, scale):
    """q [B, S, heads, D] over k and v [B, L, KV, D] where the mask [B, 1, S, L] allows."""
    parts = (part.transpose(1, 2) for part in (q, k, v))
    options = {"attn_mask": mask, "scale": scale, "enable_gqa": True}
    return torch.nn.functional.scaled_dot_product_attention(*parts, **options).transpose(1, 2)


def attention(q, cache_k, cache_v, tables, starts, lengths, out, *, scale):
    page, requests = cache_k.shape[1], len(lengths)
    if len(q) == requests:  # one query each, all at once and without values that the host has to know
        k, v = cache_k[tables].flatten(1, 2), cache_v[tables].flatten(1, 2)
        mask = torch.arange(k.shape[1], device=k.device) < lengths[:, None]
        out.copy_(attend(q[:, None], k, v, mask[:, None, None], scale)[:, 0])
        return
    starts = starts.tolist()
    for r, length in enumerate(lengths.tolist()):
        pages = tables[r, : -(-length // page)]
        k, v = (cache[pages].flatten(0, 1)[None, :length] for cache in (cache_k, cache_v))
        queries = starts[r + 1] - starts[r]
        mask = torch.ones(queries, length, dtype=torch.bool, device=q.device).tril(length - queries)
        rows = slice(starts[r], starts[r + 1])
        out[rows] = attend(q[None, rows], k, v, mask[None, None], scale)[0]


def latent_append(latent, cache, slots):
    cache.flatten(0, 1)[slots] = latent


def latent_attention(q, cache, tables, starts, lengths, out, *, scale):
    keys = cache[:, :, None, :]
    attention(q, keys, keys[..., : out.shape[2]], tables, starts, lengths, out, scale=scale)


def route(scores, bias, weights, ids, *, sigmoid, groups, top_groups, normalize, scale):
    gate = scores.sigmoid() if sigmoid else scores.softmax(-1)
    choice = gate if bias is None else gate + bias
    if groups > 1:
        grouped = choice.unflatten(1, (groups, -1))
        value = grouped.topk(2, -1)[0].sum(-1) if sigmoid else grouped.amax(-1)
        allowed = torch.zeros_like(value, dtype=torch.bool).scatter_(1, value.topk(top_groups, -1)[1], True)
        choice = grouped.masked_fill(~allowed[:, :, None], -torch.inf).flatten(1)
    chosen = choice.topk(ids.shape[1], -1)[1]
    picked = gate.gather(1, chosen)
    if normalize:
        picked = picked / (picked.sum(-1, keepdim=True) + 1e-20)
    ids.copy_(chosen)
    weights.copy_(picked * scale)


def through_experts(x, ids, weights, out, expert_of):
    """The weighted sum of expert_of(expert)(rows of x), expert by expert."""
    total = torch.zeros(out.shape, dtype=F32, device=out.device)
    for expert in ids.unique().tolist():
        tokens, places = (ids == expert).nonzero(as_tuple=True)
        total.index_add_(0, tokens, expert_of(expert, x[tokens]).to(F32) * weights[tokens, places, None])
    out.copy_(total)


def few(ids):
    """Whether to copy the matrices of the chosen experts, which needs no value on the host, as graphs want it."""
    return ids.numel() <= 16 or (ids.is_cuda and torch.cuda.is_current_stream_capturing())


def of_copies(x, gate_up, down, weights, out, between=lambda x: x):
    """The weighted sum over experts, each with matrices of its own in gate_up [T, k, 2I, H] and down [T, k, H, I]."""
    gate, up = torch.einsum("th,tkih->tki", x, gate_up).chunk(2, -1)
    results = torch.einsum("tki,tkhi->tkh", between(torch.nn.functional.silu(gate) * up), down)
    out.copy_((results.to(F32) * weights[:, :, None]).sum(1))


def grouped_experts(x, gate_up, down, weights, ids, out):
    """By products of groups of rows, sorted by their experts; no value is needed on the host."""
    order = ids.flatten().sort(stable=True)[1]
    ends = torch.histc(ids.to(torch.int32), bins=len(down), min=0, max=len(down) - 1).cumsum(0, dtype=torch.int32)
    product = torch.nn.functional.grouped_mm
    gate, up = product(x[order // ids.shape[1]], gate_up.transpose(1, 2), offs=ends).chunk(2, -1)
    rows = product(torch.nn.functional.silu(gate) * up, down.transpose(1, 2), offs=ends)
    results = torch.empty_like(rows).index_copy_(0, order, rows).unflatten(0, ids.shape)
    out.copy_((results.to(F32) * weights[:, :, None]).sum(1))


def experts(x, gate_up, down, weights, ids, out):
    if x.is_cuda and x.dtype == torch.bfloat16 and hasattr(torch.nn.functional, "grouped_mm"):
        grouped_experts(x, gate_up, down, weights, ids, out)
        return
    if few(ids):
        of_copies(x, gate_up[ids], down[ids], weights, out)
        return

    def expert_of(expert, rows):
        gate, up = (rows @ gate_up[expert].T).chunk(2, -1)
        return (torch.nn.functional.silu(gate) * up) @ down[expert].T

    through_experts(x, ids, weights, out, expert_of)


def experts_fp8(x, gate_up, gate_up_scales, down, down_scales, weights, ids, out):
    if few(ids):

        def between(hidden):
            return round_to_fp8(hidden.flatten(0, 1).to(x.dtype), down.dtype).reshape(hidden.shape)

        matrices = dense(gate_up[ids], gate_up_scales[ids]), dense(down[ids], down_scales[ids])
        of_copies(round_to_fp8(x, gate_up.dtype), *matrices, weights, out, between)
        return

    def product(rows, weight, scales):
        result = rows.new_empty((len(rows), len(weight)), dtype=F32)
        linear_fp8(rows, weight, scales, result)
        return result

    def expert_of(expert, rows):
        gate, up = product(rows, gate_up[expert], gate_up_scales[expert]).chunk(2, -1)
        hidden = (torch.nn.functional.silu(gate) * up).to(x.dtype)
        return product(hidden, down[expert], down_scales[expert])

    through_experts(x, ids, weights, out, expert_of)


def mix(x):
    """Spreads every bit of numbers below 2^32 over all 32 (in i64, whose product keeps the low bits)."""
    x = ((x ^ x >> 16) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ x >> 15) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ x >> 16


def noise(seeds, steps, size):
    """As reference.noise."""
    low, high = seeds & 0xFFFFFFFF, seeds >> 32 & 0xFFFFFFFF
    key = mix(mix(low) ^ mix(high ^ 0x9E3779B9) ^ (steps.long() * 0x85EBCA6B & 0xFFFFFFFF))
    bits = mix(key[:, None] ^ mix(torch.arange(size, device=seeds.device)))
    return -torch.log(-torch.log(((bits >> 9).to(F32) + 0.5) / (1 << 23)))


def sample(logits, out, *, temperature, top_k, top_p, min_p, seeds, steps):
    scaled = logits.to(F32) / torch.where(temperature > 0, temperature, 1)[:, None]
    falling, order = scaled.softmax(-1).sort(dim=-1, descending=True, stable=True)
    rank = torch.arange(logits.shape[1], device=logits.device)
    keep = (falling.cumsum(-1) - falling < top_p[:, None]) & (falling >= min_p[:, None] * falling[:, :1])
    keep &= (rank < top_k[:, None]) | (top_k[:, None] <= 0)
    keep |= rank == 0
    kept = torch.zeros_like(keep).scatter_(1, order, keep)
    drawn = torch.where(kept, scaled + noise(seeds, steps, logits.shape[1]), -torch.inf).argmax(-1)
    out.copy_(torch.where(temperature > 0, drawn, logits.argmax(-1)))


DEVICES = ("cpu", "cuda")
FUNCTIONS = (
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
OPERATIONS = {function.__name__: on_tensors(function) for function in FUNCTIONS}
