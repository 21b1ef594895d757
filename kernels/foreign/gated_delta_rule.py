# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gated delta rule: a state that decays and is corrected with each token, token by token and in chunks."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def recurrent_kernel(q, k, v, g, beta, out, state, scale: float, H: ConstInt, TK: ConstInt, TV: ConstInt):
    part, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    h = ct.load(state, (batch, head, 0, part), (1, 1, TK, TV)).reshape((TK, TV)).astype(ct.float32)
    for t in range(q.shape[1]):
        q_t = ct.load(q, (batch, t, head, 0), (1, 1, 1, TK)).reshape((TK, 1)).astype(ct.float32) * scale
        k_t = ct.load(k, (batch, t, head, 0), (1, 1, 1, TK)).reshape((TK, 1)).astype(ct.float32)
        k_t = k_t * ct.rsqrt(ct.sum(k_t * k_t) + 1e-6)
        v_t = ct.load(v, (batch, t, head, part), (1, 1, 1, TV)).reshape((1, TV)).astype(ct.float32)
        decay = ct.exp(ct.load(g, (batch, t, head), (1, 1, 1)).item())
        rate = ct.load(beta, (batch, t, head), (1, 1, 1)).item()
        h = h * decay
        error = v_t - ct.sum(h * k_t, axis=0, keepdims=True)
        h = h + k_t * (error * rate)
        o = ct.sum(h * q_t, axis=0, keepdims=True)
        ct.store(out, (batch, t, head, part), o.reshape((1, 1, 1, TV)).astype(out.dtype))
    ct.store(state, (batch, head, 0, part), h.reshape((1, 1, TK, TV)))


@ct.kernel
def cumulative_decay(g, out, CHUNK: ConstInt):
    batch, chunk, head = ct.bid(0), ct.bid(1), ct.bid(2)
    values = ct.load(g, (batch, chunk, head), (1, CHUNK, 1), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (batch, chunk, head), ct.cumsum(values, axis=1))


@ct.kernel
def chunk_output(q, k, v, g_sums, out, scale: float, H: ConstInt, CHUNK: ConstInt, TK: ConstInt, TV: ConstInt):
    """The contribution of a chunk's own tokens to one another: a decayed, causal product."""
    chunk, batch, head = ct.bid(0), ct.bid(1) // H, ct.bid(1) % H
    zero = ct.PaddingMode.ZERO
    q_c = ct.load(q, (batch, chunk, head, 0), (1, CHUNK, 1, TK), padding_mode=zero).reshape((CHUNK, TK))
    k_c = ct.load(k, (batch, chunk, head, 0), (1, CHUNK, 1, TK), padding_mode=zero).reshape((CHUNK, TK))
    v_c = ct.load(v, (batch, chunk, head, 0), (1, CHUNK, 1, TV), padding_mode=zero).reshape((CHUNK, TV))
    g_c = ct.load(g_sums, (batch, chunk, head), (1, CHUNK, 1), padding_mode=zero).reshape((CHUNK,))
    scores = ct.mma(q_c, ct.transpose(k_c), ct.zeros((CHUNK, CHUNK), ct.float32)) * scale
    at = ct.arange(CHUNK, dtype=ct.int32)
    causal = at[:, None] >= at[None, :]
    difference = ct.where(causal, g_c[:, None] - g_c[None, :], 0.0)
    scores = ct.where(causal, scores * ct.exp(difference), 0.0)
    o = ct.mma(scores.astype(v.dtype), v_c, ct.zeros((CHUNK, TV), ct.float32))
    ct.store(out, (batch, chunk, head, 0), o.reshape((1, CHUNK, 1, TV)).astype(out.dtype))


def reference(q, k, v, g, beta, state, scale):
    batch, length, heads, _ = q.shape
    k = k * torch.rsqrt((k * k).sum(-1, keepdim=True) + 1e-6)
    out = torch.empty(batch, length, heads, v.shape[-1], device=q.device)
    for t in range(length):
        state = state * g[:, t].exp()[..., None, None]
        error = v[:, t] - (state * k[:, t][..., None]).sum(-2)
        state = state + k[:, t][..., None] * (error * beta[:, t][..., None])[..., None, :]
        out[:, t] = (state * (q[:, t] * scale)[..., None]).sum(-2)
    return out, state


def check():
    torch.manual_seed(18)
    batch, length, heads, width = 2, 20, 3, 16
    q, k, v = (torch.randn(batch, length, heads, width, device="cuda") for _ in range(3))
    g = -torch.rand(batch, length, heads, device="cuda")
    beta = torch.rand(batch, length, heads, device="cuda")
    state = torch.randn(batch, heads, width, width, device="cuda")
    expected, last = reference(q, k, v, g, beta, state, width**-0.5)
    out, ours = torch.empty_like(v), state.clone()
    stream = torch.cuda.current_stream()
    arguments = (q, k, v, g, beta, out, ours, width**-0.5, heads, width, 8)
    ct.launch(stream, (2, batch * heads), recurrent_kernel, arguments)
    yield "recurrent", out, expected, 1e-4
    yield "recurrent, state", ours, last, 1e-4

    chunk = 8
    sums = torch.empty_like(g)
    ct.launch(stream, (batch, ct.cdiv(length, chunk), heads), cumulative_decay, (g, sums, chunk))
    padded = torch.nn.functional.pad(g, (0, 0, 0, 4)).view(batch, 3, chunk, heads)
    yield "sums of decays", sums, padded.cumsum(2).view(batch, 24, heads)[:, :length], 1e-5

    q, k, v = (t.to(torch.float16) for t in (q, k, v))
    out = torch.empty_like(v)
    arguments = (q, k, v, sums, out, width**-0.5, heads, chunk, width, width)
    ct.launch(stream, (ct.cdiv(length, chunk), batch * heads), chunk_output, arguments)
    expected = torch.zeros(batch, length, heads, width, device="cuda")
    for begin in range(0, length, chunk):
        part = slice(begin, begin + chunk)
        s, t = sums[:, part], slice(0, min(chunk, length - begin))
        decay = (s.transpose(1, 2)[..., None] - s.transpose(1, 2)[..., None, :]).exp().tril()
        scores = torch.einsum("bihd,bjhd->bhij", q[:, part].float(), k[:, part].float()) * width**-0.5
        expected[:, part] = torch.einsum("bhij,bjhd->bihd", (scores * decay)[..., t, t], v[:, part].float())
    yield "chunks", out, expected, 5e-3
