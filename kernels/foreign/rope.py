# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary position embedding of queries and keys in place, halves of a head gathered and scattered."""

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def rope_kernel(q, k, cos, sin, q_heads: ConstInt, k_heads: ConstInt, head_dim: ConstInt, TQ: ConstInt, TK: ConstInt,
                TD: ConstInt, BACKWARD: ct.Constant[bool]):  # fmt: skip
    row = ct.bid(0)
    half = head_dim // 2
    position = row % cos.shape[0]
    inner = ct.arange(TD, dtype=ct.int32)
    inside = inner < half
    c = ct.gather(cos, (position, inner), mask=inside).astype(ct.float32)[None, :]
    s = ct.gather(sin, (position, inner), mask=inside).astype(ct.float32)[None, :]
    if BACKWARD:
        s = -s

    def rotate(x, heads, tile_heads):
        head = ct.arange(tile_heads, dtype=ct.int32)[:, None]
        mask = (head < heads) & inside[None, :]
        first = ct.gather(x, (row, head, inner[None, :]), mask=mask).astype(ct.float32)
        second = ct.gather(x, (row, head, inner[None, :] + half), mask=mask).astype(ct.float32)
        ct.scatter(x, (row, head, inner[None, :]), (first * c - second * s).astype(x.dtype), mask=mask)
        ct.scatter(x, (row, head, inner[None, :] + half), (second * c + first * s).astype(x.dtype), mask=mask)

    rotate(q, q_heads, TQ)
    rotate(k, k_heads, TK)


def power(n):
    return 1 << (n - 1).bit_length()


def rope_in_place(q, k, cos, sin, backward=False):
    batch, length, heads, width = q.shape
    flat_q, flat_k = q.view(batch * length, heads, width), k.view(batch * length, k.shape[2], width)
    arguments = (flat_q, flat_k, cos, sin, heads, k.shape[2], width, power(heads), power(k.shape[2]),
                 power(width // 2), backward)  # fmt: skip
    ct.launch(torch.cuda.current_stream(), (batch * length,), rope_kernel, arguments)
    return q, k


@ct.kernel
def rope_rows(x, out, cos, sin, HALF: ConstInt):
    row = ct.bid(0)
    first = ct.load(x, (row, 0), (1, HALF))
    second = ct.load(x, (row, 1), (1, HALF))
    c, s = ct.load(cos, (row, 0), (1, HALF)), ct.load(sin, (row, 0), (1, HALF))
    ct.store(out, (row, 0), first * c - second * s)
    ct.store(out, (row, 1), second * c + first * s)


def reference(x, cos, sin):
    a, b = x.float().chunk(2, -1)
    cos, sin = cos.float()[:, None], sin.float()[:, None]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def check():
    torch.manual_seed(8)
    batch, length, heads, kv_heads, width = 2, 9, 6, 2, 24
    angles = torch.outer(torch.arange(length).float(), 10000 ** (-torch.arange(width // 2) / (width // 2))).cuda()
    cos, sin = angles.cos(), angles.sin()
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
        q = torch.randn(batch, length, heads, width, device="cuda").to(dtype)
        k = torch.randn(batch, length, kv_heads, width, device="cuda").to(dtype)
        before_q, before_k = q.clone(), k.clone()
        expected = reference(q, cos, sin), reference(k, cos, sin)
        rope_in_place(q, k, cos, sin)
        yield f"q, {dtype}", q.float(), expected[0], tolerance
        yield f"k, {dtype}", k.float(), expected[1], tolerance
        rope_in_place(q, k, cos, sin, backward=True)
        yield f"back, q, {dtype}", q, before_q, 4 * tolerance
        yield f"back, k, {dtype}", k, before_k, 4 * tolerance
    x = torch.randn(length, 32, device="cuda")
    angles = torch.rand(length, 16, device="cuda")
    expected = reference(x[:, None], angles.cos(), angles.sin())[:, 0]
    ct.launch(torch.cuda.current_stream(), (length,), rope_rows, (x, x, angles.cos(), angles.sin(), 16))
    yield "one array as input and output", x, expected, 1e-5
