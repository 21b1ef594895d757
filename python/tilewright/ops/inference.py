# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators for generating text, without gradients: weights of 4 and 8 bits, caches in pages, experts, tokens."""

import torch
from torch import Tensor

from tilewright._runtime.kernel_library import kernel
from tilewright.ops.shapes import check_shape, empty_like
from tilewright.torch import launching, op

_quantized, _scaled = kernel("quantized_linear.kernel"), kernel("block_scaled_linear.kernel")
_heads, _pages = kernel("head_linear.kernel"), kernel("paged_attention.kernel")
_experts = kernel("fused_moe.experts")
_routing, _sampling = kernel("expert_routing.kernel"), kernel("sampling.kernel")


@op("tilewright::int8_linear")
def int8_linear(x: Tensor, weight: Tensor, scales: Tensor) -> Tensor:
    """x [T, K] @ (weight int8 [N, K] * scales float32 [N]).T [T, N], T one axis. ValueError for other shapes. Since
    0.1."""
    check_shape("scales", scales, weight.shape[:1])
    out = x.new_empty(x.shape[0], weight.shape[0])
    with launching():
        if x.shape[0]:
            _quantized.int8_linear(x, weight, scales, out)
    return out


@op("tilewright::int4_linear")
def int4_linear(x: Tensor, packed: Tensor, scales: Tensor, group: int) -> Tensor:
    """x [T, K] @ (weight * scales).T [T, N], T one axis: packed uint8 [N, K / 2] has the weights + 8, those of even
    columns in the low halves; scales float32 [N, K / group] are each for a group of columns, a power of two. ValueError
    for other shapes. Since 0.1."""
    check_shape("scales", scales, (packed.shape[0], x.shape[1] // group))
    out = x.new_empty(x.shape[0], packed.shape[0])
    with launching():
        if x.shape[0]:
            _quantized.int4_linear(x, packed, scales, out, group=group)
    return out


@op("tilewright::fp8_linear")
def fp8_linear(x: Tensor, weight: Tensor, scales: Tensor) -> Tensor:
    """x [T, K] @ weight.T [T, N], T one axis, for weight float8_e4m3fn [N, K] with scales float32 for blocks of 128 x
    128; x is rounded to that type with a scale for 128 columns of a token. ValueError for other shapes. Since 0.1."""
    out = x.new_empty(x.shape[0], weight.shape[0])
    with launching():
        if x.shape[0]:
            _scaled.block_scaled_linear(x, weight, scales, out)
    return out


@op("tilewright::head_linear")
def head_linear(x: Tensor, weight: Tensor) -> Tensor:
    """A matrix per head: x [T, heads, K] @ weight[h].T [T, heads, N] for weight [heads, N, K], any strides. Since
    0.1."""
    check_shape("weight", weight, (x.shape[1], weight.shape[1], x.shape[2]))
    out = x.new_empty(*x.shape[:2], weight.shape[1])
    with launching():
        if x.shape[0]:
            _heads.head_linear(x, weight, out)
    return out


@op("tilewright::paged_append", mutates=("cache_k", "cache_v"))
def paged_append(k: Tensor, v: Tensor, cache_k: Tensor, cache_v: Tensor, slots: Tensor) -> None:
    """Put k and v [T, KV, D] into the caches [pages, page, KV, D] at slots int32 [T]: page number * page + offset.
    Since 0.1."""
    check_shape("slots", slots, k.shape[:1])
    with launching():
        if k.shape[0]:
            _pages.append(k, v, cache_k, cache_v, slots)


@op("tilewright::paged_attention")
def paged_attention(
    q: Tensor, cache_k: Tensor, cache_v: Tensor, tables: Tensor, starts: Tensor, lengths: Tensor, scale: float
) -> Tensor:
    """Causal attention of q [T, heads, D] in cache_k [pages, page, KV, D] and cache_v [pages, page, KV, V]:
    [T, heads, V].

    The queries of request r are the rows starts[r] to starts[r + 1], the last ones of its lengths[r] tokens; its keys
    are in the pages tables[r] (all int32). Each request has a query. ValueError for heads that are no multiple of KV,
    or a page that is no power of two. Since 0.1.
    """
    out = q.new_empty(*q.shape[:2], cache_v.shape[3])
    with launching():
        if q.shape[0]:
            _pages.attention(q, cache_k, cache_v, tables, starts, lengths, out, scale=scale)
    return out


@op("tilewright::latent_append", mutates=("cache",))
def latent_append(latent: Tensor, cache: Tensor, slots: Tensor) -> None:
    """Put the latents [T, D] into the cache [pages, page, D] at slots int32 [T]: page number * page + offset. Since
    0.1."""
    check_shape("slots", slots, latent.shape[:1])
    with launching():
        if latent.shape[0]:
            _pages.latent_append(latent, cache, slots)


@op("tilewright::latent_attention")
def latent_attention(
    q: Tensor, cache: Tensor, tables: Tensor, starts: Tensor, lengths: Tensor, values: int, scale: float
) -> Tensor:
    """`paged_attention` of q [T, heads, D] in a cache [pages, page, D] of latents, which all heads share:
    [T, heads, values]. The values are the first elements of a latent. Since 0.1."""
    out = q.new_empty(*q.shape[:2], values)
    with launching():
        if q.shape[0]:
            _pages.latent_attention(q, cache, tables, starts, lengths, out, scale=scale)
    return out


@op("tilewright::route")
def route(
    scores: Tensor,
    bias: Tensor | None,
    top_k: int,
    sigmoid: bool = False,
    groups: int = 1,
    top_groups: int = 1,
    normalize: bool = True,
    scale: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """The weights float32 and ids int32 [T, top_k] of the experts with the largest softmax, or sigmoid, of a row of
    scores float32 [T, E].

    With groups, only experts of the ``top_groups`` best are chosen: a group counts by its largest expert, or with
    ``sigmoid`` by the sum of its two largest. ``bias`` float32 [E] is added for the choice, not to the weights. They
    are divided by their sum if ``normalize``, and multiplied by ``scale``. ValueError for more choices than there are
    experts. Since 0.1.
    """
    weights = scores.new_empty(scores.shape[0], top_k, dtype=torch.float32)
    ids = scores.new_empty(scores.shape[0], top_k, dtype=torch.int32)
    with launching():
        if scores.shape[0]:
            flags = dict(sigmoid=sigmoid, groups=groups, top_groups=top_groups, normalize=normalize, scale=scale)
            _routing.route(scores, bias, weights, ids, **flags)
    return weights, ids


@op("tilewright::fused_moe")
def fused_moe(x: Tensor, gate_up: Tensor, down: Tensor, weights: Tensor, ids: Tensor) -> Tensor:
    """The experts of a mixture [T, H]: the sum over the choices ids int32 [T, k] of a token x [T, H] of weights float32
    [T, k] times down @ (silu(gate @ x) * (up @ x)), of gate_up [E, 2 I, H], the gate's rows first, and down [E, H, I].

    Each token chooses different experts, as `route` does. ValueError for other shapes. Since 0.1.
    """
    _experts.check_shapes(gate_up, down)
    check_shape("x", x, (ids.shape[0], gate_up.shape[2]))
    check_shape("weights", weights, ids.shape)
    out = empty_like(x)
    with launching():
        if ids.numel():
            return _experts.experts(x, gate_up, down, weights, ids, out, pure=True)
    return out.zero_()


@op("tilewright::sample")
def sample(
    logits: Tensor, temperature: Tensor, top_k: Tensor, top_p: Tensor, min_p: Tensor, seeds: Tensor, steps: Tensor
) -> Tensor:
    """A token int32 [R] for each row of logits [R, V].

    Options are tensors [R]: temperature (0: the largest logit, the first of equal ones), top_p and min_p float32; top_k
    (0: all) and steps int32; seeds int64. The same seed and step draw the same token of the same logits. Since 0.1.
    """
    out = logits.new_empty(logits.shape[0], dtype=torch.int32)
    options = dict(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p, seeds=seeds, steps=steps)
    for name, option in options.items():
        check_shape(name, option, logits.shape[:1])
    with launching():
        if logits.shape[0]:
            _sampling.sample(logits, out, **options)
    return out
