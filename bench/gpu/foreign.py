# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in the style of users of cuda.tile (kernels/foreign), at sizes that fill a GPU, under NVIDIA's front end:
code by our `tileiras` against code by its own. Each kernel is launched as written, with its tile sizes and hints;
those that users write in several ways (a row a block, blocks that stay, in pieces, by gathers) have a row each."""

import importlib.util
import math
import os
import shutil
from functools import cache, partial
from pathlib import Path
from statistics import geometric_mean

from bench.gpu import launching
from bench.gpu.contest import Contest, Contestant, contest
from bench.gpu.portable import our_tileiras
from bench.row import Measured, Row
from kernels.peer import torch

FOLDER = Path(__file__).parents[2] / "kernels" / "foreign"
HALF, BRAIN, SINGLE = 2.0**-10, 2.0**-7, 2.0**-18
LEAST, MEAN = 0.95, 1.1
AGAINST = "tileiras, the same launch"


@cache
def compilers():
    """The assemblers, by name. One that the front end finds in PATH itself would get the libraries of CUDA_HOME."""
    os.environ["CUDA_TILE_CACHE_DIR"] = "off"  # it may have code of another one
    from cuda.tile import _compile

    theirs = _compile._find_pip_tileiras() or shutil.which("tileiras")
    return {"ours": lambda: str(our_tileiras()), "tileiras": lambda: theirs}


@cache
def program(name, compiler):
    """A copy for each compiler, as a kernel keeps what it was compiled to."""
    spec = importlib.util.spec_from_file_location(f"foreign_{compiler}_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def choose(compiler):
    """Kernels that are compiled from now on are compiled by this one."""
    from cuda.tile import _compile

    _compile._find_pip_tileiras = compilers()[compiler]
    for known in vars(_compile).values():  # where it was found, and what it can do
        if hasattr(known, "cache_clear"):
            known.cache_clear()


def start(kernel, compiler, grid, arguments, out):
    from cuda.tile import launch

    name, _, attribute = kernel.partition(".")
    function = eval(attribute, vars(program(name, compiler)))  # as in SWIGLU[0]
    stream = torch.cuda.current_stream()

    def call():
        launch(stream, grid, function, arguments)
        return out

    choose(compiler)
    call()
    return call


def work(kernel, grid, arguments, out, expected, tolerance, amount, unit="GB/s"):
    ours, theirs = (
        Contestant(compiler, partial(start, kernel, compiler, grid, arguments, out))
        for compiler in ("ours", "tileiras")
    )
    return Contest(ours, [theirs], expected, tolerance, float(amount), unit)


def normal(*shape, dtype, seed=0, scale=1.0):
    return launching.random(*shape, dtype=getattr(torch, dtype), seed=seed, scale=scale)


def size(*tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def tolerance(dtype):
    return {"float16": HALF, "bfloat16": BRAIN, "float32": SINGLE}[dtype]


def softmax(way, rows, columns, dtype, tile=None):
    x = normal(rows, columns, dtype=dtype)
    out = torch.empty_like(x)
    blocks = 4 * launching.multiprocessors()
    grid, arguments = {
        "by_gather": ((blocks,), (out, x, rows, columns, columns)),
        "by_tile": ((rows,), (out, x, columns)),
        "in_pieces": ((rows,), (out, x, tile)),
    }[way]
    amount = size(x, out) * (1.5 if way == "in_pieces" else 1)
    return work(f"softmax.{way}", grid, arguments, out, torch.softmax(x.float(), -1), tolerance(dtype), amount)


def rms_norm(way, rows, columns, dtype, tile):
    x, weight = normal(rows, columns, dtype=dtype), normal(columns, dtype=dtype, seed=1)
    out, deviations = torch.empty_like(x), torch.empty(rows, device=x.device)
    blocks = launching.multiprocessors()
    grid, arguments = {
        "forward_gather": ((rows,), (x, weight, out, deviations, columns, 1e-6, 0.0, tile)),
        "forward_persistent": ((blocks,), (x, weight, out, 1e-6, tile, columns)),
    }[way]
    expected = torch.nn.functional.rms_norm(x.float(), (columns,), weight.float(), 1e-6)
    return work(f"rms_norm.{way}", grid, arguments, out, expected, tolerance(dtype), size(x, out))


def rms_norm_backward(rows, columns, dtype):
    x, dy = normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype, seed=2)
    weight = normal(columns, dtype=dtype, seed=1)
    inverse = (x.float().square().mean(-1) + 1e-6).rsqrt()
    dx, parts = torch.empty_like(x), torch.empty(rows, columns, device=x.device)
    normed, weighted = x.float() * inverse[:, None], dy.float() * weight.float()
    expected = (weighted - normed * (weighted * normed).mean(-1, keepdim=True)) * inverse[:, None]
    arguments = (dx, dy, x, weight, inverse, parts, columns)
    return work("rms_norm.backward", (rows,), arguments, dx, expected, tolerance(dtype), size(x, dy, dx, parts))


def layer_norm(rows, columns, tile):
    x = normal(rows, columns, dtype="float32")
    weight, bias = (normal(columns, dtype="float32", seed=seed) for seed in (1, 2))
    out, mean, deviations = torch.empty_like(x), *(torch.empty(rows, device=x.device) for _ in range(2))
    expected = torch.nn.functional.layer_norm(x, (columns,), weight, bias, 1e-5)
    arguments = (x, weight, bias, out, mean, deviations, 1e-5, tile)
    return work("layer_norm.layer_norm_forward", (rows,), arguments, out, expected, SINGLE, size(x, out))


def gated(activation, rows, columns, dtype, tile):
    a, b = normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype, seed=1)
    out = torch.empty_like(a)
    function = (
        torch.nn.functional.silu if activation == "SWIGLU" else partial(torch.nn.functional.gelu, approximate="tanh")
    )
    expected = function(a.float()).to(a.dtype).float() * b.float()
    grid = (rows, math.ceil(columns / tile))
    return work(f"geglu.{activation}[0]", grid, (a, b, out, tile), out, expected, 2 * tolerance(dtype), size(a, b, out))


def gated_halves(rows, columns, dtype, tile):
    x = normal(rows, 2 * columns, dtype=dtype)
    out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
    expected = torch.nn.functional.silu(x[:, :columns].float()) * x[:, columns:].float()
    grid = (rows // tile[0], columns // tile[1])
    return work("geglu.fused_halves", grid, (x, out, *tile), out, expected, tolerance(dtype), size(x, out))


def rope(rows, half):
    x, angles = normal(rows, 2 * half, dtype="float32"), normal(rows, half, dtype="float32", seed=1)
    cos, sin, out = angles.cos(), angles.sin(), torch.empty_like(x)
    a, b = x[:, :half], x[:, half:]
    expected = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    return work("rope.rope_rows", (rows,), (x, out, cos, sin, half), out, expected, SINGLE, size(x, out, cos, sin))


def dropout(count, dtype, tile):
    x = normal(count, dtype=dtype)
    out = torch.empty_like(x)
    mask = program("dropout", "tileiras").mask_of(count, 0.3, 42)
    expected = torch.where(mask, x.float() / 0.7, 0.0)
    arguments = (x, out, 0.3, 42, tile)
    return work("dropout.dropout_kernel", (count // tile,), arguments, out, expected, tolerance(dtype), size(x, out))


def transpose(way, count, dtype, tile):
    x = normal(count, count, dtype=dtype)
    out = torch.empty_like(x)
    grid = tuple(count // extent for extent in tile)
    return work(f"transpose.{way}", grid, (x, out, *tile), out, x.T.float(), tolerance(dtype), size(x, out))


def product(way, count, dtype, tile, transposed=False):
    a, b = normal(count, count, dtype=dtype), normal(count, count, dtype=dtype, seed=1)
    out = torch.empty_like(a)
    right = b.T.contiguous() if transposed else b
    blocks = math.ceil(count / tile[0]) * math.ceil(count / tile[1])
    grid, more = (blocks,), ()
    if way == "persistent_kernel":
        grid, more = (min(blocks, launching.multiprocessors()),), (transposed,)
    expected = torch.matmul(a, b).float()
    near = 2 * tolerance(dtype) if dtype != "float32" else 2.0**-8
    return work(f"matmul.{way}", grid, (a, right, out, *tile, *more), out, expected, near, 2 * count**3, "TFLOP/s")


def batched(way, batch, count, dtype, tile):
    a, b = normal(batch, count, count, dtype=dtype), normal(batch, count, count, dtype=dtype, seed=1)
    out = torch.empty_like(a)
    grid = (launching.multiprocessors(),)
    if way == "bmm_kernel":
        grid = (batch, math.ceil(count / tile[0]), math.ceil(count / tile[1]))
    expected = torch.bmm(a, b).float()
    amount = 2 * batch * count**3
    return work(f"batch_matmul.{way}", grid, (a, b, out, *tile), out, expected, 2 * tolerance(dtype), amount, "TFLOP/s")


def grouped(dtype, tile, transposed, smaller=1):
    shapes = [(4096, 2048, 4096), (1024, 4096, 2048), (2048, 2048, 2048), (8192, 1024, 4096)]
    shapes = [tuple(extent // smaller for extent in shape) for shape in shapes]
    lefts = [normal(m, k, dtype=dtype, seed=m) for m, _, k in shapes]
    rights = [normal(k, n, dtype=dtype, seed=n) for _, n, k in shapes]
    # One array has all results, for the check; each product has its rows of it.
    out = torch.zeros(sum(m * n for m, n, _ in shapes), dtype=lefts[0].dtype, device=lefts[0].device)
    sizes = [m * n for m, n, _ in shapes]
    results = [part.view(m, n) for part, (m, n, _) in zip(out.split(sizes), shapes, strict=True)]
    expected = torch.cat([(a @ b).float().flatten() for a, b in zip(lefts, rights, strict=True)])
    if transposed:
        rights = [b.T.contiguous() for b in rights]
    blocks = launching.multiprocessors()
    arguments = (lefts, rights, results, *tile, blocks, transposed)
    amount = sum(2 * m * n * k for m, n, k in shapes)
    near = 2 * tolerance(dtype)
    return work("grouped_gemm.grouped_gemm_kernel", (blocks,), arguments, out, expected, near, amount, "TFLOP/s")


def attention(batch, heads, length, width, causal, dtype, tile):
    q, k, v = (normal(batch, heads, length, width, dtype=dtype, seed=seed) for seed in range(3))
    out = torch.empty_like(q)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).float()
    arguments = (q, k, v, out, width**-0.5, width, heads, *tile, 1, causal, length % tile[1] == 0)
    grid = (math.ceil(length / tile[0]), batch * heads, 1)
    amount = 4 * batch * heads * length**2 * width / (2 if causal else 1)
    return work("attention.fmha_kernel", grid, arguments, out, expected, 4 * tolerance(dtype), amount, "TFLOP/s")


def by_splits(scores, values, step):
    """The attention of each `step` keys alone, of scores [..., queries, keys] and values [..., keys, width]."""
    splits = zip(scores.split(step, -1), values.float().split(step, -2), strict=True)
    return [torch.softmax(part, -1) @ value for part, value in splits]


def latent_decode(batch, length, tile, split):
    heads, latent, rotated = 128, 512, 64
    q, q_rotated = (
        normal(batch, heads, latent, dtype="bfloat16"),
        normal(batch, heads, rotated, dtype="bfloat16", seed=1),
    )
    latents, keys = (normal(batch, length, n, dtype="bfloat16", seed=n) for n in (latent, rotated))
    scale = (latent + rotated) ** -0.5
    splits = math.ceil(length / tile / split)
    out = torch.empty(splits, batch, heads, latent, device=q.device)
    sums = torch.empty(splits, batch, heads, device=q.device)
    scores = (q.float() @ latents.float().mT + q_rotated.float() @ keys.float().mT) * scale
    parts = by_splits(scores, latents, tile * split)
    arguments = (q, q_rotated, latents, keys, out, sums, scale, 16, latent, rotated, tile, split)
    grid = (batch, heads // 16, splits)
    amount = 2 * batch * heads * length * (2 * latent + rotated)
    return work("mla.decode_kernel", grid, arguments, out, torch.stack(parts), 4 * BRAIN, amount, "TFLOP/s")


def decode(batch, length, tile, split, dtype):
    heads, kv_heads, width = 32, 8, 128
    group = heads // kv_heads
    q = normal(batch, kv_heads, group, width, dtype=dtype)
    k, v = (normal(batch, kv_heads, length, width, dtype=dtype, seed=seed) for seed in (1, 2))
    lengths = torch.full((batch,), length, dtype=torch.int32, device=q.device)
    splits = math.ceil(length / tile / split)
    out = torch.empty(batch, kv_heads, splits, group, width, device=q.device)
    sums = torch.empty(batch, kv_heads, splits, group, device=q.device)
    parts = by_splits(q.float() @ k.float().mT * width**-0.5, v, tile * split)
    arguments = (q, k, v, out, sums, width**-0.5, lengths, group, width, tile, split)
    grid = (batch, kv_heads, splits)
    return work(
        "split_kv_decode.decode_kernel", grid, arguments, out, torch.stack(parts, 2), 4 * tolerance(dtype), size(k, v)
    )


def scaled_product(way, count, tile):
    """Of f8 with a scale for 128 columns."""
    block = 128
    a, b = (normal(count, count, dtype="float32", seed=seed).to(torch.float8_e4m3fn) for seed in range(2))
    a_scales, b_scales = (normal(count, count // block, dtype="float32", seed=seed).abs() + 0.5 for seed in (2, 3))
    right = b.float() * b_scales.repeat_interleave(block, 1)
    out = torch.empty(count, count, dtype=torch.float16, device=a.device)
    if way == "matmul_blockwise":
        expected = (a.float() * a_scales.repeat_interleave(block, 1)) @ right.T
        arguments = (a, b, a_scales, b_scales, out, *tile, block)
    else:
        x = a.to(torch.float16)
        expected = x.float() @ right.half().float().T
        arguments = (x, b, b_scales, out, *tile, block)
    grid = tuple(count // extent for extent in tile)
    return work(f"quantize_fp8.{way}", grid, arguments, out, expected, 4 * HALF, 2 * count**3, "TFLOP/s")


def int8_product(count, tile):
    a, b = (
        normal(count, count, dtype="float32", seed=seed, scale=40).clamp(-127, 127).to(torch.int8) for seed in (0, 1)
    )
    a_scales, b_scales = (normal(count, dtype="float32", seed=seed).abs() / 1e4 for seed in (2, 3))
    bias = normal(count, dtype="float16", seed=4)
    out = torch.empty(count, count, dtype=torch.float16, device=a.device)
    exact = torch._int_mm(a, b.T).float()
    expected = exact * a_scales[:, None] * b_scales[None, :] + bias.float()
    arguments = (a, b, a_scales, b_scales, bias, out, *tile)
    grid = tuple(count // extent for extent in tile[:2])
    return work("quantize_int8.matmul_int8", grid, arguments, out, expected, 4 * HALF, 2 * count**3, "TFLOP/s")


def works():
    """(what it is, make)."""
    for columns in (1024, 4096, 16384):
        yield f"softmax bf16 8192x{columns}, a row a tile", partial(softmax, "by_tile", 8192, columns, "bfloat16")
        yield (
            f"softmax bf16 8192x{columns}, blocks that stay, gathers",
            partial(softmax, "by_gather", 8192, columns, "bfloat16"),
        )
    yield "softmax f32 8192x4096, a row a tile", partial(softmax, "by_tile", 8192, 4096, "float32")
    yield "softmax f32 8192x4096, blocks that stay, gathers", partial(softmax, "by_gather", 8192, 4096, "float32")
    yield "softmax bf16 8192x16384, pieces of 1024", partial(softmax, "in_pieces", 8192, 16384, "bfloat16", 1024)
    yield "softmax f32 2048x65536, pieces of 4096", partial(softmax, "in_pieces", 2048, 65536, "float32", 4096)
    yield "RMSNorm bf16 16384x4096, gathers of 1024", partial(rms_norm, "forward_gather", 16384, 4096, "bfloat16", 1024)
    yield "RMSNorm bf16 16384x4096, gathers of 4096", partial(rms_norm, "forward_gather", 16384, 4096, "bfloat16", 4096)
    yield (
        "RMSNorm bf16 16384x4096, blocks that stay, 4 rows",
        partial(rms_norm, "forward_persistent", 16384, 4096, "bfloat16", 4),
    )
    yield (
        "RMSNorm bf16 8192x16384, blocks that stay, a row",
        partial(rms_norm, "forward_persistent", 8192, 16384, "bfloat16", 1),
    )
    yield (
        "RMSNorm f32 16384x2048, blocks that stay, 4 rows",
        partial(rms_norm, "forward_persistent", 16384, 2048, "float32", 4),
    )
    yield "RMSNorm backward bf16 8192x4096", partial(rms_norm_backward, 8192, 4096, "bfloat16")
    yield "LayerNorm f32 8192x8192, pieces of 1024", partial(layer_norm, 8192, 8192, 1024)
    yield "LayerNorm f32 8192x4096, pieces of 4096", partial(layer_norm, 8192, 4096, 4096)
    yield "SwiGLU bf16 8192x14336, gathers of 1024", partial(gated, "SWIGLU", 8192, 14336, "bfloat16", 1024)
    yield "SwiGLU f16 8192x8192, gathers of 4096", partial(gated, "SWIGLU", 8192, 8192, "float16", 4096)
    yield "GEGLU bf16 8192x14336, gathers of 1024", partial(gated, "GEGLU", 8192, 14336, "bfloat16", 1024)
    yield "SwiGLU bf16 8192x8192, halves by tiles 4x1024", partial(gated_halves, 8192, 8192, "bfloat16", (4, 1024))
    yield "RoPE f32 262144x128", partial(rope, 262144, 64)
    yield "dropout f32 2^26, tiles of 1024", partial(dropout, 1 << 26, "float32", 1024)
    yield "dropout bf16 2^26, tiles of 4096", partial(dropout, 1 << 26, "bfloat16", 4096)
    yield "transpose f32 8192^2, in registers", partial(transpose, "transpose_kernel", 8192, "float32", (64, 64))
    yield "transpose bf16 8192^2, by the load", partial(transpose, "turned_load", 8192, "bfloat16", (128, 64))
    yield "GEMM f16 4096^3, 128x128x64", partial(product, "matmul_kernel", 4096, "float16", (128, 128, 64))
    yield "GEMM f16 8192^3, 128x256x64", partial(product, "matmul_kernel", 8192, "float16", (128, 256, 64))
    yield "GEMM tf32 4096^3, 128x128x32", partial(product, "matmul_kernel", 4096, "float32", (128, 128, 32))
    yield "GEMM f16 4096^3, 64x64x64", partial(product, "matmul_kernel", 4096, "float16", (64, 64, 64))
    yield "GEMM f16 4096^3, blocks that stay", partial(product, "persistent_kernel", 4096, "float16", (128, 128, 64))
    yield (
        "GEMM bf16 4096^3, blocks that stay, B transposed",
        partial(product, "persistent_kernel", 4096, "bfloat16", (128, 256, 64), True),
    )
    yield "GEMM f16 8 x 2048^3", partial(batched, "bmm_kernel", 8, 2048, "float16", (128, 256, 64))
    yield (
        "GEMM f16 8 x 2048^3, blocks that stay",
        partial(batched, "bmm_persistent", 8, 2048, "float16", (128, 128, 64)),
    )
    yield "GEMMs f16 of four sizes, lists of arrays", partial(grouped, "float16", (128, 128, 64), False)
    yield "GEMMs bf16 of four sizes, lists of arrays, B transposed", partial(grouped, "bfloat16", (128, 128, 64), True)
    yield "GEMM f8 4096^3, scales in the loop", partial(scaled_product, "matmul_blockwise", 4096, (128, 128))
    yield (
        "GEMM f16 x f8 weights 4096^3, dequantized in the loop",
        partial(scaled_product, "dequantize_matmul", 4096, (128, 128)),
    )
    yield "GEMM i8 4096^3", partial(int8_product, 4096, (128, 128, 128))
    for width in (64, 128):
        for causal in (True, False):
            name = f"attention f16 B4 H32 S4096 D{width}, {'causal' if causal else 'full'}"
            tiles = ((64, 64), (128, 64)) if causal else ((128, 128),)
            for tile in tiles:
                make = partial(attention, 4, 32, 4096, width, causal, "float16", tile)
                yield f"{name}, {tile[0]}x{tile[1]}", make
    yield (
        "attention bf16 B1 H16 S4096 D256, causal, 64x64",
        partial(attention, 1, 16, 4096, 256, True, "bfloat16", (64, 64)),
    )
    yield "decode bf16 B64 H32/8 4096 keys, splits of 1024", partial(decode, 64, 4096, 64, 16, "bfloat16")
    yield "decode bf16 B1 H32/8 16384 keys, splits of 512", partial(decode, 1, 16384, 64, 8, "bfloat16")
    yield "latent decode bf16 B32 H128 4096 keys, splits of 1024", partial(latent_decode, 32, 4096, 32, 32)


def foreign_rows():
    ratios = []

    def keep(row):
        def measure(rounds):
            measured = row.measure(rounds)
            ratios.append(measured.ratio)
            return measured

        return Row(row.work, row.floor, row.against, measure)

    for name, make in works():
        yield keep(contest(name, LEAST, make, AGAINST))
    mean = lambda rounds: Measured(geometric_mean(ratios), f"{len(ratios)} kernels, worst {min(ratios):.2f}")  # noqa: E731
    yield Row("geometric mean of all", MEAN, AGAINST, mean)
