# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the style of users of cuda.tile (kernels/foreign) on the CPU, as written, against the better of PyTorch
eager and under torch.compile for the same work. Those that users write in several ways have a row each."""

import importlib
import math
from functools import cache, partial
from statistics import geometric_mean
from typing import NamedTuple

import tilewright as ct
from tilewright.compat import modules

from bench.row import Measured, Row, duration
from kernels.peer import torch
from kernels.timing import alternate

LEAST, MEAN = 0.9, 1.3
AGAINST = "the better of PyTorch eager and compiled"
ROWS, COLUMNS = 4096, 4096


class Work(NamedTuple):
    kernel: str  # module.name in kernels/foreign
    grid: tuple
    arguments: tuple
    out: object  # the argument with the result
    torch: object  # the same work as a function of tensors
    inputs: tuple
    tolerance: float


@cache
def program(name):
    modules.provide_cuda_tile()
    return importlib.import_module(f"kernels.foreign.{name}")


def kernel_of(path):
    module, _, attribute = path.partition(".")
    return eval(attribute, vars(program(module)))  # as in SWIGLU[0]


def peers_of(work):
    """By name, and a word on one that there is not: PyTorch compiles with a C++ compiler, which may be missing."""
    peers = {"eager": partial(work.torch, *work.inputs)}
    try:
        fast = torch.compile(work.torch, dynamic=False)
        fast(*work.inputs)
    except Exception as error:
        return peers, f"; not compiled: {type(error).__name__}"
    return peers | {"compiled": partial(fast, *work.inputs)}, ""


def row(name, make, ratios):
    def measure(rounds):
        work = make()
        launch = partial(ct.launch, None, work.grid, kernel_of(work.kernel), work.arguments)
        launch()
        expected = work.torch(*work.inputs)
        error = (work.out.float() - expected.float()).abs().max().item()
        if not error <= work.tolerance * max(1.0, expected.float().abs().max().item()):
            raise AssertionError(f"differs from PyTorch by {error:.3g}")
        peers, missing = peers_of(work)
        ours, *theirs = alternate([launch, *peers.values()], rounds)
        ratios.append(min(theirs) / ours)
        seen = ", ".join(f"{peer} {duration(taken)}" for peer, taken in zip(peers, theirs, strict=True))
        return Measured(ratios[-1], f"{duration(ours)}; {seen}{missing}")

    return Row(name, LEAST, AGAINST, measure)


def normal(*shape, dtype=None, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype or torch.float32)


def tolerance(dtype):
    return {torch.float32: 2.0**-16, torch.float16: 2.0**-9, torch.bfloat16: 2.0**-6}[dtype]


def softmax(way, dtype, rows=ROWS, columns=COLUMNS, tile=1024):
    x = normal(rows, columns, dtype=dtype)
    out = torch.empty_like(x)
    whole = 1 << (columns - 1).bit_length()
    grid, arguments = {
        "by_gather": ((64,), (out, x, rows, whole, columns)),
        "by_tile": ((rows,), (out, x, whole)),
        "in_pieces": ((rows,), (out, x, tile)),
    }[way]
    return Work(f"softmax.{way}", grid, arguments, out, lambda x: torch.softmax(x, -1), (x,), tolerance(dtype))


def rms_norm(way, dtype, rows=ROWS, columns=COLUMNS, tile=1024):
    x, weight = normal(rows, columns, dtype=dtype), normal(columns, dtype=dtype, seed=1)
    out, deviations = torch.empty_like(x), torch.empty(rows)
    whole = 1 << (columns - 1).bit_length()
    grid, arguments = {
        "forward_gather": ((rows,), (x, weight, out, deviations, columns, 1e-6, 0.0, tile)),
        "forward_persistent": ((64,), (x, weight, out, 1e-6, 4, whole)),
    }[way]
    function = lambda x, weight: torch.nn.functional.rms_norm(x, (columns,), weight, 1e-6)  # noqa: E731
    return Work(f"rms_norm.{way}", grid, arguments, out, function, (x, weight), tolerance(dtype))


def layer_norm(rows=ROWS, columns=COLUMNS, tile=1024):
    x, weight, bias = normal(rows, columns), normal(columns, seed=1), normal(columns, seed=2)
    out, mean, deviations = torch.empty_like(x), torch.empty(rows), torch.empty(rows)
    function = lambda x, weight, bias: torch.nn.functional.layer_norm(x, (columns,), weight, bias, 1e-5)  # noqa: E731
    arguments = (x, weight, bias, out, mean, deviations, 1e-5, tile)
    return Work("layer_norm.layer_norm_forward", (rows,), arguments, out, function, (x, weight, bias), 2.0**-14)


def gated(activation, dtype, rows=ROWS, columns=COLUMNS, tile=1024):
    a, b = normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype, seed=1)
    out = torch.empty_like(a)
    names = {"SWIGLU": torch.nn.functional.silu, "GEGLU": partial(torch.nn.functional.gelu, approximate="tanh")}
    function = lambda a, b: names[activation](a) * b  # noqa: E731
    grid = (rows, math.ceil(columns / tile))
    return Work(f"geglu.{activation}[0]", grid, (a, b, out, tile), out, function, (a, b), 2 * tolerance(dtype))


def gated_halves(dtype, rows=ROWS, columns=COLUMNS, tile=(4, 1024)):
    x = normal(rows, 2 * columns, dtype=dtype)
    out = torch.empty(rows, columns, dtype=dtype)

    def function(x):
        gate, linear = x.chunk(2, -1)
        return torch.nn.functional.silu(gate) * linear

    grid = (rows // tile[0], columns // tile[1])
    return Work("geglu.fused_halves", grid, (x, out, *tile), out, function, (x,), 2 * tolerance(dtype))


def rope(rows=1 << 17, half=64):
    x, angles = normal(rows, 2 * half), normal(rows, half, seed=1)
    cos, sin, out = angles.cos(), angles.sin(), torch.empty_like(x)

    def function(x, cos, sin):
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    return Work("rope.rope_rows", (rows,), (x, out, cos, sin, half), out, function, (x, cos, sin), 2.0**-16)


def transpose(way, dtype, tile, count=ROWS):
    x = normal(count, count, dtype=dtype)
    out = torch.empty_like(x)
    grid = tuple(count // extent for extent in tile)
    return Work(f"transpose.{way}", grid, (x, out, *tile), out, lambda x: x.T.contiguous(), (x,), 0.0)


def add(way, count=1 << 24, tile=1024):
    x, y = normal(count), normal(count, seed=1)
    out = torch.empty_like(x)
    return Work(f"vector_add.{way}", (count // tile,), (x, y, out, tile), out, torch.add, (x, y), 0.0)


def product(way, dtype, tile, count=1024):
    a, b = normal(count, count, dtype=dtype), normal(count, count, dtype=dtype, seed=1)
    out = torch.empty_like(a)
    blocks = math.ceil(count / tile[0]) * math.ceil(count / tile[1])
    grid, more = ((blocks,), ()) if way == "matmul_kernel" else ((16,), (False,))
    near = 2.0**-8 if dtype == torch.float32 else 2 * tolerance(dtype)
    return Work(f"matmul.{way}", grid, (a, b, out, *tile, *more), out, torch.matmul, (a, b), near)


def batched(dtype, tile, batch=8, count=512):
    a, b = normal(batch, count, count, dtype=dtype), normal(batch, count, count, dtype=dtype, seed=1)
    out = torch.empty_like(a)
    grid = (batch, math.ceil(count / tile[0]), math.ceil(count / tile[1]))
    return Work("batch_matmul.bmm_kernel", grid, (a, b, out, *tile), out, torch.bmm, (a, b), 2 * tolerance(dtype))


def attention(dtype, causal, tile, width=64, heads=8, length=2048):
    q, k, v = (normal(1, heads, length, width, dtype=dtype, seed=seed) for seed in range(3))
    out = torch.empty_like(q)
    arguments = (q, k, v, out, width**-0.5, width, heads, *tile, 1, causal, length % tile[1] == 0)
    function = partial(torch.nn.functional.scaled_dot_product_attention, is_causal=causal)
    grid = (math.ceil(length / tile[0]), heads, 1)
    return Work("attention.fmha_kernel", grid, arguments, out, function, (q, k, v), 4 * tolerance(dtype))


def embedding(rows=1 << 14, columns=1024, words=1 << 15):
    table, tokens = normal(words, columns), torch.randint(words, (rows,), dtype=torch.int32)
    out = torch.empty(rows, columns)
    grid = (rows // 16, columns // 256)
    function = lambda table, tokens: table[tokens]  # noqa: E731
    return Work("embedding.look_up", grid, (tokens, table, out, 16, 256), out, function, (table, tokens), 0.0)


def works():
    f32, bf16, f16 = torch.float32, torch.bfloat16, torch.float16
    shape = f"{ROWS}x{COLUMNS}"
    yield f"softmax f32 {shape}, a row a tile", partial(softmax, "by_tile", f32)
    yield f"softmax f32 {shape}, blocks that stay, gathers", partial(softmax, "by_gather", f32)
    yield f"softmax f32 {shape}, pieces of 1024", partial(softmax, "in_pieces", f32)
    yield f"softmax bf16 {shape}, a row a tile", partial(softmax, "by_tile", bf16)
    yield "softmax f32 16384x1000, a row a tile", partial(softmax, "by_tile", f32, 16384, 1000)
    yield f"RMSNorm f32 {shape}, gathers of 1024", partial(rms_norm, "forward_gather", f32)
    yield f"RMSNorm f32 {shape}, blocks that stay, 4 rows", partial(rms_norm, "forward_persistent", f32)
    yield f"RMSNorm bf16 {shape}, blocks that stay, 4 rows", partial(rms_norm, "forward_persistent", bf16)
    yield f"LayerNorm f32 {shape}, pieces of 1024", layer_norm
    yield "LayerNorm f32 4096x3000, pieces of 1024", partial(layer_norm, ROWS, 3000)
    yield f"SwiGLU f32 {shape}, gathers of 1024", partial(gated, "SWIGLU", f32)
    yield f"SwiGLU bf16 {shape}, gathers of 1024", partial(gated, "SWIGLU", bf16)
    yield f"SwiGLU f16 {shape}, gathers of 1024", partial(gated, "SWIGLU", f16)
    yield f"GEGLU f32 {shape}, gathers of 1024", partial(gated, "GEGLU", f32)
    yield f"SwiGLU f32 {shape}, halves by tiles 4x1024", partial(gated_halves, f32)
    yield "RoPE f32 131072x128", rope
    yield f"transpose f32 {shape}, in registers", partial(transpose, "transpose_kernel", f32, (64, 64))
    yield f"transpose f32 {shape}, by the load", partial(transpose, "turned_load", f32, (128, 64))
    yield "vector add f32 2^24, tiles of 1024", partial(add, "add_tiles")
    yield "vector add f32 2^24, gathers of 1024", partial(add, "add_elements")
    yield "gather of rows f32 16384x1024", embedding
    yield "GEMM f32 1024^3, 128x128x32", partial(product, "matmul_kernel", f32, (128, 128, 32))
    yield "GEMM bf16 1024^3, 128x128x64", partial(product, "matmul_kernel", bf16, (128, 128, 64))
    yield "GEMM f32 1024^3, blocks that stay", partial(product, "persistent_kernel", f32, (128, 128, 32))
    yield "GEMM f32 8 x 512^3", partial(batched, f32, (64, 128, 64))
    yield "attention f32 H8 S2048 D64, causal, 64x64", partial(attention, f32, True, (64, 64))
    yield "attention f32 H8 S2048 D64, full, 128x128", partial(attention, f32, False, (128, 128))
    yield "attention bf16 H8 S2048 D64, causal, 64x64", partial(attention, bf16, True, (64, 64))


def foreign_rows():
    ratios = []
    for name, make in works():
        yield row(name, make, ratios)
    mean = lambda rounds: Measured(geometric_mean(ratios), f"{len(ratios)} kernels, worst {min(ratios):.2f}")  # noqa: E731
    yield Row("geometric mean of all", MEAN, AGAINST, mean)
