# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First steps: a kernel, its timing with events, a captured graph, and what a kernel prints and asserts."""

import math

import cuda.tile as ct
import torch

TILE = 64
ROOT = math.sqrt(2 / math.pi)


def gelu(x):
    inner = ROOT * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + ct.tanh(inner))


@ct.kernel
def activate(x, y, bias: float):
    i = ct.bid(0)
    tile = ct.load(x, index=(i,), shape=(TILE,))
    ct.assert_(bias < 10.0, "the bias is small")
    ct.store(y, index=(i,), tile=gelu(tile + bias))


@ct.kernel
def saxpy(x, y, a: float, b: float):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=a * ct.load(x, index=(i,), shape=(TILE,)) + b)


def check():
    torch.manual_seed(7)
    x = torch.randn(500, device="cuda")
    y = torch.empty_like(x)
    grid = (ct.cdiv(x.shape[0], TILE), 1, 1)
    ct.launch(torch.cuda.current_stream(), grid, activate, (x, y, 0.5))
    torch.cuda.synchronize()
    yield "gelu", y, torch.nn.functional.gelu(x + 0.5, approximate="tanh"), 1e-5

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(3):
        ct.launch(torch.cuda.current_stream(), grid, saxpy, (x, y, 2.0, 1.0))
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    yield "saxpy", y, 2 * x + 1, 1e-6

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        ct.launch(stream, grid, saxpy, (x, y, 3.0, 0.0))
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ct.launch(torch.cuda.current_stream(), grid, saxpy, (x, y, -1.0, 0.5))
        z = y * 2
    x.copy_(torch.arange(500, device="cuda", dtype=torch.float32))
    graph.replay()
    torch.cuda.synchronize()
    yield "graph", z, (0.5 - x) * 2, 1e-6
