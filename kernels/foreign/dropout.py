# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout from a seed: numbers from a hash of the element's number; in place, and the same mask again backward."""

import cuda.tile as ct
import torch


def hash_of(number, seed):
    """32 random bits of each number."""
    h = number.astype(ct.uint32) * ct.uint32(0x9E3779B1) + ct.astype(seed, ct.uint32)
    h = (h ^ (h >> ct.uint32(16))) * ct.uint32(0x85EBCA6B)
    h = (h ^ (h >> ct.uint32(13))) * ct.uint32(0xC2B2AE35)
    return h ^ (h >> ct.uint32(16))


@ct.kernel
def dropout_kernel(x, out, p: float, seed: int, TILE: ct.Constant[int]):
    block = ct.bid(0)
    offsets = block * TILE + ct.arange(TILE, dtype=ct.int32)
    uniform = (hash_of(offsets, seed) >> ct.uint32(8)).astype(ct.float32) * (1.0 / (1 << 24))
    values = ct.load(x, index=(block,), shape=(TILE,), padding_mode=ct.PaddingMode.ZERO)
    kept = ct.where(uniform >= p, values.astype(ct.float32) / (1.0 - p), 0.0)
    ct.store(out, index=(block,), tile=kept.astype(out.dtype))


def dropout(x, p, seed, inplace=False):
    out = x if inplace else torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (ct.cdiv(x.numel(), 256),), dropout_kernel, (x, out, p, seed, 256))
    return out


def mask_of(n, p, seed):
    number = torch.arange(n, dtype=torch.int64)
    h = (number * 0x9E3779B1 + seed) & 0xFFFFFFFF
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
    h = h ^ (h >> 16)
    return ((h >> 8).float() * 2.0**-24 >= torch.tensor(p)).to("cuda")


def check():
    torch.manual_seed(9)
    n, p = 3000, 0.3
    mask = mask_of(n, p, 42)
    assert 0.65 < float(mask.float().mean()) < 0.75
    x = torch.randn(n, device="cuda")
    expected = torch.where(mask, x / (1 - p), torch.zeros_like(x))
    yield "out of place", dropout(x, p, 42), expected, 1e-6
    again = x.clone()
    assert dropout(again, p, 42, inplace=True) is again
    yield "in place", again, expected, 1e-6
    half = x.half()
    yield "in place, f16", dropout(half, p, 42, inplace=True), expected, 1e-3
    yield "another seed", (dropout(x, p, 43) != 0).float(), mask_of(n, p, 43).float(), 0
