# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoding from a paged cache: a table says where the pages of a sequence are; new keys are written into their page."""

import math

import cuda.tile as ct
import torch

ConstInt = ct.Constant[int]


@ct.kernel
def append_kernel(new_k, new_v, k_cache, v_cache, pages, lengths, PAGE: ConstInt, TH: ConstInt, TD: ConstInt):
    sequence = ct.bid(0)
    position = ct.load(lengths, (sequence,), (1,)).item()
    page = ct.gather(pages, (sequence, position // PAGE))
    heads = ct.arange(TH, dtype=ct.int32)[:, None]
    inner = ct.arange(TD, dtype=ct.int32)[None, :]
    for new, cache in ct.static_iter(((new_k, k_cache), (new_v, v_cache))):
        values = ct.load(new, (sequence, 0, 0), (1, TH, TD)).reshape((TH, TD))
        ct.scatter(cache, (page, position % PAGE, heads, inner), values)


@ct.kernel
def paged_kernel(q, k_cache, v_cache, pages, lengths, out, scale: float, PAGE: ConstInt, G: ConstInt, TD: ConstInt):
    sequence, kv_head = ct.bid(0), ct.bid(1)
    length = ct.load(lengths, (sequence,), (1,)).item()
    query = ct.load(q, (sequence, kv_head, 0), (1, G, TD)).reshape((G, TD))
    largest = ct.full((G, 1), -math.inf, ct.float32)
    total = ct.zeros((G, 1), ct.float32)
    acc = ct.zeros((G, TD), ct.float32)
    for j in range(ct.cdiv(length, PAGE)):
        page = ct.load(pages, (sequence, j), (1, 1)).item()
        k = ct.load(k_cache, (page, 0, kv_head, 0), (1, PAGE, 1, TD)).reshape((PAGE, TD))
        scores = ct.mma(query, ct.transpose(k), ct.zeros((G, PAGE), ct.float32)) * scale
        at = j * PAGE + ct.arange(PAGE, dtype=ct.int32)
        scores = ct.where((at < length)[None, :], scores, -1e30)
        larger = ct.maximum(largest, ct.max(scores, axis=1, keepdims=True))
        p = ct.exp(scores - larger)
        shrink = ct.exp(largest - larger)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        v = ct.load(v_cache, (page, 0, kv_head, 0), (1, PAGE, 1, TD)).reshape((PAGE, TD))
        acc = ct.mma(p.astype(v_cache.dtype), v, acc * shrink)
        largest = larger
    ct.store(out, (sequence, kv_head, 0), (acc / total).astype(out.dtype).reshape((1, G, TD)))


def check():
    torch.manual_seed(27)
    sequences, heads, kv_heads, width, page = 3, 8, 2, 32, 16
    stream = torch.cuda.current_stream()
    k_cache, v_cache = (torch.randn(12, page, kv_heads, width, device="cuda", dtype=torch.float16) for _ in range(2))
    pages = torch.randperm(12, device="cuda")[:12].reshape(sequences, 4).to(torch.int32)
    lengths = torch.tensor([63, 17, 0], device="cuda", dtype=torch.int32)
    new_k, new_v = (torch.randn(sequences, kv_heads, width, device="cuda", dtype=torch.float16) for _ in range(2))
    expected_k = k_cache.clone()
    for s, position in enumerate(lengths.tolist()):
        expected_k[int(pages[s, position // page]), position % page] = new_k[s]
    arguments = (new_k, new_v, k_cache, v_cache, pages, lengths, page, kv_heads, width)
    ct.launch(stream, (sequences,), append_kernel, arguments)
    yield "cache", k_cache, expected_k, 0
    lengths += 1
    q = torch.randn(sequences, heads, width, device="cuda", dtype=torch.float16)
    out = torch.empty_like(q)
    arguments = (q, k_cache, v_cache, pages, lengths, out, width**-0.5, page, heads // kv_heads, width)
    ct.launch(stream, (sequences, kv_heads), paged_kernel, arguments)
    expected = torch.empty_like(q)
    for s, length in enumerate(lengths.tolist()):
        k, v = (c[pages[s].long()].reshape(-1, kv_heads, width)[:length].float() for c in (k_cache, v_cache))
        k, v = (t.repeat_interleave(heads // kv_heads, 1).transpose(0, 1) for t in (k, v))
        p = torch.softmax((q[s, :, None].float() @ k.mT) * width**-0.5, -1)
        expected[s] = (p @ v)[:, 0].half()
    yield "attention", out, expected, 1e-2
