# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batched products: tiles of rank 3 that are two-dimensional to the product, and a persistent grid over the batch."""

import cuda.tile as ct
import torch


@ct.kernel
def bmm_kernel(A, B, C, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    batch, row, column = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.full((tm, tn), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(A.shape[2], tk)):
        a = ct.load(A, index=(batch, row, k), shape=(1, tm, tk), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(batch, k, column), shape=(1, tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(a.reshape((tm, tk)), b.reshape((tk, tn)), acc)
    ct.store(C, index=(batch, row, column), tile=ct.reshape(ct.astype(acc, C.dtype), (1, tm, tn)))


@ct.kernel
def bmm_persistent(A, B, C, tm: ct.Constant[int], tn: ct.Constant[int], tk: ct.Constant[int]):
    batches, m, n = C.shape
    tiles_m, tiles_n = ct.cdiv(m, tm), ct.cdiv(n, tn)
    per_batch = tiles_m * tiles_n
    for tile in range(ct.bid(0), batches * per_batch, ct.num_blocks(0)):
        batch = tile // per_batch
        row, column = tile % per_batch // tiles_n, tile % per_batch % tiles_n
        acc = ct.zeros((1, tm, tn), ct.float32)
        for k in range(ct.cdiv(A.shape[2], tk)):
            a = ct.load(A, (batch, row, k), (1, tm, tk), padding_mode=ct.PaddingMode.ZERO, latency=3)
            b = ct.load(B, (batch, k, column), (1, tk, tn), padding_mode=ct.PaddingMode.ZERO, latency=3)
            acc = ct.mma(a, b, acc)
        ct.store(C, (batch, row, column), ct.astype(acc, C.dtype))


def check():
    torch.manual_seed(1)
    A = torch.randn(3, 50, 40, device="cuda", dtype=torch.float16)
    B = torch.randn(3, 40, 70, device="cuda", dtype=torch.float16)
    C = torch.empty(3, 50, 70, device="cuda", dtype=torch.float16)
    stream = torch.cuda.current_stream()
    ct.launch(stream, (3, ct.cdiv(50, 32), ct.cdiv(70, 32)), bmm_kernel, (A, B, C, 32, 32, 16))
    yield "a block a tile", C.clone(), torch.bmm(A, B), 1e-2
    C.zero_()
    ct.launch(stream, (4,), bmm_persistent, (A, B, C, 32, 32, 16))
    yield "persistent", C, torch.bmm(A, B), 1e-2
    outer = torch.randn(3, 70, 40, device="cuda", dtype=torch.float16).transpose(1, 2)
    ct.launch(stream, (4,), bmm_persistent, (A, outer, C, 32, 32, 16))
    yield "B with strides", C, torch.bmm(A, outer), 1e-2
